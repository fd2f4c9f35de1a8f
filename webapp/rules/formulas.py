"""Formulas as MathML, written here in LaTeX; every number in them comes from the rulesets."""

from __future__ import annotations

from functools import cache
from typing import Final

from markupsafe import Markup
from math_core import LatexToMathML

from antiabuse import rules as antiabuse_rules
from ranking import rules as ranking_rules

__all__ = ["formula"]

_LATEX: Final = {
    "chance": r"P_i = \frac{\gamma_i}{\gamma_A + \gamma_B + \gamma_C + \gamma_D}",
    "gain": r"\Delta_{\mathrm{best}} = K \, w \, (1 - P_{\mathrm{best}})",
    "same": r"\Delta_i = K \, w \, \left( \tfrac{1}{4} - P_i \right)",
    "score": r"\mathrm{score}_i = [score_base] + [score_scale] \, \log_{10} \gamma_i",
    "odds": r"\frac{P(i \text{ rather than } j)}{P(j \text{ rather than } i)}"
    r" = 10^{(s_i - s_j) / [score_scale]}",
    "fit": r"\max_\theta \; \sum_v w_v \Bigl[ \theta_{\mathrm{best}(v)}"
    r" - \ln \sum_{j \in S_v} e^{\theta_j} \Bigr]"
    r" + [ghost] \sum_i \bigl[ \ln \sigma(\theta_i) + \ln \sigma(-\theta_i) \bigr]",
    "covariance": r"V = A B A^{\mathsf T}, \quad A = C H^{-1},"
    r" \quad B = \frac{G}{G-1} \sum_g u_g u_g^{\mathsf T}"
    r" + \mathrm{ghost}",
    "interval": r"\pm = [interval_z] \cdot \frac{[score_scale]}{\ln 10} \sqrt{V_{ii}}",
    "places": r"\mathrm{best\ place}_i = 1 + \#\{\text{clearly above}\}, \quad"
    r" \mathrm{worst\ place}_i = M - \#\{\text{clearly below}\}",
    "index": r"B_i = p_i + \sqrt{\frac{a}{s_i}},"
    r" \qquad a = c \cdot \frac{25}{36} \cdot \frac{N - M}{H_1}",
    "h1": r"H_1 = \sum_{i \neq \mathrm{best}} \frac{1}{\mathrm{gap}_i^2}",
    "draw": r"P(S) = \varepsilon \, P_{m}(S) + (1 - \varepsilon) \, P_{m \exp(B / \tau)}(S)",
    "weight": r"w = \mathrm{dwell} \times \mathrm{scroll} \times \mathrm{anomaly}",
    "dwell": r"\mathrm{dwell}(d) ="
    r" \min\left(1, \max\left(0, \frac{d - [zero_dwell_s]}{[dwell_span]} \right)\right)",
}  # fmt: skip


@cache
def formula(name: str) -> Markup:
    """Return a formula on a line of its own, with the numbers of the rulesets in force."""
    latex = _LATEX[name]
    for number, value in _numbers().items():
        latex = latex.replace(f"[{number}]", f"{value:g}")
    mathml = LatexToMathML().convert_with_local_state(latex, displaystyle=True)
    return Markup(mathml)  # noqa: S704 - made from the constants above


def _numbers() -> dict[str, float]:
    ranking, voting = ranking_rules.current(), antiabuse_rules.current()
    return {
        "score_base": ranking.score_base,
        "score_scale": ranking.score_scale,
        "ghost": ranking.ghost,
        "interval_z": ranking.interval_z,
        "zero_dwell_s": float(voting.zero_dwell_s),
        "dwell_span": float(voting.full_dwell_s - voting.zero_dwell_s),
    }

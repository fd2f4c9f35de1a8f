"""Formulas as MathML, written here in LaTeX; every number in them comes from the rulesets."""

from __future__ import annotations

from functools import cache
from typing import Final

from markupsafe import Markup
from math_core import LatexToMathML

from antiabuse import rules as antiabuse_rules
from ranking import rules as ranking_rules

__all__ = ["NAMES", "formula"]

_LATEX: Final = {
    "weight": r"w = \mathrm{dwell} \times \mathrm{scroll} \times \mathrm{anomaly}",
    "dwell": r"\mathrm{dwell}(d) ="
    r" \min\left(1, \max\left(0, \frac{d - [zero_dwell_s]}{[dwell_span]} \right)\right)",
    "cap": r"f_v = \min_{i \in S_v} \min\left(1, \; \frac{c_i}{1 - c_i}"
    r" \cdot \frac{W_i - X_{g,i}}{X_{g,i}} \right),"
    r" \qquad c_i = \max\left( [cap_share], \frac{[cap_even_shares]}{n_i} \right)",
    "moved": r"d_{g} = A \, u_g, \quad e_{g,i}^2 = \max\Bigl( V_{ii}"
    r" - \frac{G}{G-1} \sum_{h \subseteq g} (A \, u_h)_i^2, \; \underline{V}_{ii} \Bigr), \quad"
    r" f_g = \min\Bigl( 1, \; \min_i \frac{[bound_errors] \, e_{g,i}}{|d_{g,i}|} \Bigr)",
    "chance": r"P_i = \frac{\gamma_i}{\gamma_A + \gamma_B + \gamma_C + \gamma_D}",
    "gain": r"\Delta_{\mathrm{best}} = K \, w \, (1 - P_{\mathrm{best}})",
    "penalty": r"\Delta_{\mathrm{worst}} = -r \, \Delta_{\mathrm{best}},"
    r" \qquad \Delta_{\mathrm{other}} = -\frac{1 - r}{2} \, \Delta_{\mathrm{best}}",
    "same": r"\Delta_i = K \, w \, \left( \tfrac{1}{4} - P_i \right)",
    "score": r"\mathrm{score}_i = [score_base] + [score_scale] \, \log_{10} \gamma_i",
    "odds": r"\frac{P(i \text{ rather than } j)}{P(j \text{ rather than } i)}"
    r" = 10^{(s_i - s_j) / [score_scale]}",
    "link": r"L = \frac{1}{|C|} \sum_{i \in C} (s_i^{\mathrm{later}} - s_i^{\mathrm{earlier}}),"
    r" \qquad \mathrm{SE}_L = \frac{[score_scale]}{\ln 10}"
    r" \sqrt{a^{\mathsf T} V^{\mathrm{later}} a + a^{\mathsf T} V^{\mathrm{earlier}} a}",
    "fit": r"\max_\theta \; \sum_v w_v \Bigl[ \theta_{\mathrm{best}(v)}"
    r" - \ln \sum_{j \in S_v} e^{\theta_j} \Bigr]"
    r" + [ghost] \sum_i \bigl[ \ln \sigma(\theta_i) + \ln \sigma(-\theta_i) \bigr]",
    "covariance": r"V = A B A^{\mathsf T}, \quad A = C H^{-1},"
    r" \quad B = \frac{G}{G-1} \sum_{g=1}^{G} u_g u_g^{\mathsf T} + D",
    "ghost_rows": r"D_{ii} = [ghost] \, \bigl[ (1 - q_i)^2 + q_i^2 \bigr],"
    r" \quad D_{ij} = 0 \; (i \neq j), \quad q_i = \sigma(\theta_i)",
    "curvature": r"H = \sum_v w_v \bigl[ \mathrm{diag}(P_v) - P_v P_v^{\mathsf T} \bigr]"
    r" + \mathrm{diag}\bigl( 2 \cdot [ghost] \, q_i (1 - q_i) \bigr)",
    "interval": r"\mathrm{SE}_i = \frac{[score_scale]}{\ln 10} \sqrt{V_{ii}},"
    r" \qquad \pm = [interval_z] \cdot \mathrm{SE}_i",
    "difference": r"p_{ij} = 2 \, \Phi\left( - \frac{|\theta_i - \theta_j|}"
    r"{\sqrt{V_{ii} + V_{jj} - 2 V_{ij}}} \right),"
    r" \qquad p_{(k)} \le \frac{[rank_level]}{m - k + 1}",
    "places": r"\mathrm{best\ place}_i = 1 + \#\{\text{clearly above}\}, \quad"
    r" \mathrm{worst\ place}_i = M - \#\{\text{clearly below}\}",
    "best_chance": r"p_i = \frac{1}{\binom{M-1}{3}} \int_0^\infty \gamma_i e^{-\gamma_i t}"
    r" \, e_3\bigl( e^{-\gamma_j t} : j \neq i \bigr) \, dt",
    "quadrature": r"p_i \approx \frac{h}{\binom{M-1}{3}} \sum_k \gamma_i t_k e^{-\gamma_i t_k}"
    r" \, e_3\bigl( e^{-\gamma_j t_k} : j \neq i \bigr), \qquad \ln t_{k+1} = \ln t_k + h",
    "index": r"I_i = p_i + \min\left( [exposure_bonus_cap], \sqrt{\frac{a}{s_i}} \right),"
    r" \qquad a = c \cdot \frac{25}{36} \cdot \frac{\max(0, N - M)}{H_1}",
    "h1": r"H_1 = \sum_{i \neq b}"
    r" \frac{1}{\max(p_b - p_i, \; [exposure_gap_floor])^2}, \qquad p_b = \max_i p_i",
    "draw": r"P(S) = \varepsilon \, P_{m}(S) + (1 - \varepsilon) \, P_{m \exp(I / \tau)}(S)",
    "successive": r"P_x(S) = \sum_{\pi} \prod_{k=1}^{4}"
    r" \frac{x_{\pi(k)}}{\sum_{j \in \mathrm{pool}} x_j - \sum_{l < k} x_{\pi(l)}}",
    "reweighting": r"f_v = \min\left( \frac{1 / P(S_v)}{\mathrm{median}_u \, 1 / P(S_u)},"
    r" \; [propensity_cap] \right)",
    "reweighted": r"| s_i^{f} - s_i | > [propensity_errors] \cdot \mathrm{SE}_i",
    "extended_best": r"P(i) = \frac{\gamma_i}{Z}, \quad"
    r" P(\mathrm{same}) = \frac{\delta}{Z} \Bigl( \prod_{j \in S} \gamma_j \Bigr)^{1/|S|}, \quad"
    r" P(\mathrm{bad}) = \frac{\gamma_0}{Z}, \quad"
    r" Z = \sum_{j \in S} \gamma_j + \delta \Bigl( \prod_{j \in S} \gamma_j \Bigr)^{1/|S|}"
    r" + \gamma_0",
    "extended_worst": r"P(w \mid b) ="
    r" \frac{1 / \gamma_w}{\sum_{j \in S, \, j \neq b} 1 / \gamma_j}",
    "extended_fit": r"\max_{\theta, \delta, \gamma_0} \; \sum_v w_v \bigl[ \ln P(\mathrm{first}_v)"
    r" + \ln P(\mathrm{worst}_v \mid \mathrm{best}_v) \bigr] + [ghost]"
    r" \sum_{x \in \{\theta_i, \ln \delta, \ln \gamma_0\}}"
    r" \bigl[ \ln \sigma(x) + \ln \sigma(-x) \bigr]",
    "one_scale": r"2 \, \bigl[ \ell(\theta^{\mathrm{best}}, \theta^{\mathrm{worst}})"
    r" - \ell(\theta) \bigr] \sim \chi^2_{M - 1}",
    "style": r"P_i = \frac{e^{\theta_i + x_i \cdot \beta}}{\sum_{j \in S} e^{\theta_j + x_j \cdot"
    r" \beta}}, \qquad x_i = \frac{z_i - \mathrm{mean}_{j \in S} \, z_j}{\mathrm{sd}}",
    "covariates": r"z_i = \bigl( \ln \max(1, \mathrm{words}_i), \; \ln(1 + \mathrm{headings}_i"
    r" + \mathrm{items}_i + \mathrm{bold}_i + \mathrm{code}_i) \bigr)",
    "bounds": r"\mathrm{upper}_i = s_i + [elimination_z] \cdot \mathrm{SE}_i, \qquad"
    r" \mathrm{lower}_i = s_i - [revival_z] \cdot \mathrm{SE}_i",
}  # fmt: skip
NAMES: Final = tuple(_LATEX)


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
    names = (
        "bound_errors", "cap_even_shares", "cap_share", "elimination_z", "exposure_bonus_cap",
        "exposure_gap_floor", "ghost", "interval_z", "propensity_cap", "propensity_errors",
        "rank_level", "revival_z", "score_base", "score_scale",
    )  # fmt: skip
    return {
        **{name: float(getattr(ranking, name)) for name in names},
        "zero_dwell_s": float(voting.zero_dwell_s),
        "dwell_span": float(voting.full_dwell_s - voting.zero_dwell_s),
    }

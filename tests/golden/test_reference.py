"""R1 to R12: the fit against published data sets and independent programs."""

from __future__ import annotations

import csv
import json
import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ranking import lobster
from tests.fixtures.choices import Pick, choices_of, orderings


@pytest.fixture(scope="session")
def reference(shared_data: Path) -> Path:
    """The folder of reference values."""
    return shared_data / "reference"


@pytest.fixture(scope="session")
def small(reference: Path) -> dict[str, Any]:
    """The small cases with their expected values."""
    cases: dict[str, Any] = json.loads((reference / "expected_small.json").read_text())
    return cases


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(newline="") as text:
        return list(csv.DictReader(text))


def by_reference(fitted: lobster.Fit, first: str) -> tuple[list[float], list[float]]:
    """Log-strengths and model-based errors as contrasts with one model."""
    mean_of = np.array([model == first for model in fitted.models])
    errors = np.sqrt(np.maximum(np.diag(lobster.Covariance.of(fitted, mean_of).model), 0))
    return (fitted.theta - fitted.theta[mean_of]).tolist(), errors.tolist()


@pytest.fixture(scope="session")
def issues(reference: Path) -> list[dict[str, int]]:
    """4,550 real best-and-worst-of-four votes on political issues."""
    rows = table(reference / "issues_best_worst_of_4.csv")
    return [{key: int(value) for key, value in row.items()} for row in rows]


@pytest.fixture(scope="session")
def expected_issues(reference: Path) -> list[dict[str, str]]:
    """Log-strengths and errors of the issues."""
    return table(reference / "issues_best_worst_of_4_expected.csv")


def issue_votes(issues: list[dict[str, int]]) -> list[Pick]:
    """The best picks, with issues numbered from 0."""
    return [([row[f"item{k}"] - 1 for k in range(1, 5)], row["best"] - 1) for row in issues]


def test_r1_best_picks_of_real_votes(
    issues: list[dict[str, int]], expected_issues: list[dict[str, str]], small: dict[str, Any]
) -> None:
    """R1: log-strengths, model-based errors and log-likelihood agree with R survival to 1e-6."""
    fitted = lobster.fit(choices_of(13, issue_votes(issues)), ghost=0)
    theta, errors = by_reference(fitted, "A")

    wanted = [float(row["best_logworth"]) for row in expected_issues]
    assert theta == pytest.approx(wanted, abs=1e-6)
    assert errors[1:] == pytest.approx(
        [float(row["best_se_model"]) for row in expected_issues[1:]], abs=1e-6
    )
    likelihood = small["issues"]["loglik"]
    assert fitted.log_likelihood == pytest.approx(likelihood["best_only"], abs=1e-6)
    null = sum(math.log(1 / 4) for _ in issues)
    assert null == pytest.approx(likelihood["best_only_null"], abs=1e-6)


@pytest.mark.parametrize(
    "key,cluster", [("best_se_by_vote", None), ("best_se_by_respondent", "respondent")]
)
def test_r2_clustered_errors_of_real_votes(
    issues: list[dict[str, int]],
    expected_issues: list[dict[str, str]],
    key: str,
    cluster: str | None,
) -> None:
    """R2: robust errors by vote and by person, with our factor G / (G - 1) divided out."""
    clusters = [row[cluster] for row in issues] if cluster else list(range(len(issues)))
    fitted = lobster.fit(choices_of(13, issue_votes(issues), clusters=clusters), ghost=0)
    board = lobster.board(fitted, reference="A")

    factor = math.sqrt(fitted.clusters / (fitted.clusters - 1))
    rows = sorted(board.models, key=lambda row: row.model)[1:]
    wanted = [float(row[key]) for row in expected_issues[1:]]
    assert [row.se / factor for row in rows] == pytest.approx(wanted, abs=1e-6)
    assert fitted.clusters == (350 if cluster else 4550)


@pytest.mark.parametrize(
    "key,cluster", [("bw_se_by_vote", None), ("bw_se_by_respondent", "respondent")]
)
def test_r3_sequential_best_and_worst(
    issues: list[dict[str, int]],
    expected_issues: list[dict[str, str]],
    small: dict[str, Any],
    key: str,
    cluster: str | None,
) -> None:
    """R3: the extended fit of best and worst picks agrees with R survival, errors too."""
    clusters = [row[cluster] for row in issues] if cluster else list(range(len(issues)))
    worst = [row["worst"] - 1 for row in issues]
    choices = choices_of(13, issue_votes(issues), clusters=clusters, worst=worst)

    fitted = lobster.fit_extended(choices, ghost=0)
    theta, errors = by_reference(fitted, "A")
    board = lobster.board(fitted, reference="A")

    wanted = {
        name: [float(row[name]) for row in expected_issues[1:]]
        for name in ("bw_logworth", "bw_se_model", key)
    }
    factor = math.sqrt(fitted.clusters / (fitted.clusters - 1))
    rows = sorted(board.models, key=lambda row: row.model)[1:]
    assert theta[1:] == pytest.approx(wanted["bw_logworth"], abs=1e-6)
    assert errors[1:] == pytest.approx(wanted["bw_se_model"], abs=1e-6)
    assert [row.se / factor for row in rows] == pytest.approx(wanted[key], abs=1e-6)
    likelihood = small["issues"]["loglik"]["sequential_best_worst"]
    assert fitted.log_likelihood == pytest.approx(likelihood, abs=1e-6)


def test_one_scale_for_best_and_worst_of_real_votes(
    issues: list[dict[str, int]], small: dict[str, Any]
) -> None:
    """Twice the gain of separate worths, from the three published log-likelihoods."""
    worst = [row["worst"] - 1 for row in issues]
    choices = choices_of(13, issue_votes(issues), worst=worst)

    test = lobster.one_scale(choices, lobster.fit_extended(choices, ghost=0))

    likelihood = small["issues"]["loglik"]
    apart = likelihood["best_only"] + likelihood["worst_of_remaining_only"]
    assert test is not None
    assert test.statistic == pytest.approx(
        2 * (apart - likelihood["sequential_best_worst"]), abs=1e-6
    )
    assert (test.df, test.p < 1e-15) == (12, True)


def test_r8_ties_after_davidson(reference: Path, small: dict[str, Any]) -> None:
    """R8: pairs of puddings with ties are sets of two with "About the same"."""
    case, rows = small["pudding_davidson"], table(reference / case_file(small, "pudding_davidson"))
    picks: list[Pick] = []
    weights = []
    for row in rows:
        pair = (int(row["i"]) - 1, int(row["j"]) - 1)
        for best, count in zip((*pair, lobster.SAME), ("i_wins", "j_wins", "ties"), strict=True):
            picks.append((pair, best))
            weights.append(int(row[count]) * 10**6)

    fitted = lobster.fit_extended(choices_of(6, picks, weights=weights), ghost=0)
    errors = np.sqrt(np.diag(lobster.Covariance.of(fitted, np.ones(6, dtype=np.bool_)).model))

    gamma = np.exp(fitted.theta)
    assert gamma / gamma.sum() == pytest.approx(case["gamma_sum1"], abs=case["tol"])
    assert np.exp(fitted.extra) == pytest.approx([case["tie_delta2"]], abs=case["tol"])
    assert fitted.log_likelihood == pytest.approx(case["loglik"], abs=case["tol"])
    assert errors[:6] == pytest.approx(case["se_logworth_mean0"], abs=case["tol"])
    assert errors[6] == pytest.approx(case["se_log_delta2"], abs=case["tol"])


def choice(items: list[int], chosen: list[int], weight: float, models: int) -> lobster.Stage:
    """A choice of one item or of a tie of up to three: a tie of k has δ_k (Π γ)^(1/k)."""
    place = {item: i for i, item in enumerate(items)}
    ties = range(2, min(3, len(items)) + 1)
    taken = [set(group) for k in (1, *ties) for group in combinations(items, k)]
    design = np.zeros((len(taken), len(items) + len(ties)))
    for row, group in zip(design, taken, strict=True):
        row[[place[item] for item in group]] = 1 / len(group)
        row[len(items) :] = [len(group) == k for k in ties]
    return lobster.Stage(
        places=np.array([[*items, *(models + k - 2 for k in ties)]]),
        design=design,
        chosen=np.array([taken.index(set(chosen))]),
        weight=np.array([weight]),
        voter=np.array([0]),
    )


@pytest.mark.parametrize("ghost", ["mle", "ghost_half"])
def test_r9_rankings_with_ties(ghost: str, small: dict[str, Any]) -> None:
    """R9: fruits ranked with ties, stage by stage; the ghost's own contests may tie too."""
    case, size = small["fruits_ties"], 4
    stages = []
    for ranks in case["ranks_0_is_absent"]:
        left = [i for i, rank in enumerate(ranks) if rank]
        while len(left) > 1:
            first = min(ranks[i] for i in left)
            chosen = [i for i in left if ranks[i] == first]
            stages.append(choice(left, chosen, 1.0, size))
            left = [i for i in left if i not in chosen]
    if ghost == "ghost_half":
        for i in range(size):
            one = choice([i, size], [i], 0.5, size + 1)
            design, places = np.delete(one.design, 1, axis=1), np.array([[i, size]])
            stages += [
                lobster.Stage(places, design, np.array([winner]), one.weight, one.voter)
                for winner in (0, 1)
            ]

    likelihood = lobster._Staged(size + 2, tuple(stages), 1)
    # With its ghost among the stages the strengths have a zero; a ghost of 0 would not know that.
    own = 0.0 if ghost == "mle" else 1e-300
    top = lobster._maximise(likelihood, own, np.zeros(size + 2))

    theta, deltas = top.parameters[:size], top.parameters[size:]
    if ghost == "mle":
        value = likelihood.value(top.parameters)
        assert value == pytest.approx(case["mle_loglik"], abs=case["tol"])
    assert theta - theta[0] == pytest.approx(case[f"{ghost}_logworth"], abs=case["tol"])
    wanted = case[f"{ghost}_log_delta"]
    assert deltas == pytest.approx([wanted["2"], wanted["3"]], abs=case["tol"])


def nascar(reference: Path) -> tuple[list[list[int]], list[dict[str, str]]]:
    """Finishing orders of 36 races, and what is expected of the drivers."""
    with (reference / "nascar2002_orderings.csv").open(newline="") as text:
        races = list(csv.reader(text))[1:]
    orders = [[int(driver) - 1 for driver in race] for race in races]
    return orders, table(reference / "nascar2002_expected.csv")


def test_r5_nascar_plain(reference: Path, small: dict[str, Any]) -> None:
    """R5: the 83 drivers with a finite maximum agree with Hunter (2004) and R PlackettLuce."""
    orders, drivers = nascar(reference)
    finite = [i for i, row in enumerate(drivers) if row["mle_logworth"]]
    index = {driver: i for i, driver in enumerate(finite)}
    kept = [[index[driver] for driver in order if driver in index] for order in orders]

    fitted = lobster.fit(choices_of(83, orderings(kept)), ghost=0)
    theta, errors = by_reference(fitted, "m000")

    wanted = [float(drivers[i]["mle_logworth"]) for i in finite]
    assert theta == pytest.approx(wanted, abs=1e-6)
    assert errors[1:] == pytest.approx([float(drivers[i]["mle_se"]) for i in finite[1:]], abs=1e-6)
    likelihood = small["nascar"]["loglik_mle_83_drivers"]
    assert fitted.log_likelihood == pytest.approx(likelihood, abs=1e-6)


def test_r6_nascar_with_ghost(reference: Path, small: dict[str, Any]) -> None:
    """R6: with half a ghost all 87 drivers are finite and agree with R PlackettLuce."""
    orders, drivers = nascar(reference)

    fitted = lobster.fit(choices_of(87, orderings(orders)))
    theta, _ = by_reference(fitted, "m000")

    wanted = [float(row["ghost_half_logworth"]) for row in drivers]
    assert theta == pytest.approx(wanted, abs=1e-6)
    likelihood = small["nascar"]["loglik_at_ghost_half_87_drivers"]
    assert fitted.log_likelihood == pytest.approx(likelihood, abs=1e-6)


def test_nascar_without_ghost_has_no_finite_maximum(reference: Path) -> None:
    """Four drivers finished last in each of their races: plain maximum likelihood must refuse."""
    orders, _ = nascar(reference)

    with pytest.raises(lobster.NoFiniteMaximumError, match="no finite maximum"):
        lobster.fit(choices_of(87, orderings(orders)), ghost=0)


def pairs(case: dict[str, Any]) -> list[Pick]:
    """Pairs of winner and loser as choices from sets of two."""
    return [((winner, loser), winner) for winner, loser in case["pairs_winner_loser"]]


def test_r7_toy_network_with_a_model_that_never_wins(small: dict[str, Any]) -> None:
    """R7: the ghost keeps the never-winning model finite, at the published value."""
    case = small["ghost_half_toy"]

    theta, _ = by_reference(lobster.fit(choices_of(4, pairs(case))), "A")

    assert theta == pytest.approx(case["logworth"], abs=case["tol"])


def test_r7_toy_network_without_that_model(small: dict[str, Any]) -> None:
    """The same network without it has a finite plain maximum."""
    case = small["toy_without_D"]

    fitted = lobster.fit(choices_of(3, pairs(case)), ghost=0)
    theta, errors = by_reference(fitted, "A")

    assert theta == pytest.approx(case["logworth"], abs=case["tol"])
    assert errors == pytest.approx(case["se"], abs=case["tol"])
    assert fitted.log_likelihood == pytest.approx(case["loglik"], abs=case["tol"])


@pytest.mark.parametrize("name", ["choix_top1_sizes_differ", "choix_top1_all_equal"])
def test_r10_first_choices_from_sets_of_any_size(name: str, small: dict[str, Any]) -> None:
    """R10: the top-1 cases of choix without ridge."""
    case = small[name]
    picks = [([best, *others], best) for best, others in case["choices"]]

    fitted = lobster.fit(choices_of(case["n"], picks), ghost=0)

    assert fitted.theta == pytest.approx(case["logworth"], abs=case["tol"])


def test_r11_pairs_in_a_cycle(small: dict[str, Any]) -> None:
    """R11: pairs are sets of two (Bradley-Terry)."""
    case = small["choix_pairs_cycle_plus_one"]

    fitted = lobster.fit(choices_of(3, pairs(case)), ghost=0)

    assert fitted.theta == pytest.approx(case["logworth"], abs=case["tol"])


def test_r11_pairs_with_counts(small: dict[str, Any]) -> None:
    """R11: counts of equal pairs are weights."""
    case = small["wikipedia_bradley_terry"]
    counted = case["pairs_winner_loser_count"]
    picks = [((winner, loser), winner) for winner, loser, _ in counted]

    weights = [count * 10**6 for *_, count in counted]
    fitted = lobster.fit(choices_of(4, picks, weights=weights), ghost=0)

    assert np.exp(fitted.theta) == pytest.approx(case["gamma_geometric_mean_1"], rel=1e-3)


def test_r11_citations_between_journals(reference: Path, small: dict[str, Any]) -> None:
    """R11: citation counts as pairs, with errors, agree with R BradleyTerry2."""
    case, rows = small["citations"], table(reference / case_file(small, "citations"))
    journals = [row["cited"] for row in rows]
    cells = [
        (i, j, int(row[citing]))
        for i, row in enumerate(rows)
        for j, citing in enumerate(journals)
        if i != j
    ]
    picks = [((cited, citing), cited) for cited, citing, _ in cells]
    weights = [count * 10**6 for *_, count in cells]

    fitted = lobster.fit(choices_of(4, picks, weights=weights, models=journals), ghost=0)
    theta, errors = by_reference(fitted, "Biometrika")

    got = dict(zip(journals, theta, strict=True))
    assert got == pytest.approx(case["logworth"], abs=case["tol"])
    got = dict(zip(journals[1:], errors[1:], strict=True))
    assert got == pytest.approx(case["se"], abs=case["tol"])


def case_file(small: dict[str, Any], name: str) -> str:
    """The file a case is about."""
    return str(small[name]["file"])


def test_r12_partial_rankings(small: dict[str, Any]) -> None:
    """R12: rankings of some of the items, as repeated first choices."""
    case = small["choix_rankings_partial"]

    fitted = lobster.fit(choices_of(4, orderings(case["rankings"])), ghost=0)

    assert fitted.theta == pytest.approx(case["logworth"], abs=case["tol"])


def test_r12_film_orders_with_counts(reference: Path, small: dict[str, Any]) -> None:
    """R12: 24 orders of four films with counts, as repeated first choices."""
    case, rows = small["netflix"], table(reference / case_file(small, "netflix"))
    places = ("first", "second", "third", "fourth")
    picks = orderings([[int(row[place]) - 1 for place in places] for row in rows])
    weights = [int(row["count"]) * 10**6 for row in rows for _ in range(3)]

    fitted = lobster.fit(choices_of(4, picks, weights=weights), ghost=0)
    theta, errors = by_reference(fitted, "A")

    assert theta == pytest.approx(case["logworth"], abs=case["tol"])
    assert errors == pytest.approx(case["se"], abs=case["tol"])
    assert fitted.log_likelihood == pytest.approx(case["loglik"], abs=1e-6)


def test_r12_salad_rankings(reference: Path, small: dict[str, Any]) -> None:
    """R12: 32 full rankings of four dressings, as repeated first choices."""
    case, rows = small["salad"], table(reference / case_file(small, "salad"))
    ranks = [[int(row[dressing]) for dressing in "ABCD"] for row in rows]
    picks = orderings([sorted(range(4), key=rank.__getitem__) for rank in ranks])

    fitted = lobster.fit(choices_of(4, picks), ghost=0)
    theta, errors = by_reference(fitted, "A")

    assert theta == pytest.approx(case["logworth"], abs=case["tol"])
    assert errors == pytest.approx(case["se"], abs=case["tol"])
    assert fitted.log_likelihood == pytest.approx(case["loglik"], abs=case["tol"])

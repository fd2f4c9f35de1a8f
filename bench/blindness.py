"""How well a program names the author of an answer by its style, per model and per view of it.

The attacker has read the answers to four fifths of the questions and is asked about the others,
five times over. TF-IDF over words and pairs, softmax regression with ridge (point 22 of the leaks).
"""

from __future__ import annotations

import json
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.rendering import render, visible

SEED = 1
TERMS = 8_000
STEPS, RATE, RIDGE = 150, 0.5, 1e-5
FOLDS = 5
SLATE = 4
SLATES = 20_000
SHORT_CHARS = 300
_TOKEN = re.compile(r"\w+|[^\w\s]|\n")
_WORD = re.compile(r"\w+")
_TAG = re.compile(r"<[^>]+>")

Matrix = NDArray[np.float32]


def shown(text: str) -> str:
    """Return an answer as the ballot shows it: its HTML, in which layout can be seen."""
    return render(text).html


def words_only(text: str) -> str:
    """Return the words of an answer without any layout."""
    return " ".join(_WORD.findall(_TAG.sub(" ", shown(text))))


VIEWS: dict[str, Callable[[str], str]] = {
    "as shown": shown,
    "raw text": lambda text: visible(text).text,
    "words only": words_only,
    f"first {SHORT_CHARS} characters": lambda text: visible(text).text[:SHORT_CHARS],
}


def read_answers(folder: Path) -> dict[str, list[str]]:
    """Return each model's answers, in the order of the questions all of them answered."""
    answers = {
        path.stem: {row["instruction"]: row["output"] for row in json.loads(path.read_bytes())}
        for path in sorted(folder.glob("*.json"))
    }
    asked = sorted(set.intersection(*(set(each) for each in answers.values())))
    return {model: [each[question] for question in asked] for model, each in answers.items()}


def tf_idf(train: Sequence[str], test: Sequence[str]) -> tuple[Matrix, Matrix]:
    """Return unit rows of sublinear TF-IDF over the terms most training texts hold."""
    counted = [_terms(text) for text in train]
    held: Counter[str] = Counter()
    for each in counted:
        held.update(each.keys())
    terms = {term: at for at, (term, _) in enumerate(held.most_common(TERMS))}
    idf = np.array([math.log(len(train) / held[term]) + 1 for term in terms], dtype=np.float32)
    return _rows(counted, terms, idf), _rows([_terms(text) for text in test], terms, idf)


def _terms(text: str) -> Counter[str]:
    tokens = _TOKEN.findall(text.lower())
    return Counter([*tokens, *map(" ".join, pairwise(tokens))])


def _rows(counted: Sequence[Counter[str]], terms: dict[str, int], idf: Matrix) -> Matrix:
    rows = np.zeros((len(counted), len(terms)), dtype=np.float32)
    for row, each in zip(rows, counted, strict=True):
        for term, times in each.items():
            if term in terms:
                row[terms[term]] = 1 + math.log(times)
    rows *= idf
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(norms > 0, norms, 1)
    return rows


def learn(rows: Matrix, authors: NDArray[np.int64], models: int) -> Matrix:
    """Return softmax weights (terms, models) fitted by Adam's steps (Kingma and Ba 2015)."""
    wanted = np.eye(models, dtype=np.float32)[authors]
    weights = np.zeros((rows.shape[1], models), dtype=np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        slope = rows.T @ (_chances(rows @ weights) - wanted) / len(rows) + RIDGE * weights
        mean += np.float32(0.1) * (slope - mean)
        square += np.float32(0.01) * (slope**2 - square)
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)
    return weights


def _chances(logits: Matrix) -> Matrix:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), dtype=np.float32)


def measure(answers: dict[str, list[str]], view: Callable[[str], str]) -> dict[str, float]:
    """Return shares named rightly: per model, in all, and one wanted author among four."""
    rng = random.Random(SEED)
    models, asked = list(answers), len(next(iter(answers.values())))
    texts = [[view(text) for text in answers[model]] for model in models]
    order = rng.sample(range(asked), asked)
    chances = np.zeros((len(models), asked, len(models)), dtype=np.float32)
    for fold in range(FOLDS):
        unseen = order[fold::FOLDS]
        read = [question for question in order if question not in unseen]
        train, test = tf_idf(
            [row[question] for row in texts for question in read],
            [row[question] for row in texts for question in unseen],
        )
        weights = learn(train, np.repeat(np.arange(len(models)), len(read)), len(models))
        shape = (len(models), len(unseen), len(models))
        chances[:, unseen] = _chances(test @ weights).reshape(shape)
    named = chances.argmax(axis=2) == np.arange(len(models))[:, None]
    found = 0
    for _ in range(SLATES):
        slate = rng.sample(range(len(models)), SLATE)
        wanted, question = slate[0], rng.randrange(asked)
        found += max(slate, key=lambda model: chances[model, question, wanted]) == wanted
    shares = {model: float(row.mean()) for model, row in zip(models, named, strict=True)}
    return {**shares, "all": float(named.mean()), "in a slate of four": found / SLATES}


def main() -> None:
    """Print a table: a row per model, a column per view."""
    root = Path(__file__).resolve().parents[2] / "shared/data/real/alpacaeval"
    answers = read_answers(Path(sys.argv[1]) if len(sys.argv) > 1 else root)
    columns = {name: measure(answers, view) for name, view in VIEWS.items()}
    print("| Author | " + " | ".join(columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    for row in next(iter(columns.values())):
        values = (f"{100 * column[row]:.0f} %" for column in columns.values())
        print(f"| {row} | " + " | ".join(values) + " |")


if __name__ == "__main__":
    main()

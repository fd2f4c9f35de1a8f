"""Canonical JSON has one form for each value and refuses what has none."""

from __future__ import annotations

import json
from decimal import Decimal
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import canonical, digest
from ledger.errors import NotCanonical

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abcxyz_"), inner),
    max_leaves=20,
)


class Colour(StrEnum):
    """A closed set, as event bodies use them."""

    RED = "red"


@given(values)
def test_form_is_stable(value: object) -> None:
    """Reading the canonical form and writing it again gives the same bytes."""
    once = canonical(value)
    assert canonical(json.loads(once)) == once


def test_order_of_keys_does_not_matter() -> None:
    """Two mappings with the same items have the same form."""
    assert canonical({"b": 1, "a": 2}) == canonical({"a": 2, "b": 1}) == b'{"a":2,"b":1}'


def test_closed_sets_and_tuples_are_plain_json() -> None:
    """An enum of texts is its text, a tuple is a list."""
    assert canonical({"c": Colour.RED, "t": (1, True, None)}) == b'{"c":"red","t":[1,true,null]}'


@pytest.mark.parametrize(
    "value",
    [
        0.5,
        float("nan"),
        {"deep": [1, {"x": 1.0}]},
        2**53,
        -(2**53),
        {1: "a"},
        {"e\u0301": 1, "\u00e9": 2},
        "\ud800",
        Decimal(1),
        b"bytes",
        {1, 2},
    ],
    ids=repr,
)
def test_values_without_a_form_are_refused(value: object) -> None:
    """Floats, huge integers, doubled or foreign keys, surrogates and other types raise."""
    with pytest.raises(NotCanonical):
        canonical(value)


def test_digest_depends_on_salt_and_part() -> None:
    """Another salt or another part gives another digest."""
    digests = {digest(salt, part) for salt in (b"s", b"t") for part in (b"a", b"b")}
    assert len(digests) == 4

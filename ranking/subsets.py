"""Parts of a month's votes: some votes only, or all votes seen through fewer models."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from ranking import lobster
from ranking.lobster import Choices, Flags

__all__ = ["one_per_maker", "restrict", "subset"]


def subset(choices: Choices, mask: Flags) -> Choices:
    """The votes that the mask (n,) says, over the same models.

    Raises:
        WrongUseError: the mask is not one truth value a vote.
    """
    if mask.shape != choices.best.shape or mask.dtype != np.bool_:
        raise lobster.WrongUseError("a mask needs one truth value a vote")
    return Choices(
        models=choices.models,
        sets=choices.sets[mask],
        best=choices.best[mask],
        worst=choices.worst[mask],
        weight=choices.weight[mask],
        cluster=choices.cluster[mask],
    )


def restrict(choices: Choices, keep: Collection[str]) -> Choices:
    """The votes with every other model taken out of their sets.

    A vote is dropped when fewer than two of its models are left, or when its best pick is not: by
    Plackett-Luce the pick among those left is as likely whatever else was shown (Luce 1959), but
    only when it was one of them. A worst pick that is taken out is forgotten.

    Raises:
        WrongUseError: a model to keep is not among the choices.
    """
    unknown = sorted(set(keep) - set(choices.models))
    if unknown:
        raise lobster.WrongUseError(f"no such model among these votes: {', '.join(unknown)}")
    kept = np.array([model in keep for model in choices.models], dtype=np.bool_)
    # One place more at the end, which PAD and NO_WORST (both -1) find.
    place = np.append(np.where(kept, np.cumsum(kept) - 1, lobster.PAD), lobster.PAD)
    sets = place[choices.sets]
    order = np.argsort(sets == lobster.PAD, axis=1, kind="stable")
    best = np.where(choices.best >= 0, place[choices.best], choices.best)
    gone = (choices.best >= 0) & (best < 0)
    rows = ((sets != lobster.PAD).sum(axis=1) > 1) & ~gone
    return Choices(
        models=tuple(model for model in choices.models if model in keep),
        sets=np.take_along_axis(sets, order, axis=1)[rows],
        best=best[rows],
        worst=place[choices.worst][rows],
        weight=choices.weight[rows],
        cluster=choices.cluster[rows],
    )


def one_per_maker(
    models: Collection[str], exposures: Mapping[str, float], makers: Mapping[str, str]
) -> tuple[str, ...]:
    """One model of each maker, for a board on which clones gain their maker nothing.

    Of a maker's models the one shown most often stays, of equally often shown ones the first by
    slug: neither depends on how the votes fell.

    Args:
        models: slugs to choose from.
        exposures: weighted exposures of each.
        makers: maker of each.

    Raises:
        KeyError: a model has no maker or no exposures.
    """
    chosen: dict[str, str] = {}
    for model in sorted(models, key=lambda slug: (-exposures[slug], slug)):
        chosen.setdefault(makers[model], model)
    return tuple(sorted(chosen.values()))

"""What models are called on pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from arena.catalogue import ModelInfo

__all__ = ["model_names"]


def model_names(models: Mapping[str, ModelInfo]) -> dict[str, str]:
    """Return the names of models by slug, with the slug where two share a name."""
    often = Counter(model.name for model in models.values())
    return {
        slug: model.name if often[model.name] == 1 else f"{model.name} ({slug})"
        for slug, model in models.items()
    }

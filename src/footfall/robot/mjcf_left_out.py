"""What a compiled MuJoCo model has and a robot has not, in one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from footfall.errors import UnsupportedFeature

_DEFAULT_SOLREF = (0.02, 1.0)
_DEFAULT_SOLIMP = (0.9, 0.95, 0.001, 0.5, 2.0)
_SHOWN = 4


def left_out(
    model: Any, *, named: Iterable[tuple[str, list[str]]], tendons: int, pairs: int
) -> list[UnsupportedFeature]:
    """One finding that lists all of it; none if there is nothing.

    named: words and names of what was found to have no counterpart. tendons, pairs: how many.
    """
    parts = [f"{words} {listed(names)}" for words, names in named if names]
    parts += [f"{count} {words}" for words, count in _counts(model, tendons, pairs).items() if count]
    return [UnsupportedFeature(f"left out: {'; '.join(parts)}")] if parts else []


def _counts(model: Any, tendons: int, pairs: int) -> dict[str, int]:

    def differs(values: Any, usual: tuple[float, ...]) -> Any:
        return (np.abs(np.asarray(values)[:, : len(usual)] - usual) > 1e-9).any(axis=1)

    def solver(kind: str) -> int:
        references, impedances = (getattr(model, f"{kind}_{name}") for name in ("solref", "solimp"))
        return int((differs(references, _DEFAULT_SOLREF) | differs(impedances, _DEFAULT_SOLIMP)).sum())

    return {
        "tendons": tendons,
        "sensors": int(model.nsensor),
        "cameras": int(model.ncam),
        "contact pairs of bodies that do not touch (next to each other, or excluded)": pairs,
        "geoms with solref or solimp": solver("geom"),
        "joints with solref or solimp of their stops": solver("jnt"),
        "geoms with margin or gap": int(((model.geom_margin != 0.0) | (model.geom_gap != 0.0)).sum()),
        "bodies with gravity compensation": int((model.body_gravcomp != 0.0).sum()),
    }


def listed(names: list[str]) -> str:
    """The first of them, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more

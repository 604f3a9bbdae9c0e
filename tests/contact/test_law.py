"""What a rigid contact asks of the normal velocity, by its depth."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.contact.law import ContactRules, rigid_offset
from footfall.contact.options import ContactOptions

DT, GRAVITY = 1e-3, 9.81
RULES = ContactOptions(recovery=0.2, recovery_speed=0.05).rules(GRAVITY, DT)


def offset(gap: float, rules: ContactRules = RULES) -> float:
    return float(rigid_offset(gap, 0.0, rules, DT))


def warp(depth: float) -> float:
    """How far the offsets of four corners of a tilted face, of which two are a depth (m) below the ground, are from
    those of any rigid motion, m/s: corners in a square move by a + b x + c y, so `o1 - o2 + o3 - o4` is zero."""
    gaps = np.array([-1.5, -0.5, 0.9, -0.1]) * depth / 1.5
    assert gaps @ [1, -1, 1, -1] == pytest.approx(0.0, abs=1e-20)
    return abs(np.array([offset(gap) for gap in gaps]) @ [1, -1, 1, -1])


def test_corners_of_a_shallow_face_ask_for_one_motion() -> None:
    """Otherwise four contacts would have no common solution, and impulses would jump from corner to corner."""
    assert warp(RULES.shallow) < 1e-15
    assert (
        warp(10.0 * RULES.shallow) > 0.1 * RULES.shallow / DT
    )  # where a part of the depth is left for later steps


def test_what_is_shallow_is_undone_at_once_and_the_rest_slowly() -> None:
    shallow = RULES.shallow
    assert shallow == pytest.approx(0.03 * GRAVITY * DT**2)
    assert offset(-0.5 * shallow) == pytest.approx(-0.5 * shallow / DT)
    # beyond it a fifth of what is deeper, up to the speed of recovery
    assert offset(-1e-5) == pytest.approx(-(shallow + 0.2 * (1e-5 - shallow)) / DT)
    assert offset(-1.0) == -0.05
    # that cannot throw: weight takes thirty times that speed within the step
    assert shallow / DT < 0.05 * GRAVITY * DT


def test_without_recovery_nothing_is_undone() -> None:
    none = ContactOptions(recovery=0.0).rules(GRAVITY, DT)
    for gap in (-1e-9, -1e-6, -1e-3):
        assert offset(gap, none) == 0.0

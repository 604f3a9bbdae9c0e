"""Plans and motions by the names of `footfall` itself, which load when they are first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import footfall
from footfall.errors import UnknownName
from tests.motion.lola import MODEL


def test_a_walk_in_three_lines() -> None:
    plan = footfall.walking_plan(MODEL, [footfall.WalkingTransition(forward=0.3)] * 2, first_swing="LF")
    motion = footfall.generate_motion(plan, MODEL)
    assert [transition.end.stance for transition in plan.transitions[:2]] == ["LF", "RF"]
    assert motion.duration == pytest.approx(0.48 + 0.64 + 2 * 0.8 + 0.8)
    assert footfall.motion.verify_motion(motion).zmp_margin > 0.0


def test_shipped_plans_have_names() -> None:
    assert len(footfall.load_plan("platform", MODEL).transitions) == 21
    with pytest.raises(UnknownName, match="platfrom"):
        footfall.load_plan("platfrom", MODEL)


def test_names_load_when_they_are_used() -> None:
    program = (
        "import sys, footfall; assert 'generate_motion' in dir(footfall); name = 'footfall.motion.pipeline'; "
        "before = name in sys.modules; footfall.generate_motion; print(before, name in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
    with pytest.raises(AttributeError, match="did you mean 'generate_motion'"):
        footfall.generate_emotion  # type: ignore[attr-defined]  # noqa: B018

"""Why there is no way: what is named, taken away, opens it."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from benchmarks.lab.closed_ways import judge_reasons
from footfall.environment import Environment, PerceptionOptions, perceive
from footfall.planning import Goal, plan_contacts
from footfall.planning.explanation import without_objects
from footfall.scene.model import SceneObject
from footfall.scene.parts import at, block, floor
from tests.planning.scenes import model

AREA = ((-0.6, -0.9), (2.9, 0.9))


def seen(*objects: SceneObject) -> Environment:
    scene = footfall.Scene("closed", objects, start=at(0.0, 0.0), goal=at(2.4, 0.0))
    return perceive(scene, PerceptionOptions(voxel=0.0, noise=0.0, area=AREA))


WALL = block("wall", "wall", (1.2, 1.3), (-2.0, 2.0), (0.0, 1.0))
BOX = block("box", "obstacle", (0.9, 1.0), (0.55, 0.7), (0.0, 0.4))


def test_the_wall_that_closes_the_way_is_named() -> None:
    closed = plan_contacts(seen(floor(), WALL, BOX), model(), Goal(2.4, 0.0), check_motion=False)
    assert not closed.found
    assert closed.why_not is not None
    assert (closed.why_not.kind, closed.why_not.name) == ("object", "wall")
    assert closed.stances  # as near as it gets
    assert 0.3 < max(stance.placement.position[0] for stance in closed.stances) < 1.2
    opened = plan_contacts(seen(floor(), BOX), model(), Goal(2.4, 0.0), check_motion=False)
    assert opened.found


def test_ground_that_was_not_seen_is_told() -> None:
    near = block("near", "floor", (-2.0, 1.0), (-2.0, 2.0), (-0.2, 0.0))
    far = block("far", "floor", (1.9, 6.0), (-2.0, 2.0), (-0.2, 0.0))
    plan = plan_contacts(seen(near, far), model(), Goal(2.4, 0.0), check_motion=False)
    assert not plan.found
    assert plan.why_not is not None
    assert plan.why_not.kind == "unknown ground"


def test_without_an_object_the_ground_is_as_beside_it() -> None:
    environment = seen(floor(), BOX)
    bare = without_objects(environment, ["box"])
    assert "box" not in bare.objects
    window = bare.terrain.window((0.5, 0.3), (1.4, 0.9))
    assert float(np.nanmax(window.highest)) == pytest.approx(0.0, abs=1e-6)
    assert float(np.nanmax(environment.terrain.window((0.5, 0.3), (1.4, 0.9)).highest)) == pytest.approx(0.4)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 6])
def test_what_is_named_changed_opens_the_way(seed: int) -> None:
    """A step, stairs, a trench, a beam, a gap, a bar; a hundred more in `benchmarks/autonomy.md`."""
    (row,) = judge_reasons(model(), range(seed, seed + 1))
    assert row.closed
    assert row.opened, row.text
    named = {
        "high step": "step.vertical_m",
        "stairs": "step.vertical_m",
        "trench": "step.forward_m",
        "bar": "step.obstacle_m",
    }
    assert row.name == named.get(row.scene, row.name)
    kinds = {"beam": "ground", "gap": "object"}
    assert row.kind == kinds.get(row.scene, "limit")


def test_limits_are_named_with_their_numbers() -> None:
    """The landing is not what closes the way to it: without it there would be no goal."""
    low = block("low", "floor", (-2.0, 1.2), (-2.0, 2.0), (-1.0, 0.0))
    landing = block("landing", "floor", (1.2, 6.0), (-2.0, 2.0), (-1.0, 0.15))
    plan = plan_contacts(seen(low, landing), model(), Goal(2.4, 0.0), check_motion=False)
    assert plan.why_not is not None
    assert plan.why_not.name == "step.vertical_m"
    assert plan.why_not.need == pytest.approx(0.15, abs=0.22 / 32)  # (0.35 - 0.13) m, halved five times
    assert "0.15 m; the limit is 0.13 m" in plan.why_not.text

"""The same robots in MuJoCo, exported by our MJCF writer: impulses, rest heights and the split of forces.

MuJoCo's contact is soft: it sinks, and with impratio 1 and without `noslip` feet creep. Compared is with its round
cone, impratio 100, `noslip` and steps of 0.5 ms; what is left is its sink, which is measured here and shrinks with its
time constant. With the same springs in ours that goes too.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.lab.contact_comparison import (
    HARD,
    SOFT,
    PeerRun,
    by_body,
    difference,
    run_mujoco,
    run_ours,
    touching_bodies,
    with_springs,
)
from benchmarks.lab.contact_scenes import DT
from footfall.simulation.run_values import Trajectory
from tests.simulation.test_standing import scene_named

pytest.importorskip("mujoco")

SECONDS = 1.5
ROBOTS = ["ANYmal standing", "ANYmal dropped", "LOLA standing, 8 points", "LOLA dropped, 8 points"]


@cache
def ours(name: str, seconds: float = SECONDS, motion: str = "") -> Trajectory:
    return run_ours(scene_named(name), seconds=seconds, motion=motion)


@cache
def theirs(name: str, time_constant: float = SOFT, seconds: float = SECONDS, motion: str = "") -> PeerRun:
    return run_mujoco(scene_named(name), seconds=seconds, time_constant=time_constant, motion=motion)


@pytest.mark.parametrize(
    ("name", "seconds", "motion"),
    [
        *((name, SECONDS, "") for name in ROBOTS),
        ("ANYmal standing", 3.0, "trot"),
        ("LOLA standing, 8 points", 3.0, "sway"),
    ],
)
def test_impulses_agree(name: str, seconds: float, motion: str) -> None:
    weight = scene_named(name).robot.mass * 9.81 * seconds
    impulse = ours(name, seconds, motion).forces.sum(axis=(0, 1)) * DT
    assert impulse == pytest.approx(
        theirs(name, SOFT, seconds, motion).forces.sum(axis=(0, 1)) * DT, abs=0.01 * weight
    )
    assert impulse[2] == pytest.approx(weight, rel=0.02)


@pytest.mark.parametrize("name", ROBOTS)
def test_rest_heights_differ_by_the_sink(name: str) -> None:
    peer = theirs(name)
    assert peer.sink > 5e-4
    assert 0.0 < ours(name).q[-1, 2] - peer.q[2] < peer.deepest


@pytest.mark.parametrize("name", ROBOTS)
def test_on_the_same_springs_nothing_is_left(name: str) -> None:
    """Rest heights to 1 % of the sink, but for what ANYmal's feet slid when it landed; the split to 1 %."""
    scene, peer = scene_named(name), theirs(name)
    springs = theirs(name.replace("dropped", "standing")).springs  # the same, and one kernel for both
    found = difference(scene, run_ours(with_springs(scene, springs), seconds=SECONDS), peer)
    assert abs(found.higher) < 0.02 * peer.sink
    assert found.split < 0.01


def test_a_harder_contact_comes_closer() -> None:
    name = "ANYmal standing"
    height = ours(name).q[-1, 2]
    soft, hard = theirs(name), theirs(name, HARD)
    assert hard.sink < soft.sink / 4
    assert abs(height - hard.q[2]) < abs(height - soft.q[2]) / 4


@pytest.mark.parametrize("name", ROBOTS)
def test_the_split_of_forces_agrees(name: str) -> None:
    """By feet and by parts of feet: among the points of one rigid part there is no unique split."""
    scene, peer = scene_named(name), theirs(name)
    assert difference(scene, ours(name), peer).split < 0.05
    if name.startswith("ANYmal"):
        # Stuck feet keep the tension of their landing; that of LOLA's heels and toes depends on how soft they land.
        last = round(0.8 * SECONDS / DT)
        mine, other = (forces[last:].mean(axis=0) for forces in (by_body(scene, ours(name)), peer.forces))
        assert np.abs(mine[:, :2] - other[:, :2]).max() < 0.05 * scene.robot.mass * 9.81


def test_rocking_is_that_of_a_long_step() -> None:
    """At our step of 2 ms LOLA does not come to rest in MuJoCo: the split of a robot that rocks is not compared."""
    scene = scene_named("LOLA standing, 8 points")
    rocking = run_mujoco(scene, seconds=SECONDS, time_constant=SOFT, steps=1)
    assert rocking.speed > 20 * theirs("LOLA standing, 8 points").speed


def test_a_trot_loads_the_feet_alike() -> None:
    """Impulses of each foot over four steps of each diagonal, and how long it is in the air."""
    name, seconds = "ANYmal standing", 3.0
    scene, peer = scene_named(name), theirs(name, HARD, seconds, "trot")
    trajectory = ours(name, seconds, "trot")
    mine = by_body(scene, trajectory)[:, :, 2]
    other = peer.forces[:, :, 2]
    assert mine.sum(axis=0) == pytest.approx(other.sum(axis=0), rel=0.05)
    assert (mine < 1e-9).mean(axis=0) == pytest.approx((other < 1e-9).mean(axis=0), abs=0.05)
    assert ((mine < 1e-9).mean(axis=0) > 0.25).all()
    assert trajectory.q[-1, 2] == pytest.approx(peer.q[2], abs=2e-3)


def test_a_sway_loads_the_feet_alike() -> None:
    name, seconds = "LOLA standing, 8 points", 3.0
    scene, peer = scene_named(name), theirs(name, HARD, seconds, "sway")
    mine, other = by_body(scene, ours(name, seconds, "sway"))[:, :, 2], peer.forces[:, :, 2]
    right = np.array([body.endswith("r") for body in touching_bodies(scene)])
    for foot in (right, ~right):
        assert mine[:, foot].sum() == pytest.approx(other[:, foot].sum(), rel=0.02)
    # the load does go from side to side
    share = mine[:, right].sum(axis=1) / mine.sum(axis=1)
    assert np.ptp(share) > 0.1

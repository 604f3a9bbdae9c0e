"""Every shipped robot can be written and read back, and then moves alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from footfall.dynamics.inverse_dynamics import bias_forces
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.robot import library
from footfall.robot.load import load
from footfall.robot.model import Robot
from footfall.robot.save import save


def assert_moves_alike(robot: Robot, other: Robot) -> None:
    random = np.random.default_rng(1)
    q, v = random.uniform(-1.0, 1.0, robot.nq), random.uniform(-1.0, 1.0, robot.nv)
    if robot.loops:
        q = robot.configuration("idle" if "idle" in robot.configurations else "assembly")
    elif robot.nq > robot.nv:
        q[3:7] /= np.linalg.norm(q[3:7])
    for algorithm, state in ((mass_matrix, (q,)), (bias_forces, (q, v))):
        ours, theirs = (np.asarray(algorithm.textbook(each, *state)) for each in (robot, other))
        assert np.linalg.norm(ours - theirs) <= 1e-12 * np.linalg.norm(ours)


@pytest.mark.parametrize("suffix", [".toml", ".urdf"])
@pytest.mark.parametrize("name", [name for name in library.names() if name != "kuka-lwr"])
def test_round_trip(name: str, suffix: str, tmp_path: Path) -> None:
    robot = load(name)
    if robot.loops and suffix == ".urdf":
        pytest.skip("URDF has no loops between frames")
    path = tmp_path / f"robot{suffix}"
    save(robot, path)
    again = load(path, floating_base=True if robot.joints[0].type == "floating" else None)
    assert (again.nq, again.nv) == (robot.nq, robot.nv)
    assert {frame.name for frame in robot.frames} <= set(again.frame_names)
    assert_moves_alike(robot, again)
    if suffix == ".toml":
        assert dict(again.notes) == dict(robot.notes)
        for limit_set, limits in robot.limit_sets.items():
            assert dict(again.limit_sets[limit_set]) == dict(limits)


def test_different_robots_do_not_move_alike() -> None:
    with pytest.raises(AssertionError):
        assert_moves_alike(load("quadruped"), load("quadruped-tall-feet"))

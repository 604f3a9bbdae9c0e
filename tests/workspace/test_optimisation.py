"""Arms that are searched for: their kinematics, their scores, and optima that are known."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

import footfall
from footfall.cli.application import app
from footfall.errors import FootfallError, InvalidInput, MissingFile
from footfall.robot.toml import parse_toml
from footfall.robot.toml_writer import toml_text
from footfall.workspace import (
    OptimisationProgress,
    Tasks,
    arm_chain,
    arm_robot,
    optimise_arms,
    optimise_topology,
    read_tasks,
    robot_with_arms,
    score_arm,
)
from footfall.workspace.candidates import candidate_motion
from footfall.workspace.chain import hand_motion
from footfall.workspace.optimisation import joint_shares

PLANAR = """
    name = "planar"
    size = 0.03
    samples = 20000
    evaluations = 80
    weights = { reach = 1.0, condition = 0.0, manipulability = 0.0, joint_range = 0.0 }
    [[task]]
    name = "disc"
    center = [0.0, 0.0, 0.015]
    size = [1.2, 1.2, 0.03]
    fade = 0.0
    [[topology]]
    name = "two hinges"
    parameters = { first = [0.05, 0.55] }
    hand = { offset = [0.25, 0, 0] }
    joint = [{ axis = "z" }, { axis = "z", offset = ["first", 0, 0] }]
"""


def _tasks(text: str, path: Path) -> Tasks:
    file = path / "tasks.toml"
    file.write_text(text)
    return read_tasks(file)


def test_arms_move_as_the_robots_that_they_become() -> None:
    tasks = read_tasks("support")
    random = np.random.default_rng(0)
    for topology in tasks.topology:
        arm = topology.arm(random.random(len(topology.unknowns)), tasks.span)
        chain = arm_chain(arm_robot(arm), "base", "hand")
        q = random.uniform(arm.lower, arm.upper)
        ours, theirs = candidate_motion(arm.axes, arm.slides, arm.offsets, q), hand_motion(chain.attached, q)
        assert ours.pose.translation == pytest.approx(theirs.pose.translation, abs=1e-14)
        assert ours.pose.rotation == pytest.approx(theirs.pose.rotation, abs=1e-14)
        assert ours.linear == pytest.approx(theirs.linear, abs=1e-14)
        assert np.linalg.norm(arm.offsets[0]) + arm.length <= tasks.span + 1e-12


@pytest.mark.parametrize("method", ["cma", "swarm"])
def test_the_best_two_hinges_are_those_that_fill_a_disc(method: str, tmp_path: Path) -> None:
    # A second link of 0.25 m reaches a ring from |l1 - 0.25| to l1 + 0.25 m. In a square of 1.2 m (its circle has a
    # radius of 0.6 m) the area pi ((l1 + 0.25)^2 - (l1 - 0.25)^2) = pi l1 grows until l1 = 0.35 m; beyond, what leaves
    # the sides is more than what corners gain: at l1 = 0.35 + e the circle loses the hole's growth 2 pi 0.1 e as well.
    tasks = msgspec.structs.replace(_tasks(PLANAR, tmp_path), method=method)
    best = optimise_topology(tasks, tasks.topology[0])
    first = float(best.arm(tasks).offsets[1, 0])
    area = [_covered(length) for length in np.linspace(0.05, 0.55, 501)]
    assert first == pytest.approx(np.linspace(0.05, 0.55, 501)[int(np.argmax(area))], abs=0.03)  # a cell
    assert best.evaluations <= 100
    assert best.score.total == pytest.approx(best.score.matched[0], abs=1e-12)  # reach alone counts
    assert best.score.total == pytest.approx(max(area) / 1.2**2, abs=0.05)  # cells at the border stick out


def _covered(first: float) -> float:
    """Area of the ring within the square, m2."""
    grid = (np.arange(400) + 0.5) / 400 * 1.2 - 0.6
    radius = np.hypot(*np.meshgrid(grid, grid))
    return float(((radius >= abs(first - 0.25)) & (radius <= first + 0.25)).mean() * 1.2**2)


def test_scores_know_directions_and_volumes(tmp_path: Path) -> None:
    tasks = _tasks(PLANAR, tmp_path)
    arm = tasks.topology[0].arm(np.array([0.6]), math.inf)
    shares = joint_shares(tasks, 2)
    free = score_arm(arm, tasks, shares)
    (task,) = tasks.task
    aimed = msgspec.structs.replace(task, direction=(1.0, 0.0, 0.0), cone_deg=60.0)
    some = score_arm(arm, msgspec.structs.replace(tasks, task=[aimed]), shares)
    across = msgspec.structs.replace(task, direction=(0.0, 0.0, 1.0), cone_deg=60.0)
    none = score_arm(arm, msgspec.structs.replace(tasks, task=[across]), shares)
    assert 0.0 == none.total < some.total < free.total <= 1.0
    by_volume = score_arm(arm, msgspec.structs.replace(tasks, normalise="workspace"), shares)
    # The whole ring lies in the task: the integral over its cells is their volume.
    assert by_volume.total == pytest.approx(1.0, abs=0.02)


def test_topologies_are_ranked_and_what_is_done_is_kept(tmp_path: Path) -> None:
    second = (
        PLANAR[PLANAR.index("    [[topology]]") :].replace("two hinges", "short").replace("0.55]", "0.1]")
    )
    tasks = msgspec.structs.replace(_tasks(PLANAR + second, tmp_path), evaluations=20)
    kept = tmp_path / "kept.json"
    ranking = optimise_arms(tasks, keep=kept)
    assert [best.topology for best in ranking] == ["two hinges", "short"]
    told: list[OptimisationProgress] = []
    again = optimise_arms(tasks, keep=kept, progress=told.append)
    assert again == ranking
    assert [now.topologies for now in told] == [2]  # nothing was left to do
    kept.write_text("{")
    with pytest.raises(InvalidInput, match="delete it"):
        optimise_arms(tasks, keep=kept)


def test_a_robot_gets_the_arm_on_both_sides() -> None:
    tasks = read_tasks("support")
    topology = tasks.topology[1]
    arm = topology.arm(np.full(len(topology.unknowns), 0.5), tasks.span)
    assert tasks.robot is not None
    robot = robot_with_arms(arm, tasks.robot)
    robot = parse_toml(toml_text(robot))
    q = robot.configuration("idle")
    for k, angle in enumerate((0.4, -0.6, 0.3, -1.0)):
        for side in ("right", "left"):
            q[robot.q_slice(f"arm_{side}{k + 1}")] = angle
    base = footfall.frame_pose(robot, q, "base")
    right, left = (
        base.inverse().apply(footfall.frame_pose(robot, q, name).translation) for name in ("RH", "LH")
    )
    assert left == pytest.approx(right * [1.0, -1.0, 1.0], abs=1e-14)
    lola = footfall.load("lola")
    assert robot.mass == pytest.approx(lola.mass, rel=2e-3)
    assert not {"afr", "efl"} & {body.name for body in robot.bodies}


@pytest.mark.parametrize(
    "old, new, told",
    [
        ('"first", 0, 0]', '"third", 0, 0]', "third"),
        ("[0.05, 0.55]", "[0.55, 0.05]", "low, high"),
        ('axis = "z" }', 'axis = "w" }', "axis"),
        ("reach = 1.0", "reach = 0.0", "all zero"),
        ("size = 0.03", "size = 0.0", "size"),
        ("samples = 20000", "samples = 2", "samples"),
        ("size = [1.2, 1.2, 0.03]", "size = [1.2, 0.0, 0.03]", "size"),
        ("fade = 0.0", "direction = [0.0, 0.0, 0.0]", "must not be zero"),
        ("size = 0.03", "size = 0.0005", "larger `size`"),
        ('{ axis = "z" }', '{ axis = "z", type = "prismatic" }', "needs `range`"),
    ],
)
def test_wrong_tasks_are_told(old: str, new: str, told: str, tmp_path: Path) -> None:
    assert old in PLANAR
    with pytest.raises(FootfallError, match=told):
        _tasks(PLANAR.replace(old, new, 1), tmp_path)


def test_unknown_tasks_are_told() -> None:
    with pytest.raises(MissingFile, match="support"):
        read_tasks("nothing")


def test_the_command_ranks_and_writes_a_robot(tmp_path: Path) -> None:
    file = tmp_path / "planar.toml"
    file.write_text(PLANAR)
    folder = tmp_path / "out"
    arguments = [
        "workspace",
        "optimise",
        str(file),
        "-o",
        str(folder),
        "--evaluations",
        "10",
        "--method",
        "swarm",
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "two hinges" in result.output
    assert footfall.load(folder / "arm.toml").nq == 2

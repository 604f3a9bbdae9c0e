"""The native whole-body program against the problem that `build_whole_body` shows, solved by dense matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.control.contact_constraints import SURFACE, Contact, sole_axes
from footfall.control.gains import gains_from
from footfall.control.priorities import level, solve_hierarchy
from footfall.control.references import resting_pose, resting_reference
from footfall.control.tasks.accelerations import FrameAcceleration
from footfall.control.tasks.forces import (
    ContactForce,
    LeastForce,
    LeastTorque,
    Situation,
    TaskRows,
    WholeBodyTask,
)
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.postures import PostureTask
from footfall.control.whole_body import (
    WholeBodyControl,
    WholeBodyLimits,
    WholeBodyProblem,
    build_whole_body,
    program_for,
    solve_whole_body,
)
from footfall.control.wrench_cone import (
    Support,
    build_wrench_cone,
    pyramid_rows,
    rectangular_rows,
    solve_contact_forces,
)
from footfall.errors import InvalidInput, LimitsExceeded
from footfall.math.transform import Transform
from footfall.robot.model import Body, Frame, Joint, JointType, Robot
from tests.control.stances import CORNERS, consistent_motion, feet, quadruped, table

LIMITS = WholeBodyLimits(least_force=2.0)


def tasks_of(seed: int, *, levels: bool) -> tuple[WholeBodyTask, ...]:
    robot = footfall.load("point-foot-quadruped")
    hard = np.random.default_rng(seed).normal(size=6) * np.array([6.0, 6.0, 2.0, 5.0, 5.0, 5.0])
    rest = resting_reference(robot, robot.configuration("stand"))
    return (
        LeastForce(priority=2 if levels else 0, weight=1.0 if levels else 1e-4),
        FrameAcceleration("torso", hard),
        PostureTask(rest, priority=1 if levels else 0, weight=1e-2),
    )


def by_dense_matrices(problem: WholeBodyProblem) -> Array:
    """x by singular values of all of the physics, and limits as inequalities before all tasks."""
    left, values, right = np.linalg.svd(problem.physics.matrix)
    rank = int(np.count_nonzero(values > 1e-10 * values[0]))
    start = right[:rank].T @ ((left[:, :rank].T @ problem.physics.value) / values[:rank])
    basis = right[rank:].T
    assert problem.limits is not None
    first = level(problem.limits.matrix, problem.limits.value, inequality=True)
    reduced = [
        replace(each, jacobian=each.jacobian @ basis, rate=each.rate - each.jacobian @ start)
        for each in (first, *problem.levels)
    ]
    return np.asarray(start + basis @ solve_hierarchy(reduced).v)


@pytest.mark.parametrize("levels", [True, False], ids=["priorities", "weights"])
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6])
def test_same_as_the_problem_as_a_value(seed: int, levels: bool) -> None:
    """Hard accelerations push forces to the edge of friction; drives are weak; feet are in motion."""
    robot, q = quadruped(seed)
    contacts = tuple(replace(each, friction=0.6) for each in feet())
    v = 0.2 * consistent_motion(robot, q, contacts, seed=seed)[0]
    tasks = tasks_of(seed, levels=levels)
    problem = build_whole_body(robot, q, v, contacts=contacts, tasks=tasks, limits=LIMITS)
    found = solve_whole_body(problem)
    x = np.concatenate([found.acceleration, found.forces, found.torque])
    expected = by_dense_matrices(problem)
    assert np.abs(problem.physics.matrix @ x - problem.physics.value).max() < 1e-9
    assert problem.limits is not None
    assert (
        abs((problem.limits.matrix @ x - problem.limits.value).min()) < 1e-6
    )  # a limit is reached, none missed
    for each, ours in zip(problem.levels, found.missing, strict=True):
        root, theirs = np.sqrt(each.weight), each.missing(expected)
        assert np.linalg.norm(root * ours) == pytest.approx(np.linalg.norm(root * theirs), rel=1e-4, abs=1e-4)
        assert np.abs(each.missing(x) - ours).max() < 1e-9
    controlled = WholeBodyControl(robot, contacts, tasks, LIMITS).solve(0.0, q, v)
    assert np.array_equal(controlled.torque, found.torque)  # one path


def test_controller_runs_the_program_and_remembers_numbers() -> None:
    robot, q = quadruped()
    start = footfall.frame_pose(robot, q, "torso")

    def path(time: float) -> object:
        return resting_pose(replace_height(start, time))

    def replace_height(pose: footfall.Transform, height: float) -> footfall.Transform:
        return footfall.Transform(pose.rotation, pose.translation + np.array([0.0, 0.0, height]))

    tasks = (PoseTask("torso", path, gains=gains_from(1.0)), LeastTorque(priority=1))  # type: ignore[arg-type]
    control = WholeBodyControl(robot, feet(), tasks, WholeBodyLimits(joints=False))
    still = control.solve(0.0, q, np.zeros(18)).acceleration[2]
    rising = control.solve(0.01, q, np.zeros(18)).acceleration[2]
    assert abs(still) < 1e-9
    assert rising == pytest.approx(0.01 * (2.0 * np.pi) ** 2, rel=1e-9)


def test_given_forces_and_torques() -> None:
    robot, q = quadruped()
    asked, near = np.array([1.0, -2.0, 60.0]), np.linspace(-1.0, 1.0, 12)
    tasks = (
        FrameAcceleration("torso", np.zeros(6)),
        ContactForce(2, asked, priority=1),
        LeastTorque(near, priority=2),
    )
    found = WholeBodyControl(robot, feet(), tasks).solve(0.0, q, np.zeros(18))
    assert np.abs(found.forces[6:9] - asked).max() < 1e-9
    problem = build_whole_body(robot, q, np.zeros(18), contacts=feet(), tasks=tasks)
    assert np.abs(found.torque - solve_whole_body(problem, method="least squares").torque).max() < 1e-6


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.3, -0.2, 0.9), (-1.0, 0.1, 0.2)])
def test_cones_are_the_same(normal: tuple[float, float, float]) -> None:
    """Traced cones of a turned sole and of a point are those of plain NumPy; one program has them all."""
    robot, q = quadruped(3)
    sole = Contact("torso", rows=SURFACE, normal=normal, friction=0.6, half_size=(0.1, 0.05))
    soles = (sole, Contact("LF", normal=normal, friction=0.4))
    tasks = (LeastTorque(),)
    program = program_for(robot, soles, tasks, LIMITS)
    upright = (Contact("torso", rows=SURFACE), Contact("LF"))
    assert program_for(robot, upright, tasks, LIMITS) is program
    numbers = [(*each.normal, each.friction, *each.half_size) for each in soles]
    cones = program.kernel(q, np.zeros(18), np.ravel(numbers))[7]
    axes = sole_axes(robot, q, sole)
    rows = rectangular_rows(0.6, 0.1, 0.05)
    assert np.abs(np.hstack([rows[:, :3] @ axes, rows[:, 3:] @ axes]) - cones[:16]).max() < 1e-12
    assert np.abs(pyramid_rows(normal, 0.4, facets=LIMITS.facets) - cones[17:-1, :3]).max() < 1e-12
    problem = build_whole_body(robot, q, np.zeros(18), contacts=soles, tasks=tasks, limits=LIMITS)
    assert problem.limits is not None
    friction = [k for k, label in enumerate(problem.limits.labels) if label.startswith("friction")]
    forces = problem.limits.matrix[friction][:, 18:27]
    assert np.array_equal(forces[:17, :6], cones[:17])
    assert np.array_equal(forces[17:, 6:], cones[17:, :3])


def test_stands_on_what_linear_programs_say() -> None:
    """A body held by contacts of any normals and frictions: its limits can be kept iff forces in the pyramids exist."""
    random = np.random.default_rng(0)
    places = {f"c{k}": random.uniform([-0.3, -0.3, -0.5], [0.3, 0.3, 0.6]) for k in range(4)}
    frames = tuple(Frame(name, "base", Transform(np.eye(3), place)) for name, place in places.items())
    root = Joint("root", JointType.FLOATING, "world", "base")
    robot = Robot("held", (Body("base", 20.0, inertia=np.eye(3)),), (root,), frames)
    weight = np.array([0.0, 0.0, 196.2, 0.0, 0.0, 0.0])
    verdicts = []
    for _ in range(60):
        normals = random.normal(size=(4, 3)) + np.array([0.0, 0.0, 1.0])
        frictions = random.uniform(0.2, 1.5, 4)
        contacts = tuple(
            Contact(name, normal=tuple(normal), friction=float(friction))
            for name, normal, friction in zip(places, normals, frictions, strict=True)
        )
        supports = [
            Support(tuple(place), each.normal, each.friction)
            for place, each in zip(places.values(), contacts, strict=True)
        ]
        if abs(build_wrench_cone(supports).slack(weight)) < 1e-2:
            continue  # rounding would decide
        try:
            forces = WholeBodyControl(robot, contacts, (LeastForce(),), WholeBodyLimits()).solve(
                0.0, footfall.neutral(robot), np.zeros(6)
            )
            verdicts.append(True)
            assert np.abs(forces.acceleration).max() < 1e-9
        except LimitsExceeded:
            verdicts.append(False)
        assert verdicts[-1] == solve_contact_forces(supports, weight).feasible
    assert 5 < sum(verdicts) < len(verdicts) - 5


class Upright(WholeBodyTask):
    """A task of one's own: no native code is known for it."""

    @property
    def label(self) -> str:
        return "vertical acceleration"

    def rows(self, situation: Situation) -> TaskRows:
        return TaskRows(np.eye(situation.layout.size)[2:3], np.array([0.5]))


def test_tasks_of_ones_own() -> None:
    robot, q = quadruped()
    control = WholeBodyControl(robot, feet(), (Upright(), LeastTorque(priority=1)), LIMITS)
    assert control.solve(0.0, q, np.zeros(18)).acceleration[2] == pytest.approx(0.5, abs=1e-6)


def test_impossible_limits_are_told() -> None:
    """The native program finds no solution; the exception has the problem and what comes closest."""
    robot = table()
    contacts = tuple(Contact(name) for name in CORNERS)
    control = WholeBodyControl(robot, contacts, (LeastForce(),), WholeBodyLimits(least_force=100.0))
    with pytest.raises(LimitsExceeded, match="missed: friction of contact") as caught:
        control.solve(0.0, footfall.neutral(robot), np.zeros(6))
    assert caught.value.missing.max() == pytest.approx(100.0 - 196.2 / 4, abs=1e-3)


def test_bad_weights_and_other_tasks() -> None:
    robot, q = quadruped()
    with pytest.raises(InvalidInput, match="weight is -1"):
        LeastForce(weight=-1.0)
    crooked = (FrameAcceleration("torso", np.zeros(6), weight=np.ones(5)),)
    with pytest.raises(InvalidInput, match=r"weight has shape \(5,\); it must be a number, or 6"):
        WholeBodyControl(robot, feet(), crooked).solve(0.0, q, np.zeros(18))
    program = program_for(robot, feet(), (LeastForce(),), None)
    with pytest.raises(InvalidInput, match="differ in more than numbers"):
        program.problem(0.0, q, np.zeros(18), (LeastTorque(),), feet())
    with pytest.raises(InvalidInput, match="differ in more than numbers"):
        program.problem(0.0, q, np.zeros(18), (LeastForce(),), feet("LF"))
    with pytest.raises(InvalidInput, match="no contact 9; there are 4"):
        WholeBodyControl(robot, feet(), (ContactForce(9, np.zeros(3)),)).solve(0.0, q, np.zeros(18))

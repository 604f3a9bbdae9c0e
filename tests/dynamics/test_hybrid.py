"""Hybrid dynamics against the dense equations, published numbers, other algorithms and Gauss' principle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from footfall.arrays import Array
from footfall.dynamics.forward_dynamics import forward_dynamics
from footfall.dynamics.hybrid import (
    HybridMotion,
    constraint_system,
    felt_constraint_torques,
    hybrid_accelerations,
    hybrid_dynamics,
)
from footfall.dynamics.hybrid_actuation import constraint_jacobian
from footfall.dynamics.hybrid_constraints import AXES, Constraint
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.dynamics.kinematics import frame_acceleration, frame_pose, frame_velocity
from footfall.errors import InvalidInput, UnknownName
from footfall.robot.load import load
from footfall.robot.model import WORLD, JointType, Robot
from tests.dynamics.cases import some_wrenches
from tests.dynamics.constrained import dense_problem, equation_errors
from tests.random_robots import random_robot, random_state

TIP = (Constraint("tip", ("x", "y", "z", "rz")),)


def some_constraints(robot: Robot, rng: np.random.Generator, *, rows: int) -> list[Constraint]:
    """Random components on random frames, not more than `rows`, each frame once, in random axes."""
    names = [name for name in robot.frame_names if name != WORLD]
    constraints: list[Constraint] = []
    for name in rng.permutation(names):
        count = int(rng.integers(1, 7))
        if sum(each.rows for each in constraints) + count > rows:
            break
        axes = str(rng.choice([WORLD, "frame", *names]))
        directions: list[object] = list(rng.permutation(AXES)[:count])
        if rng.random() < 0.3:
            directions[0] = tuple(rng.normal(size=6))
        constraints.append(Constraint(str(name), tuple(directions), axes))  # type: ignore[arg-type]
    return constraints


class TestDenseEquations:
    @given(st.integers(0, 10**6), st.sampled_from([True, False, None]), st.integers(2, 8))
    @settings(max_examples=60)
    def test_random_trees(self, seed: int, floating_base: bool | None, joints: int) -> None:
        """Residuals: they mean something also where rows depend on each other."""
        rng = np.random.default_rng(seed)
        robot = random_robot(seed, joints=joints, floating_base=floating_base)
        q, v, _, tau = random_state(robot, seed)
        constraints = some_constraints(robot, rng, rows=robot.nv)
        setpoints = rng.normal(size=sum(each.rows for each in constraints))
        wrenches = some_wrenches(robot, seed)
        motion = hybrid_dynamics.textbook(
            robot, q, v, tau, constraints=constraints, setpoints=setpoints, wrenches=wrenches
        )
        problem = dense_problem(robot, q, v, constraints, wrenches=wrenches)
        reached = setpoints - motion.residuals
        moving, held = equation_errors(problem, tau, reached, motion.accelerations, motion.forces)
        # What nearly depends on other rows is fulfilled by huge forces, and rounding is relative to these.
        condition = 1.0 + np.abs(motion.forces).max(initial=0.0) / 1e6
        assert moving < 1e-10
        assert held < 1e-10 * condition
        np.testing.assert_allclose(
            motion.constraint_torques, problem.jacobian.T @ motion.forces, atol=1e-10 * condition
        )

    @pytest.mark.parametrize("seed", range(8))
    def test_solution_where_it_is_unique(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        robot = random_robot(
            seed,
            types=["floating", *["revolute"] * 9],
            ups=[0, 0, 0, 0, 3, 0, 0, 3, 0, 0],
            floating_base=True,
        )
        q, v, _, tau = random_state(robot, seed)
        constraints = [
            Constraint("body3", ("x", "y", "z")),
            Constraint("body6", ("x", "rz")),
            Constraint("body9", ("z", "ry"), "frame"),
            Constraint("body2", ("rx",), "body1"),
            Constraint("body0", ("rx",)),
        ]
        setpoints = rng.normal(size=9)
        motion = hybrid_dynamics.textbook(robot, q, v, tau, constraints=constraints, setpoints=setpoints)
        a, forces = dense_problem(robot, q, v, constraints).solve(tau, setpoints)
        assert np.linalg.norm(motion.accelerations - a) < 1e-9 * np.linalg.norm(a)
        assert np.linalg.norm(motion.forces - forces) < 1e-9 * np.linalg.norm(forces)
        assert motion.kept.sum() == 9

    def test_directions_with_the_call(self) -> None:
        rng = np.random.default_rng(5)
        robot = random_robot(5, joints=7, floating_base=True)
        q, v, _, tau = random_state(robot, 5)
        constraints = (Constraint("body6", 3), Constraint("body2", ("z",)), Constraint("body4", 2, "frame"))
        directions, setpoints = rng.normal(size=(6, 6)), rng.normal(size=6)
        motion = hybrid_dynamics.textbook(
            robot, q, v, tau, constraints=constraints, directions=directions, setpoints=setpoints
        )
        problem = dense_problem(robot, q, v, constraints, directions=directions)
        errors = equation_errors(
            problem, tau, setpoints - motion.residuals, motion.accelerations, motion.forces
        )
        assert max(errors) < 1e-10

    def test_closed_loop(self) -> None:
        """Two branches whose ends are tied together."""
        robot = random_robot(3, types=["revolute"] * 9, ups=[0, 0, 0, 0, 0, 4, 0, 0, 0], floating_base=False)
        q, v, _, tau = random_state(robot, 3)
        constraints = (Constraint("body4", ("x", "y", "z"), against="body8"),)
        motion = hybrid_dynamics.textbook(robot, q, v, tau, constraints=constraints)
        one, other = (
            np.asarray(frame_acceleration.textbook(robot, q, v, motion.accelerations, name))
            for name in ("body4", "body8")
        )
        arm = np.asarray(
            frame_pose.textbook(robot, q, "body4").translation
            - frame_pose.textbook(robot, q, "body8").translation
        )
        turning = np.asarray(frame_velocity.textbook(robot, q, v, "body8"))[3:]
        there = other[:3] + np.cross(other[3:], arm) + np.cross(turning, np.cross(turning, arm))
        np.testing.assert_allclose(one[:3], there, atol=1e-9)
        jacobian = constraint_jacobian.textbook(robot, q, constraints=constraints)
        np.testing.assert_allclose(jacobian.T @ motion.forces, motion.constraint_torques, atol=1e-9)
        problem = dense_problem(robot, q, v, constraints)
        assert max(equation_errors(problem, tau, np.zeros(3), motion.accelerations, motion.forces)) < 1e-10

    def test_the_comparison_can_fail(self) -> None:
        robot = load("kuka-lwr")
        q, v, _, tau = random_state(robot, 1)
        motion = hybrid_dynamics.textbook(robot, q, v, tau, constraints=TIP)
        problem = dense_problem(robot, q, v, [Constraint("tip", ("x", "y", "z", "ry"))])
        assert equation_errors(problem, tau, np.zeros(4), motion.accelerations, motion.forces)[1] > 1e-3


class TestPublishedNumbers:
    """Orocos KDL's regression test, Devaramani 2019, chapter 3."""

    v = np.array([1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0])
    tau = np.array([5.0, 0.0, 0.0, 0.0, 0.0, -6.0, 0.0])
    multipliers = (669693.30355, 5930.60826, -639.5238, 573.90485)
    accelerations = (573.38989, -1447.4742, 925.00688, 23.014342, -14.322013, -15.349682, 1443.9185)

    def solve(self, *, native: bool = False) -> tuple[Robot, Array, Array, HybridMotion]:
        robot = load("kuka-lwr")
        q = robot.configuration("regression")
        # The reference counts accelerations from free fall and without w x v.
        tip = np.asarray(frame_velocity.textbook(robot, q, self.v, "tip"))
        fall = np.array([0.0, 0.0, -9.81, 0.0])
        turning = np.append(np.cross(tip[3:], tip[:3]), 0.0)
        setpoints = np.array([-0.5, -0.5, 0.0, 0.2]) + fall + turning
        function = hybrid_dynamics if native else hybrid_dynamics.textbook
        wrench = np.array([10.0, 15.0, 0.0, 0.0, 0.0, 5.0])
        motion = function(
            robot,
            q,
            self.v,
            self.tau,
            constraints=TIP,
            setpoints=setpoints,
            wrenches={"tip": wrench},
            segments=("tip", WORLD),
        )
        return robot, q, setpoints, motion

    @pytest.mark.parametrize("native", [False, True])
    def test_reproduced(self, native: bool) -> None:
        robot, q, setpoints, motion = self.solve(native=native)
        np.testing.assert_allclose(motion.forces, -np.array(self.multipliers), rtol=1e-7)
        np.testing.assert_allclose(motion.accelerations, self.accelerations, rtol=3e-8)
        total = [2013.3541, -6073.4999, 2227.4487, 56.87456, -11.3789, -6.05957, 569.0776]
        function = constraint_system if native else constraint_system.textbook
        inertias = function(robot, q, self.v, self.tau, constraints=TIP).joint_inertias
        np.testing.assert_allclose(inertias * motion.accelerations, total, rtol=1e-6)
        np.testing.assert_allclose(motion.segments[0][[0, 1, 2, 5]], setpoints, atol=1e-6)
        np.testing.assert_array_equal(motion.segments[1], 0.0)

    def test_felt_torques(self) -> None:
        """What Devaramani 2019, (3.9) calls the constraint torque: felt through free joints, and so no command."""
        robot = load("kuka-lwr")
        q = robot.configuration("regression")
        felt = felt_constraint_torques(
            robot, q, self.v, self.tau, constraints=TIP, forces=-np.array(self.multipliers)
        )
        expected = [2013.2958, -5817.9242, 1739.2162, 41.424212, -0.457155, 0.000015, 573.90413]
        np.testing.assert_allclose(felt, expected, rtol=1e-5, atol=2e-5)

    def test_felt_torques_are_what_constraints_add(self) -> None:
        """D (a - a without constraints) minus the way through the parent; of the first joint there is no parent."""
        robot = random_robot(3, joints=6)
        q, v, _, tau = random_state(robot, 3)
        tip = (Constraint(robot.bodies[-1].name, ("x", "z")),)
        motion = hybrid_dynamics(robot, q, v, tau, constraints=tip)
        inertia = constraint_system(robot, q, v, tau, constraints=tip).joint_inertias
        free = forward_dynamics(robot, q, v, tau)
        felt = felt_constraint_torques(robot, q, v, tau, constraints=tip, forces=motion.forces)
        assert inertia[0] * (motion.accelerations - free)[0] == pytest.approx(felt[0], rel=1e-9, abs=1e-9)

    def test_commands_make_the_motion_without_constraints(self) -> None:
        robot, q, _, motion = self.solve()
        wrench = np.array([10.0, 15.0, 0.0, 0.0, 0.0, 5.0])
        a = forward_dynamics.textbook(robot, q, self.v, motion.commands, wrenches={"tip": wrench})
        np.testing.assert_allclose(a, motion.accelerations, rtol=1e-8)


class TestOtherAlgorithms:
    def test_without_constraints_it_is_forward_dynamics(self) -> None:
        robot = random_robot(8, joints=9, floating_base=True)
        q, v, _, tau = random_state(robot, 8)
        wrenches = some_wrenches(robot, 8)
        motion = hybrid_dynamics.textbook(robot, q, v, tau, wrenches=wrenches)
        free = forward_dynamics.textbook(robot, q, v, tau, wrenches=wrenches)
        np.testing.assert_allclose(motion.accelerations, free, rtol=1e-12)
        np.testing.assert_array_equal(motion.commands, tau)
        off = hybrid_dynamics.textbook(
            robot,
            q,
            v,
            tau,
            constraints=[Constraint("body3")],
            setpoints=np.ones(6),
            active=np.zeros(6),
            wrenches=wrenches,
        )
        np.testing.assert_allclose(off.accelerations, free, rtol=1e-12)
        np.testing.assert_array_equal(off.forces, 0.0)
        np.testing.assert_array_equal(off.residuals, 0.0)

    @given(st.integers(0, 10**6))
    @settings(max_examples=25)
    def test_prescribed_joints(self, seed: int) -> None:
        """Some joints are told their accelerations, the others their forces: both as inverse dynamics has them."""
        rng = np.random.default_rng(seed)
        robot = random_robot(seed, joints=7)
        q, v, a, _ = random_state(robot, seed)
        wrenches = some_wrenches(robot, seed)
        tau = np.asarray(inverse_dynamics.textbook(robot, q, v, a, wrenches=wrenches))
        prescribed = [joint.name for joint in robot.joints if joint.type.velocities and rng.random() < 0.5]
        given_tau, given_a = tau.copy(), rng.normal(size=robot.nv)
        for name in prescribed:
            given_tau[robot.v_slice(name)] = 99.0
            given_a[robot.v_slice(name)] = a[robot.v_slice(name)]
        motion = hybrid_dynamics.textbook(
            robot, q, v, given_tau, prescribed=prescribed, a=given_a, wrenches=wrenches
        )
        scale = 1.0 + np.abs(tau).max(initial=0.0)
        np.testing.assert_allclose(motion.accelerations, a, atol=1e-9 * scale)
        np.testing.assert_allclose(motion.joint_forces, tau, atol=1e-9 * scale)

    def test_prescribed_joints_under_constraints(self) -> None:
        robot = random_robot(2, types=["floating", *["revolute"] * 8], ups=[0, 0, 0, 0, 0, 4, 0, 0, 0])
        q, v, a, tau = random_state(robot, 2)
        constraints = [Constraint("body4", ("x", "y", "rz")), Constraint("body8", ("z",))]
        setpoints = np.array([0.3, -0.5, 0.2, 1.0])
        motion = hybrid_dynamics.textbook(
            robot,
            q,
            v,
            tau,
            constraints=constraints,
            setpoints=setpoints,
            prescribed=("joint2", "joint7"),
            a=a,
        )
        problem = dense_problem(robot, q, v, constraints)
        errors = equation_errors(problem, motion.joint_forces, setpoints, motion.accelerations, motion.forces)
        assert max(errors) < 1e-10
        for name in ("joint2", "joint7"):
            np.testing.assert_array_equal(motion.accelerations[robot.v_slice(name)], a[robot.v_slice(name)])
        others = [
            k
            for k in range(robot.nv)
            if k not in (robot.v_slice("joint2").start, robot.v_slice("joint7").start)
        ]
        np.testing.assert_array_equal(motion.joint_forces[others], tau[others])

    def test_zero_holds_still_against_gravity(self) -> None:
        robot = load("arm-7r")
        q, zero = random_state(robot, 4).q, np.zeros(7)
        tip = robot.bodies[-1].name
        motion = hybrid_dynamics.textbook(
            robot, q, zero, zero, constraints=[Constraint(tip, ("z",))], segments=(tip,)
        )
        assert abs(motion.segments[0][2]) < 1e-12
        free = hybrid_dynamics.textbook(robot, q, zero, zero, segments=(tip,))
        assert abs(free.segments[0][2]) > 1e-3


def test_gauss_principle() -> None:
    """The least deviation from free motion, `(a - a_free)^T M (a - a_free) / 2`, found by a minimiser."""
    robot = load("arm-7r")
    q, v, _, tau = random_state(robot, 6)
    constraints = [Constraint(robot.bodies[-1].name, ("x", "rz"))]
    setpoints = np.array([0.5, -1.0])
    motion = hybrid_dynamics.textbook(robot, q, v, tau, constraints=constraints, setpoints=setpoints)
    free = np.asarray(forward_dynamics.textbook(robot, q, v, tau))
    problem = dense_problem(robot, q, v, constraints)

    def effort(a: Array) -> float:
        return 0.5 * float((a - free) @ problem.mass @ (a - free))

    held = {
        "type": "eq",
        "fun": lambda a: problem.jacobian @ a + problem.drift - setpoints,
        "jac": lambda a: problem.jacobian,
    }
    scale = np.linalg.norm(free)
    found = minimize(
        effort,
        free,
        jac=lambda a: problem.mass @ (a - free),
        constraints=[held],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert np.linalg.norm(found.x - motion.accelerations) < 1e-5 * scale
    assert effort(motion.accelerations) <= effort(found.x) * (1 + 1e-9)
    rng = np.random.default_rng(0)
    across = np.linalg.svd(problem.jacobian)[2][2:]
    for _ in range(20):
        assert effort(motion.accelerations + across.T @ rng.normal(size=5)) > effort(motion.accelerations)


def test_native_code_is_the_textbook() -> None:
    robot = load("quadruped")
    feet = [Constraint(name, ("x", "y", "z")) for name in ("RB", "LB", "RF", "LF")]
    rng = np.random.default_rng(0)
    states = [random_state(robot, seed) for seed in range(9)]
    q, v, a, tau = (np.array(column) for column in zip(*states, strict=True))
    setpoints, active = rng.normal(size=(9, 12)), np.tile(rng.integers(0, 2, 12), (9, 1)).astype(float)
    options = {"constraints": feet, "prescribed": [robot.joints[-1].name], "segments": ["RB"]}
    batch = hybrid_dynamics(robot, q, v, tau, setpoints=setpoints, active=active, a=a, **options)
    for k in range(9):
        arrays = {"setpoints": setpoints[k], "active": active[k], "a": a[k]}
        one = hybrid_dynamics.textbook(robot, q[k], v[k], tau[k], **arrays, **options)
        for native, textbook in zip(batch, one, strict=True):
            np.testing.assert_allclose(native[k], textbook, rtol=1e-7, atol=1e-7)


def test_accelerations_alone() -> None:
    """The short form gives the same with fewer operations, on a robot whose branches are eliminated too."""
    robot = load("quadruped")
    feet = [Constraint(name, ("x", "y", "z")) for name in ("RB", "LF")]
    q, v, _, tau = random_state(robot, 2)
    setpoints = np.linspace(-1.0, 1.0, 6)
    whole = hybrid_dynamics(robot, q, v, tau, constraints=feet, setpoints=setpoints)
    short = hybrid_accelerations(robot, q, v, tau, constraints=feet, setpoints=setpoints)
    np.testing.assert_allclose(short.accelerations, whole.accelerations, rtol=1e-12)
    np.testing.assert_allclose(short.forces, whole.forces, rtol=1e-12)
    options = {"constraints": feet, "setpoints": setpoints}
    kernels = [each.kernel(robot, **options) for each in (hybrid_accelerations, hybrid_dynamics)]
    assert kernels[0].operations < kernels[1].operations


def test_operations_grow_linearly() -> None:
    counts = []
    for joints in (6, 12, 24):
        robot = load(f"chain-{joints}")
        tip = (Constraint(robot.bodies[-1].name, axes="frame"),)
        counts.append(hybrid_dynamics.kernel(robot, constraints=tip).operations)
    first, second = counts[1] - counts[0], counts[2] - counts[1]
    assert second == pytest.approx(2 * first, rel=0.05)


class TestErrors:
    def test_unknown_frames_and_joints(self) -> None:
        robot = load("planar-arm")
        arguments = (robot, np.zeros(3), np.zeros(3), np.zeros(3))
        for constraint in (
            Constraint("tipp"),
            Constraint("tip", axes="wrld"),
            Constraint("tip", against="x"),
        ):
            with pytest.raises(UnknownName):
                hybrid_dynamics(*arguments, constraints=[constraint])
        with pytest.raises(UnknownName):
            hybrid_dynamics(*arguments, prescribed=["elbow"], a=np.zeros(3))
        with pytest.raises(TypeError, match="joint1"):
            hybrid_dynamics(*arguments, prescribed=[robot.joints[0].name])

    def test_lengths(self) -> None:
        robot = load("planar-arm")
        arguments = (robot, np.zeros(3), np.zeros(3), np.zeros(3))
        with pytest.raises(InvalidInput, match=r"setpoints has 3 entries.* 2: tip\.x, tip\.z"):
            hybrid_dynamics(*arguments, constraints=[Constraint("tip", ("x", "z"))], setpoints=np.zeros(3))
        with pytest.raises(InvalidInput, match="give directions"):
            hybrid_dynamics(*arguments, constraints=[Constraint("tip", 2)])

    def test_directions(self) -> None:
        with pytest.raises(InvalidInput, match="'w' must be one of x, y"):
            Constraint("tip", ("x", "w"))
        with pytest.raises(InvalidInput, match="not all zero"):
            Constraint("tip", ((0.0,) * 6,))
        with pytest.raises(InvalidInput, match="1 to 6"):
            Constraint("tip", 7)
        with pytest.raises(InvalidInput, match="1 to 6"):
            Constraint("tip", ())


def test_types_of_joints_are_all_tried() -> None:
    """The random trees above have every kind of joint."""
    kinds = {joint.type for seed in range(40) for joint in random_robot(seed, joints=8).joints}
    assert kinds == set(JointType)

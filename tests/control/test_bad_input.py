"""Bad input is refused before anything is computed, and the message says what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.control.balance import support_polygon
from footfall.control.contact_constraints import SURFACE, Contact
from footfall.control.gains import gains_from
from footfall.control.joint_control import InverseDynamicsControl, JointImpedance
from footfall.control.operational_space import OperationalSpaceControl, select
from footfall.control.references import JointReference, resting_pose, resting_reference
from footfall.control.task_space import EndEffectorControl
from footfall.control.tasks.accelerations import FrameAcceleration
from footfall.control.tasks.forces import LeastForce
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import center_of_mass_position
from footfall.control.tasks.postures import PostureTask
from footfall.control.virtual_model import solve_virtual_model
from footfall.control.whole_body import WholeBodyControl, WholeBodyLimits
from footfall.errors import InvalidInput, LimitsExceeded, NoSolution, TargetOutOfReach, UnknownName
from footfall.hybrid import Constraint, hybrid_dynamics, resolve_constraints, solve_tasks
from footfall.ik import (
    Bounds,
    Limits,
    QuadraticProgram,
    build_ik,
    level,
    solve_hierarchy,
    solve_ik,
    solve_quadratic_program,
)
from footfall.robot.model import Robot
from footfall.tasks import frame_position, posture
from tests.control.stances import feet, quadruped, table

STILL = resting_pose(footfall.Transform(np.eye(3), np.zeros(3)))
STRETCHED = resting_pose(footfall.Transform(3.0 * np.eye(3), np.zeros(3)))
MIRRORED = footfall.Transform(np.diag([1.0, 1.0, -1.0]), np.zeros(3))
REST = np.zeros(7)
BROKEN = resting_pose(footfall.Transform(np.eye(3), np.array([0.0, np.nan, 0.0])))


def arm() -> Robot:
    return footfall.load("arm-7r")


def program(**changed: np.ndarray) -> QuadraticProgram:
    """Two unknowns between -1 and 1, with some parts changed."""
    parts = {
        "hessian": np.eye(2),
        "gradient": np.ones(2),
        "matrix": np.zeros((0, 2)),
        "lower": -np.ones(2),
        "upper": np.ones(2),
    }
    return QuadraticProgram(**(parts | changed))


def solve(*tasks: Any, contacts: tuple[Contact, ...] = feet()) -> Any:
    robot, q = quadruped()
    return WholeBodyControl(robot, contacts, tasks).solve(0.0, q, np.zeros(18))


@pytest.mark.parametrize(
    "make",
    [
        lambda: solve(PoseTask("hoof", STILL)),
        lambda: solve(FrameAcceleration("hoof", np.zeros(6))),
        lambda: solve(LeastForce(), contacts=(Contact("hoof"),)),
        lambda: solve_virtual_model(*quadruped(), contacts=feet(), virtual={"hoof": np.zeros(6)}),
    ],
)
def test_unknown_frames_list_those_there_are(make: Callable[[], Any]) -> None:
    with pytest.raises(
        UnknownName, match=r"no frame 'hoof' in robot 'point-foot-quadruped'; there are: .*torso"
    ):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: EndEffectorControl(arm(), "claw", STILL, gains_from(1.0)),
        lambda: OperationalSpaceControl(arm(), "claw", STILL, np.zeros(6), select(), gains_from(1.0)),
        lambda: solve_ik(arm(), np.zeros(7), [frame_position("claw", np.zeros(3))]),
    ],
)
def test_unknown_frames_of_an_arm(make: Callable[[], Any]) -> None:
    with pytest.raises(UnknownName, match=r"no frame 'claw' in robot 'arm-7r'; there are: .*tip"):
        make()


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: PoseTask("torso", BROKEN), InvalidInput, "all entries must be finite"),
        (
            lambda: EndEffectorControl(arm(), "tip", BROKEN, gains_from(1.0)),
            InvalidInput,
            "all entries must be finite",
        ),
        (
            lambda: solve(PoseTask("torso", lambda time: BROKEN)),
            InvalidInput,
            "all entries must be finite",
        ),
        (
            lambda: JointImpedance(arm(), JointReference(np.full(7, np.nan), REST, REST), gains_from(1.0)),
            InvalidInput,
            "q of the reference is .* must be finite",
        ),
        (
            lambda: solve(FrameAcceleration("torso", np.full(6, np.inf))),
            InvalidInput,
            "acceleration of torso.* must be finite",
        ),
        (
            lambda: solve(center_of_mass_position(np.full(3, np.nan))),
            InvalidInput,
            "centre of mass: target is .* must be finite",
        ),
        (lambda: resting_reference(arm(), np.full(7, np.nan)), InvalidInput, "q is .* must be finite"),
        (lambda: frame_position("tip", np.full(3, np.nan)), InvalidInput, "must be finite"),
        (lambda: Contact("LF", (0.0, np.nan, 0.0)), InvalidInput, "3 finite numbers"),
        (lambda: PoseTask("torso", STILL, weight=np.nan), InvalidInput, "weight is .* must be finite"),
        (lambda: level(np.full((1, 2), np.nan), np.zeros(1)), InvalidInput, "must be finite"),
        (lambda: level(np.ones((1, 2)), np.zeros(1), weight=np.nan), InvalidInput, r"weight is \[nan\]"),
        (lambda: solve_quadratic_program(program(gradient=np.full(2, np.nan))), InvalidInput, "finite"),
        (lambda: solve_quadratic_program(program(lower=np.full(2, np.nan))), InvalidInput, "bounds must be"),
        (lambda: support_polygon(np.array([[0.0, 0.0], [1.0, np.nan]])), InvalidInput, "must be finite"),
    ],
)
def test_numbers_that_are_not_finite(make: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (lambda: PoseTask("torso", STILL, rows=()), InvalidInput, "some of x, y, z, rx, ry, rz, each once"),
        (
            lambda: FrameAcceleration("torso", np.zeros(6), rows=("z", "z")),
            InvalidInput,
            "each once",
        ),
        (lambda: center_of_mass_position(np.zeros(3), rows=("rx",)), InvalidInput, "some of 'xyz'"),
        (lambda: solve(), InvalidInput, "no task"),
        (lambda: PoseTask("torso", STRETCHED), InvalidInput, "orthonormal and right-handed"),
        (lambda: PoseTask("torso", MIRRORED), InvalidInput, "orthonormal and right-handed"),
        (lambda: PoseTask("torso", STILL, priority=0.5), InvalidInput, "whole number"),  # type: ignore[arg-type]
        (
            lambda: EndEffectorControl(arm(), "tip", STILL, gains_from(1.0), rows=(0, 0)),
            InvalidInput,
            "some of 0 to 5, each once",
        ),
        (lambda: solve(STILL), InvalidInput, "must have values of type Task"),
        (lambda: solve(LeastForce(), contacts=("LF",)), InvalidInput, "contacts has 'LF'"),  # type: ignore[arg-type]
        (
            lambda: WholeBodyControl(arm(), (), (PostureTask(REST),), WholeBodyLimits(), "least squares"),
            InvalidInput,
            "does not support limits",
        ),
        (lambda: WholeBodyLimits(friction=False, least_force=1.0), InvalidInput, "may pull"),
        (lambda: level(np.ones((1, 2)), np.zeros(1), weight=-1.0), InvalidInput, "at least zero"),
        (lambda: solve_quadratic_program(program(upper=np.ones(3))), InvalidInput, r"upper has shape \(3,\)"),
        (lambda: WholeBodyLimits(facets=2), InvalidInput, "at least 3"),
        (lambda: WholeBodyLimits(facets=4.5), InvalidInput, "a whole number"),  # type: ignore[arg-type]
        (
            lambda: solve_ik(arm(), np.zeros(7), [frame_position("tip", np.zeros(3), weight=0.0)]),
            InvalidInput,
            "weights of all tasks are zero",
        ),
        (lambda: Contact("LF", rows=()), InvalidInput, "some of 0 to 5"),
        (lambda: frame_position("tip", np.zeros(3), rows=""), InvalidInput, "some of 'xyz'"),
        (lambda: build_ik(arm(), np.zeros(7), []), InvalidInput, "no task"),
        (lambda: level(np.zeros((0, 3)), np.zeros(0)), InvalidInput, "rows must agree"),
    ],
)
def test_tasks_without_rows(make: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        make()


def test_contradictory_limits() -> None:
    robot = arm()
    wrong = Bounds(np.full(7, 0.1), np.full(7, -0.1))
    with pytest.raises(InvalidInput, match=r"limits contradict .*by 0\.2 at most"):
        build_ik(robot, np.zeros(7), [posture(robot, np.zeros(7))], bounds=wrong)
    with pytest.raises(InvalidInput, match="approach is 0"):
        Limits(approach=0.0)
    with pytest.raises(InvalidInput, match="horizon is 0"):
        WholeBodyLimits(horizon=0.0)
    with pytest.raises(NoSolution, match="no motion keeps the bounds"):
        solve_hierarchy([level(np.eye(7), np.zeros(7))], bounds=wrong)


def test_tasks_that_cannot_be_met() -> None:
    """Kinematics gives the closest pose and says how far it is, dynamics which limits are missed."""
    robot = arm()
    far = [frame_position("tip", np.array([9.0, 0.0, 0.0]))]
    with pytest.raises(TargetOutOfReach, match="position of tip: ") as caught:
        solve_ik(robot, robot.configuration("ready"), far).require()
    assert caught.value.solution.distance > 5.0
    heavy = table()
    contacts = tuple(Contact(name) for name in ("lf", "rf", "lb", "rb"))
    control = WholeBodyControl(heavy, contacts, (LeastForce(),), WholeBodyLimits(least_force=1e3))
    with pytest.raises(LimitsExceeded, match="missed: friction of contact") as exceeded:
        control.solve(0.0, footfall.neutral(heavy), np.zeros(6))
    assert exceeded.value.problem.limits is not None


def test_references_of_another_robot() -> None:
    rest = resting_reference(arm(), np.zeros(7))
    with pytest.raises(InvalidInput, match=r"q of the reference has shape \(7,\); it must be \(19,\)"):
        solve(PostureTask(rest))
    longer = JointReference(np.zeros(9), np.zeros(9), np.zeros(9))
    with pytest.raises(InvalidInput, match=r"q of the reference has shape \(9,\); it must be \(7,\)"):
        JointImpedance(arm(), longer, gains_from(1.0))
    late = JointImpedance(arm(), lambda time: longer, gains_from(1.0))
    with pytest.raises(InvalidInput, match=r"must be \(7,\)"):
        late(0.0, REST, REST)


def test_one_state_at_a_time() -> None:
    """Kernels take batches, controllers do not."""
    robot, q = quadruped()
    control = WholeBodyControl(robot, feet(), (LeastForce(),))
    with pytest.raises(InvalidInput, match="one state at a time"):
        control.solve(0.0, np.tile(q, (2, 1)), np.zeros((2, 18)))
    reach = EndEffectorControl(arm(), "tip", STILL, gains_from(1.0))
    with pytest.raises(InvalidInput, match=r"q has shape \(2, 7\)"):
        reach.torque(0.0, np.zeros((2, 7)), np.zeros((2, 7)))


def test_sole_whose_length_has_no_direction() -> None:
    """The rectangle lies along the frame's x axis, which must not be the normal: limits would be no numbers."""
    robot, q = quadruped()
    along = tuple(footfall.frame_pose(robot, q, "RB").rotation[:, 0].tolist())
    sole = Contact("RB", rows=SURFACE, normal=along, half_size=(0.05, 0.02))
    control = WholeBodyControl(robot, (sole,), (LeastForce(),), WholeBodyLimits())
    with pytest.raises(InvalidInput, match="contact of 'RB': its normal lies along the frame's x axis"):
        control.solve(0.0, q, np.zeros(18))


def test_plain_lists_and_resting_targets_will_do() -> None:
    """A pose or a configuration alone means to stay there; states may be lists."""
    robot = arm()
    q = robot.configuration("ready")
    pose = footfall.frame_pose(robot, q, "tip")
    weight = footfall.gravity_forces(robot, q)
    reach = EndEffectorControl(robot, "tip", pose, gains_from(1.0), posture=q)
    assert np.abs(reach.torque(0.0, q.tolist(), [0.0] * 7) - weight).max() < 1e-9  # type: ignore[arg-type]
    hold = InverseDynamicsControl(robot, q, gains_from(1.0))
    assert np.abs(hold.torque(0.0, q, REST) - weight).max() < 1e-9
    whole = WholeBodyControl(robot, [], [PoseTask("tip", pose), PostureTask(q, priority=1)])  # type: ignore[arg-type]
    assert np.abs(whole.torque(0.0, q, REST) - weight).max() < 1e-9


def test_gains_are_gains() -> None:
    """A number alone might mean a frequency, a stiffness or a decay."""
    robot = arm()
    q = robot.configuration("ready")
    pose = footfall.frame_pose(robot, q, "tip")
    for gains in (5.0, "stiff", None, (1.0, 2.0), True):
        for make in (
            lambda gains=gains: EndEffectorControl(robot, "tip", pose, gains),
            lambda gains=gains: EndEffectorControl(robot, "tip", pose, gains_from(1.0), posture_gains=gains),
            lambda gains=gains: InverseDynamicsControl(robot, q, gains),
            lambda gains=gains: JointImpedance(robot, q, gains),
            lambda gains=gains: OperationalSpaceControl(robot, "tip", pose, np.zeros(6), select(), gains),
        ):
            with pytest.raises(InvalidInput, match=r"gains are .*; give Gains\(stiffness, damping\)"):
                make()


def test_one_of_a_list_and_what_is_no_list() -> None:
    robot, _ = quadruped()
    alone = WholeBodyControl(robot, feet()[0], LeastForce())  # type: ignore[arg-type]
    assert alone.contacts == (feet()[0],)
    assert alone.tasks == (LeastForce(),)
    with pytest.raises(InvalidInput, match="tasks is 3; it must be a list of values of type Task"):
        WholeBodyControl(robot, feet(), 3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="limits are 3; they must be WholeBodyLimits"):
        WholeBodyControl(robot, feet(), (LeastForce(),), 3)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="is True; give 3 flags each, True or False"):
        select(motion=True)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="3 flags each, True or False"):
        select(turning=("x", "y", "z"))  # type: ignore[arg-type]


def test_hybrid_control_refuses_what_it_cannot_read() -> None:
    robot = arm()
    task = PoseTask("tip", STILL)
    for options, match in (
        ({"progress": 3}, "progress is 3; hand on the `progress`"),
        ({"measured": 3}, "measured is 3; it must have wrenches"),
        ({"measured": {"tip": np.zeros(2)}}, r"measured of 'tip' has shape \(2,\); it must be \(6,\)"),
        ({"measured": {"hand": np.zeros(6)}}, "no frame.*'hand'"),
    ):
        with pytest.raises((InvalidInput, UnknownName), match=match):
            solve_tasks(robot, REST, REST, REST, [task], **options)  # type: ignore[arg-type]
    for given in (None, 3):
        with pytest.raises(InvalidInput, match="must be a list of values of type Task"):
            solve_tasks(robot, REST, REST, REST, given)  # type: ignore[arg-type]
    one = Constraint("tip", ("x",))
    for solve in (hybrid_dynamics, resolve_constraints):
        with pytest.raises(InvalidInput, match="give a list, with one"):
            solve(robot, REST, REST, REST, constraints=one)


@pytest.mark.parametrize(
    "call",
    [
        lambda: solve_ik("lola", np.zeros(3), [frame_position("tip", np.zeros(3))]),  # type: ignore[arg-type]
        lambda: footfall.neutral("lola"),  # type: ignore[arg-type]
        lambda: footfall.random_configuration("lola"),  # type: ignore[arg-type]
        lambda: JointImpedance("lola", np.zeros(3), gains_from(1.0)),  # type: ignore[arg-type]
        lambda: WholeBodyControl("lola", [], []),  # type: ignore[arg-type]
        lambda: footfall.RecordingWriter("run.mcap", "lola"),  # type: ignore[arg-type]
        lambda: footfall.Simulation("lola", "flat"),  # type: ignore[arg-type]
    ],
)
def test_a_name_is_no_robot(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"argument is a robot, not 'lola'; use footfall\.load"):
        call()


def test_starts_of_another_robot_are_told_by_name() -> None:
    arm, task = footfall.load("arm-7r"), frame_position("tip", np.zeros(3))
    with pytest.raises(InvalidInput, match=r"q has shape \(6,\); it must be \(7,\)"):
        solve_ik(arm, np.zeros(6), [task])
    with pytest.raises(InvalidInput, match="all entries must be finite"):
        solve_ik(arm, np.full(7, np.nan), [task])


def test_the_method_hold_is_not_its_command() -> None:
    simulation = footfall.Simulation(footfall.load("arm-7r"))
    with pytest.raises(TypeError, match=r"simulation\.hold\(\) is the command"):
        simulation.run(simulation.hold, 0.1)  # type: ignore[arg-type]

"""Pressing with a felt force: on a rough table that the controller does not know, and from above it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.control.gains import gains_from
from footfall.control.inverse_kinematics.position import solve_ik
from footfall.control.operational_space import (
    ForceControl,
    OperationalSpaceControl,
    contact_wrench,
    run_feeling,
    select,
)
from footfall.control.references import PoseReference
from footfall.control.tasks.poses import PoseTask
from footfall.errors import InvalidInput
from footfall.geometry.plane import Plane
from footfall.math.rotations import boxplus
from footfall.math.transform import Transform
from footfall.scene.model import Material
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.run_values import Trajectory
from footfall.simulation.simulation import Simulation

ARM = footfall.load("arm-7r")
READY = ARM.configuration("ready")
START = footfall.frame_pose(ARM, READY, "tip")
BALL, PRESSED = 0.02, 30.0  # m, N


def circle(time: float) -> PoseReference:
    """Of 8 cm, once in two seconds, at rest for the first half a second."""
    turn, rate = np.pi * max(0.0, time - 0.5), np.pi if time > 0.5 else 0.0
    out, along = (
        np.array([np.cos(turn) - 1.0, np.sin(turn), 0.0]),
        np.array([-np.sin(turn), np.cos(turn), 0.0]),
    )
    inward = -np.array([np.cos(turn), np.sin(turn), 0.0])
    zero = np.zeros(3)
    return PoseReference(
        Transform(START.rotation, START.translation + 0.08 * out),
        np.concatenate([0.08 * rate * along, zero]),
        np.concatenate([0.08 * rate**2 * inward, zero]),
    )


def pressing(path: object = circle) -> OperationalSpaceControl:
    wrench = np.array([0.0, 0.0, -PRESSED, 0.0, 0.0, 0.0])
    chosen = select(motion=(True, True, False))
    return OperationalSpaceControl(ARM, "tip", path, wrench, chosen, gains_from(2.0), posture=READY)  # type: ignore[arg-type]


def table(*, friction: float, gap: float = 0.0) -> Simulation:
    height = START.translation[2] - BALL - gap
    surface = Surface(
        Plane(),
        Transform(np.eye(3), np.array([0.0, 0.0, height])),
        material=Material(friction=friction, restitution=0.0),
    )
    return FeetSimulation(
        ARM, candidates=[Candidate("tip", (0.0, 0.0, 0.0), BALL, surface)], q=READY, dt=1e-3
    )


def path_error(run: Trajectory, after: float) -> float:
    """Greatest distance from the circle in the plane, m."""
    late = np.flatnonzero(run.time > after)[::20]
    tips = np.array([footfall.frame_pose(ARM, run.q[k], "tip").translation for k in late])
    wanted = np.array([circle(float(run.time[k])).pose.translation for k in late])
    return float(np.linalg.norm((tips - wanted)[:, :2], axis=1).max())


def test_friction_that_nobody_knows_of() -> None:
    """A coefficient of 0.3: fed forward the force is a third off and the path by centimetres; felt, it is right."""
    hoped = table(friction=0.3).run(pressing(), 3.0)
    felt = run_feeling(table(friction=0.3), ForceControl(pressing()), 3.0, frame="tip")
    forces = [run.forces[run.time > 1.5, 0, 2] for run in (hoped, felt)]
    assert np.abs(forces[0] - PRESSED).max() > 0.2 * PRESSED
    assert path_error(hoped, 1.5) > 0.03
    assert np.abs(forces[1] - PRESSED).max() < 0.005 * PRESSED
    assert path_error(felt, 1.5) < 0.004


@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_contact_is_made_without_an_impact(friction: float) -> None:
    """From 2 cm above: fed forward, the tip falls with all its force; feeling, it comes with 1 cm/s."""
    still = replace(pressing(), path=START)
    blow = table(friction=friction, gap=0.02).run(still, 1.0).forces[:, 0, 2].max()
    run = run_feeling(table(friction=friction, gap=0.02), ForceControl(still), 3.0, frame="tip")
    assert blow > 500.0
    assert run.forces[:, 0, 2].max() < 1.2 * PRESSED
    assert run.forces[run.time > 2.5, 0, 2] == pytest.approx(PRESSED, rel=0.01)
    speeds = [footfall.frame_velocity(ARM, q, v, "tip")[2] for q, v in zip(run.q, run.v, strict=True)]
    assert min(speeds) > -0.012


def test_what_is_missing_is_added_up_to_a_bound() -> None:
    """A sensor that always tells too little: the pressing force grows from zero, to a bound."""
    control = ForceControl(replace(pressing(), path=START), integral=10.0, most=35.0)
    felt, zero = np.array([0.0, 0.0, 10.0, 0.0, 0.0, 0.0]), np.zeros(7)
    torques = [control.torque(0.01 * k, READY, zero, felt) for k in range(500)]
    jacobian = footfall.frame_jacobian(ARM, READY, "tip")
    pushed = [np.linalg.lstsq(jacobian.T, torque - torques[0], rcond=None)[0][2] for torque in torques]
    assert pushed[10] == pytest.approx(-10.0 * 0.1 * 20.0, rel=1e-6)  # 20 N are missing, for 0.1 s
    assert pushed[-1] == pytest.approx(-PRESSED - 35.0, rel=1e-6)
    again = control.torque(0.0, READY, zero, felt)  # a new run
    np.testing.assert_allclose(again, torques[0], atol=1e-9)


def test_wrenches_of_contacts() -> None:
    positions, forces = (
        np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.5]]),
        np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.0]]),
    )
    wrench = contact_wrench(ARM, READY, "tip", positions, forces)
    origin = START.translation
    moment = sum(np.cross(p - origin, f) for p, f in zip(positions, forces, strict=True))
    np.testing.assert_allclose(wrench, [1.0, 1.0, 3.0, *np.asarray(moment)], atol=1e-12)


def test_bad_input() -> None:
    with pytest.raises(InvalidInput, match="integral is -1"):
        ForceControl(pressing(), integral=-1.0)
    with pytest.raises(InvalidInput, match="smoothing is 0"):
        ForceControl(pressing(), smoothing=0.0)
    with pytest.raises(InvalidInput, match="must be an OperationalSpaceControl"):
        ForceControl(gains_from(1.0))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"felt has shape \(3,\); it must be \(6,\)"):
        ForceControl(pressing()).torque(0.0, READY, np.zeros(7), np.zeros(3))


def _hole(clearance: float, place: Array) -> list[Candidate]:
    """Four walls around an upright hole, for balls of 1 cm at both ends of a pin of 10 cm below the tip."""
    candidates = []
    for normal in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        inward = np.array([*normal, 0.0])
        sideways = np.cross([0.0, 0.0, 1.0], inward)
        axes = np.column_stack([np.cross(sideways, inward), sideways, inward])
        wall = Surface(
            Plane(),
            Transform(axes, place - (0.01 + clearance) * inward),
            material=Material(friction=0.1, restitution=0.0),
        )
        candidates += [Candidate("tip", (0.0, 0.0, z), 0.01, wall) for z in (0.0, 0.1)]
    return candidates


def test_a_pin_in_a_hole() -> None:
    """Motion along the hole and about it, no force or moment across (RSL 2022, (3.97)-(3.99)).

    The path is 5 mm and 0.03 rad off the hole, which has a tenth of a millimetre of room. Stiff motion control wedges;
    with the selection of a pin the pin goes in, and nothing presses but friction and the inertia of the arm.
    """
    upright = Transform(np.diag([1.0, -1.0, -1.0]), START.translation + np.array([0.0, 0.0, 0.1]))
    q = solve_ik(ARM, READY, [PoseTask("tip", upright)], restarts=5).require()
    start = footfall.frame_pose(ARM, q, "tip")

    def path(time: float) -> PoseReference:
        depth, speed = -0.05 * time, -0.05
        wrong = np.array([0.005 * min(time, 1.0), 0.0, depth])
        turn = boxplus(start.rotation, np.array([0.03 * min(time, 1.0), 0.0, 0.0]))
        return PoseReference(
            Transform(turn, start.translation + wrong),
            np.array([0.0, 0.0, speed, 0.0, 0.0, 0.0]),
            np.zeros(6),
        )

    forces = {}
    for name, chosen in (
        ("pin", select(motion=(False, False, True), turning=(False, False, True))),
        ("stiff", select()),
    ):
        control = OperationalSpaceControl(
            ARM, "tip", path, np.zeros(6), chosen, gains_from(3.0), force_damping=20.0, posture=q
        )
        simulation = FeetSimulation(ARM, candidates=_hole(1e-4, start.translation), q=q, dt=1e-3)
        run = simulation.run(control, 2.0)
        forces[name] = float(np.linalg.norm(run.forces[run.time > 0.2], axis=2).sum(axis=1).max())
        depth = footfall.frame_pose(ARM, simulation.state.q, "tip").translation[2] - start.translation[2]
        if name == "pin":
            assert depth == pytest.approx(-0.1, abs=2e-3)
    assert forces["pin"] < 3.0
    assert forces["stiff"] > 10.0 * forces["pin"]


def test_the_force_of_contact_by_its_old_name() -> None:
    with pytest.warns(DeprecationWarning, match="contact_force="):
        control = ForceControl(pressing(), touch=2.0)  # type: ignore[call-arg]
    with pytest.warns(DeprecationWarning, match="ForceControl.touch is now contact_force"):
        assert control.contact_force == control.touch == 2.0

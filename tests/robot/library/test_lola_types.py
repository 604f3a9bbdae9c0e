"""Models of Types 1 to 3 of Schwienbacher 2014, table 2.3: counts, sparsity, sub-systems, and that gears do what they
say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import footfall
from footfall.drives import CameraVergence, DriveSet, model_types
from footfall.dynamics.loops import Coupling
from footfall.errors import RobotError
from footfall.robot.drives.geared_rotors import with_geared_rotors
from footfall.robot.drives.rotor_bodies import rotor_name, with_rotor_bodies
from footfall.robot.library import lola_2012
from footfall.robot.model import Robot
from footfall.robot.toml import parse_toml
from footfall.robot.toml_writer import toml_text
from tests.robot.comparison import difference, tree_difference
from tests.robot.library.sparsity import nonzeros_of_mass_matrix

OLD = lola_2012()


@cache
def model(number: int) -> Robot:
    return lola_2012(number)


def state(robot: Robot, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    q = footfall.integrate.textbook(robot, robot.configuration("idle"), 0.1 * random.normal(size=robot.nv))
    return np.asarray(q, dtype=float), random.normal(size=robot.nv), 10.0 * random.normal(size=robot.nv)


def test_equations_are_those_of_the_models() -> None:
    """#ODE = 2 mechanical + contact + electrical, Schwienbacher 2014, with the degrees of freedom of the robots."""
    equations = []
    for kind in model_types():
        robot = model(int(kind.robot[-1]))
        motors = DriveSet(OLD, OLD.drives).motors if kind.drive_dynamics else 0
        assert (robot.nv, motors) == (kind.mechanical, kind.electrical)
        equations.append(2 * robot.nv + kind.contact + motors)
    assert equations == [60, 132, 164, 948, 980]
    assert footfall.load("lola-2012-type-3").nv == 46


@pytest.mark.parametrize(
    ("number", "nonzeros", "dense", "gain"), [(2, 267, 465, 3.0331), (3, 420, 1081, 6.6245)]
)
def test_sparsity(number: int, nonzeros: int, dense: int, gain: float) -> None:
    """Table 2.4 of the source."""
    robot = model(number)
    found = nonzeros_of_mass_matrix(robot)
    assert (found, robot.nv * (robot.nv + 1) // 2) == (nonzeros, dense)
    assert (dense / found) ** 2 == pytest.approx(gain, abs=1e-4)
    q, *_ = state(robot)
    matrix = np.tril(np.asarray(footfall.mass_matrix.textbook(robot, q), dtype=float))
    assert np.count_nonzero(np.abs(matrix) > 1e-12) <= nonzeros
    if number == 3:  # massless motors do not answer to the base's slides
        assert np.count_nonzero(np.abs(matrix) > 1e-12) <= nonzeros - 16 * 3


def test_subsystems_are_those_of_the_source() -> None:
    """Schwienbacher 2014, chapter 2: a rotor with its link, a knee with its screw, an ankle with two screws (and their
    nuts)."""
    for number, pairs in ((2, 20), (3, 4)):
        structure = model(number).tree.loops
        assert structure is not None
        sizes = Counter(len(each.links) for each in structure.subsystems if each.cuts)
        assert sizes == {2: pairs, 6: 2}


def test_rotors_turn_as_the_mechanisms_say() -> None:
    robot = model(2)
    drives = DriveSet(OLD, OLD.drives)
    q, v, _ = state(robot)
    q_old = np.concatenate([q[robot.q_slice(joint.name)] for joint in OLD.joints])
    angles = [q[robot.q_slice(rotor_name(name))][0] for name in drives.joints]
    np.testing.assert_allclose(angles, drives.motor_position(q_old), rtol=1e-9, atol=1e-9)
    v_old = np.concatenate([v[robot.v_slice(joint.name)] for joint in OLD.joints])
    spins = Coupling(robot, q).velocity(v)
    spins = [spins[robot.spanning.v_slice(rotor_name(name))][0] for name in drives.joints]
    np.testing.assert_allclose(spins, drives.motor_jacobian(q_old) @ v_old, rtol=1e-8)


@pytest.mark.parametrize("number", [2, 3])
def test_methods_agree(number: int) -> None:
    """Accelerations by all methods, and in residual form by inverse dynamics."""
    robot = model(number)
    q, v, tau = state(robot, 3)
    found = {
        method: np.asarray(footfall.forward_dynamics.textbook(robot, q, v, tau, method=method), dtype=float)
        for method in ("articulated", "factorised", "dense")
    }
    needed = np.asarray(footfall.inverse_dynamics.textbook(robot, q, v, found["articulated"]), dtype=float)
    assert np.linalg.norm(needed - tau) < 1e-10 * np.linalg.norm(tau)
    for method in ("factorised", "dense"):
        difference = np.linalg.norm(found[method] - found["articulated"])
        assert difference < 1e-9 * np.linalg.norm(found["articulated"])


def test_geared_rotors_weigh_as_the_simulation_has_them() -> None:
    """The mass matrix of Type 2 is that of the bare robot and what `coupled_inertia` adds; the nuts add a gram each."""
    robot = model(2)
    q, *_ = state(robot, 5)
    q_old = np.concatenate([q[robot.q_slice(joint.name)] for joint in OLD.joints])
    drives = DriveSet(OLD, OLD.drives)
    spins = np.zeros((drives.motors, OLD.nv))
    row = 0
    for drive in drives:
        joint = OLD.joint(drive.joints[0])
        turn = footfall.frame_pose.textbook(OLD, q_old, joint.parent).rotation
        axes = drive.rotor_axes or (joint.placement.rotation @ np.array(joint.axis),)
        angular = np.asarray(footfall.frame_jacobian.textbook(OLD, q_old, joint.parent), dtype=float)[3:]
        for axis in axes:
            spins[row] = (turn @ np.array(axis)) @ angular
            row += 1
    bare = np.asarray(footfall.mass_matrix.textbook(OLD, q_old), dtype=float)
    expected = bare + drives.coupled_inertia(q_old, spins)
    found = np.asarray(footfall.mass_matrix.textbook(robot, q), dtype=float)
    order = [robot.v_slice(joint.name) for joint in OLD.joints]
    places = np.concatenate([np.arange(place.start, place.stop) for place in order])
    difference = found[np.ix_(places, places)] - expected
    assert np.abs(difference).max() < 4e-3 * 2.0  # four nuts, at most 1.4 m from the base's origin
    assert np.abs(bare - expected).max() > 0.5


@pytest.mark.parametrize("number", [1, 2, 3])
def test_written_and_read_again(number: int) -> None:
    robot = model(number)
    again = parse_toml(toml_text(robot))
    assert tree_difference(robot, again) < 1e-12
    assert difference(robot.loops, again.loops) == 0.0
    assert difference(robot.configuration("idle"), again.configuration("idle")) < 1e-9


def test_mechanisms_without_a_form_as_loops_are_refused() -> None:
    pan = next(drive for drive in OLD.drives if drive.joints == ("vp",))
    crank = CameraVergence(
        0.02, 0.05, -0.015, np.array([0.03, 0.0, 0.03]), np.array([0.005, 0.0, -0.008]), 20.0, 0.1
    )
    with pytest.raises(RobotError, match="axes of its rotors are not known"):
        with_rotor_bodies(OLD, [replace(pan, mechanism=crank)])
    with pytest.raises(RobotError, match="CameraVergence has no form as a loop"):
        with_geared_rotors(OLD, [replace(pan, mechanism=crank, rotor_axes=((1.0, 0.0, 0.0),))])


def test_there_are_three() -> None:
    with pytest.raises(RobotError, match="1, 2 or 3"):
        lola_2012(4)

"""Vectors in Pinocchio's conventions: joints of all kinds, from our robots and from its own reading of files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.bench.agreement import relative_error
from footfall.errors import UnknownName, UnsupportedFeature
from footfall.robot.model import JointType
from footfall.robot.urdf import read_urdf
from tests.random_robots import random_robot, random_state

pytest.importorskip("pinocchio")

import pinocchio as pin

from footfall.bench.pinocchio import FreeFlyerModel, PinocchioModel

_LINK = (
    '<link name="{}"><inertial><mass value="1"/><origin xyz="0.1 0.2 0.3"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)


def urdf(folder: Path, *joints: tuple[str, str, str]) -> Path:
    """A star of bodies on a root. joints: name, type and axis."""
    text = '<link name="root"/>'
    for name, kind, axis in joints:
        limit = '<limit effort="1" velocity="1" lower="-1" upper="1"/>'
        ends = f'<parent link="root"/><child link="{name}-body"/>'
        text += _LINK.format(f"{name}-body")
        text += f'<joint name="{name}" type="{kind}"><axis xyz="{axis}"/>{ends}{limit}</joint>'
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="star">{text}</robot>', encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", [kind for kind in JointType if kind is not JointType.FIXED])
def test_one_joint_of_each_kind(kind: JointType) -> None:
    """Also with a single velocity, for which Pinocchio's bindings drop an axis."""
    robot = random_robot(5, types=[kind])
    model = PinocchioModel.from_robot(robot)
    q, v, a, _ = random_state(robot, 1)
    forces = pin.rnea(model.model, model.data, model.q(q), model.v(v), model.v(a))
    ours = footfall.inverse_dynamics.textbook(robot, q, v, a)
    assert relative_error(ours, model.vector(forces), scale=1.0) < 1e-12
    matrix = model.symmetric(pin.crba(model.model, model.data, model.q(q)))
    assert relative_error(footfall.mass_matrix.textbook(robot, q), matrix) < 1e-12
    motions = model.columns(pin.computeJointJacobians(model.model, model.data, model.q(q)))
    assert motions.shape == (6, robot.nv)


def test_order_and_continuous_joints_of_files(tmp_path: Path) -> None:
    """Children come alphabetically; joints without stops, along an axis of the frame or not, as (cos, sin)."""
    path = urdf(
        tmp_path, ("c", "continuous", "0 0 1"), ("b", "revolute", "0 1 0"), ("a", "continuous", "0 0.6 0.8")
    )
    robot = read_urdf(path)
    assert [joint.name for joint in robot.joints if joint.type is not JointType.FIXED] == ["c", "b", "a"]
    model = PinocchioModel.from_urdf(robot, path, floating_base=False)
    assert model.order_v.tolist() == [2, 1, 0]
    q = np.array([0.3, 0.5, 2.0])
    expected = [np.cos(2.0), np.sin(2.0), 0.5, np.cos(0.3), np.sin(0.3)]
    assert model.q(q) == pytest.approx(expected, abs=1e-15)
    gravity = model.vector(pin.computeGeneralizedGravity(model.model, model.data, model.q(q)))
    assert relative_error(footfall.gravity_forces.textbook(robot, q), gravity) < 1e-12


def test_other_tangent_spaces_are_refused(tmp_path: Path) -> None:
    """Rates of Pinocchio's free flyer and planar joint are in body axes."""
    robot = random_robot(5, types=["floating"], floating_base=True)
    free = pin.Model()
    free.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
    with pytest.raises(UnsupportedFeature, match="JointModelFreeFlyer"):
        PinocchioModel(robot, free)
    assert FreeFlyerModel(robot, free).order_v.tolist() == list(range(6))
    path = urdf(tmp_path, ("slide", "planar", "0 0 1"))
    with pytest.raises(UnsupportedFeature, match="JointModelPlanar"):
        PinocchioModel.from_urdf(read_urdf(path), path, floating_base=False)


def test_what_does_not_fit_is_named() -> None:
    one, two = footfall.load("chain-2"), footfall.load("chain-3")
    model = PinocchioModel.from_robot(two).model
    with pytest.raises(UnsupportedFeature, match="2 velocities, Pinocchio's model of it has 3"):
        PinocchioModel(one, model)
    with pytest.raises(UnknownName, match="joint"):
        FreeFlyerModel(footfall.load("wrist"), model)
    with pytest.raises(UnknownName, match="frame 'toe'"):
        PinocchioModel.from_robot(two).frame_id("toe")


def test_what_is_not_a_number_is_no_agreement() -> None:
    assert relative_error([np.nan, 1.0], [1.0, 1.0]) == np.inf

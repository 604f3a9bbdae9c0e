"""All URDF files of example-robot-data load, and agree with Pinocchio on what they are."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from footfall.bench.robots import examples_folder
from footfall.errors import RobotError, RobotWarning
from footfall.robot.load import load
from footfall.robot.model import JointType, Mesh

pin = pytest.importorskip("pinocchio")

FOLDER = examples_folder()
if FOLDER is None:
    pytest.skip("example-robot-data is not installed", allow_module_level=True)
FILES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.urdf"))

# Files that are wrong, and what is said about them; strict=False loads them but for the last.
FLAWED = {
    "alex_description/urdf/alex_psyonic_hands.urdf": (RobotError, "mimicked joint 'index_q1'"),
    "romeo_description/urdf/romeo.urdf": (RobotError, "joint 'RThumb3'"),
    "romeo_description/urdf/romeo_laas_small.urdf": (RobotError, "body 'LHipPitch_link'"),
    "ur_description/urdf/ur3.urdf": (RobotError, "xacro"),
}


def test_there_are_files() -> None:
    assert len(FILES) > 60


@pytest.mark.parametrize("name", FILES)
@pytest.mark.filterwarnings("ignore::footfall.errors.RobotWarning")
def test_agrees_with_pinocchio(name: str) -> None:
    path = FOLDER / name
    if name in FLAWED:
        error, message = FLAWED[name]
        with pytest.raises(error, match=message):
            load(path)
        if error is RobotError:
            return
    robot = load(path, strict=name not in FLAWED)
    model = pin.buildModelFromUrdf(str(path))
    moving = [joint for joint in robot.joints if joint.type is not JointType.FIXED]
    assert {joint.name for joint in moving} == set(model.names) - {"universe"}
    assert robot.nv == model.nv
    # Pinocchio counts cosine and sine of joints without stops
    assert robot.nq == model.nq - sum(joint.type is JointType.CONTINUOUS for joint in moving)
    assert robot.mass == pytest.approx(sum(inertia.mass for inertia in model.inertias), rel=1e-12)
    for joint in moving:
        index = model.joints[model.getJointId(joint.name)].idx_v
        effort = (
            model.upperEffortLimit[index] if hasattr(model, "upperEffortLimit") else model.effortLimit[index]
        )
        if joint.effort:
            assert joint.effort[0] == pytest.approx(effort)
        assert joint.damping == pytest.approx(model.damping[index])
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    for body in robot.bodies:
        theirs = data.oMf[model.getFrameId(body.name, pin.FrameType.BODY)]
        attachment = robot.tree.attachments[body.name]
        pose = attachment.placement
        link = attachment.link
        while link >= 0:
            pose = robot.tree.links[link].neutral @ pose
            link = robot.tree.links[link].parent
        np.testing.assert_allclose(pose.translation, theirs.translation, atol=1e-10)
        np.testing.assert_allclose(pose.rotation, theirs.rotation, atol=1e-10)


def test_meshes_are_found() -> None:
    shapes = [
        geometry.shape
        for body in load(FOLDER / "talos_data/robots/talos_reduced.urdf").bodies
        for geometry in body.visuals + body.collisions
    ]
    meshes = [shape for shape in shapes if isinstance(shape, Mesh)]
    assert len(meshes) > 20
    assert all(Path(mesh.path).is_file() for mesh in meshes)


def test_flaws_that_only_warn_name_the_line() -> None:
    with pytest.warns(RobotWarning, match=r"romeo_small\.urdf:\d+: body 'R\w+YawLink': principal moments"):
        load(FOLDER / "romeo_description/urdf/romeo_small.urdf")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(FOLDER / "solo_description/robots/solo12.urdf")
        load(FOLDER / "b1_description/urdf/b1.urdf")  # 1e-6 everywhere on a base that is fixed to the trunk

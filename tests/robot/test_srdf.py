"""SRDF: named configurations, groups and pairs that never touch, found beside a URDF or given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.bench.robots import examples_folder
from footfall.errors import MissingFile, RobotError
from footfall.robot.load import load
from footfall.robot.srdf import find_srdf, read_srdf

URDF = """<robot name="leg">
  <link name="hip">INERTIAL</link>
  <link name="thigh">INERTIAL</link>
  <link name="calf">INERTIAL</link>
  <link name="toe"/>
  <joint name="swing" type="revolute"><parent link="hip"/><child link="thigh"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="5"/></joint>
  <joint name="knee" type="revolute"><parent link="thigh"/><child link="calf"/><axis xyz="0 1 0"/>
    <limit lower="-2.7" upper="-0.8" effort="10" velocity="5"/></joint>
  <joint name="tip" type="fixed"><parent link="calf"/><child link="toe"/></joint>
</robot>""".replace(
    "INERTIAL",
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>',
)

SRDF = """<robot name="leg">
  <group name="upper"><joint name="swing"/></group>
  <group name="lower"><chain base_link="thigh" tip_link="toe"/></group>
  <group name="all"><group name="upper"/><group name="lower"/><group name="all"/><link name="calf"/></group>
  <group_state name="stand" group="all">
    <joint name="root_joint" value="0.1 0.2 0.5 0 0 0.6 0.8"/>
    <joint name="swing" value="0.4"/>
    <joint name="of_another_robot" value="3"/>
  </group_state>
  <group_state name="stand" group="lower"><joint name="knee" value="-0.9"/></group_state>
  <disable_collisions link1="hip" link2="calf" reason="Never"/>
  <disable_collisions link1="calf" link2="hip" reason="Never"/>
  <disable_collisions link1="hip" link2="nobody" reason="Never"/>
</robot>"""


@pytest.fixture
def description(tmp_path: Path) -> Path:
    (tmp_path / "urdf").mkdir()
    (tmp_path / "srdf").mkdir()
    (tmp_path / "srdf" / "leg.srdf").write_text(SRDF)
    path = tmp_path / "urdf" / "leg_v2.urdf"
    path.write_text(URDF)
    return path


def test_what_lies_beside_is_read(description: Path) -> None:
    robot = load(description, floating_base=True)
    # position, quaternion with the scalar first, then the joints: two states of one name are one
    np.testing.assert_allclose(robot.configuration("stand"), [0.1, 0.2, 0.5, 0.8, 0, 0, 0.6, 0.4, -0.9])
    assert dict(robot.groups) == {"upper": ("swing",), "lower": ("knee",), "all": ("swing", "knee")}
    assert robot.apart == (("hip", "calf"),)


def test_a_fixed_root_stays_where_it_is(description: Path) -> None:
    np.testing.assert_allclose(load(description).configuration("stand"), [0.4, -0.9])


def test_it_can_be_left_out_and_given(description: Path, tmp_path: Path) -> None:
    assert not load(description, srdf=False).configurations
    other = tmp_path / "anything.srdf"
    other.write_text(
        '<robot name="x"><group_state name="up"><joint name="swing" value="1"/></group_state></robot>'
    )
    robot = load(description, srdf=other)
    # What is not named is neutral, inside the limits: a tenth of 1.9 rad from the stop at -0.8.
    np.testing.assert_allclose(robot.configuration("up"), [1.0, -0.99])
    with pytest.raises(MissingFile):
        load(description, srdf=tmp_path / "missing.srdf")


def test_that_of_another_robot_is_not_taken(description: Path) -> None:
    """Its name fits, its joints do not."""
    path = description.parent.parent / "srdf" / "leg.srdf"
    path.write_text(SRDF.replace('"swing"', '"a"').replace('"knee"', '"b"').replace("hip", "c"))
    assert find_srdf(description, load(description, srdf=False)) is None


def test_the_longest_name_counts(description: Path) -> None:
    better = description.parent / "leg_v2.srdf"
    better.write_text(SRDF.replace("-0.9", "-1.5"))
    assert load(description).configuration("stand")[1] == -1.5


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.srdf"
    path.write_text(
        '<robot name="x">\n<group_state name="up"><joint name="j" value="far"/></group_state></robot>'
    )
    with pytest.raises(RobotError, match=r"a\.srdf:2: 'value' of <joint> is 'far'"):
        read_srdf(path)
    path.write_text("<sdf/>")
    with pytest.raises(RobotError, match="an SRDF has <robot>"):
        read_srdf(path)


@pytest.mark.parametrize("suffix", [".toml", ".xml"])
def test_pairs_survive_files(description: Path, tmp_path: Path, suffix: str) -> None:
    if suffix == ".xml":
        pytest.importorskip("mujoco")
    robot = load(description, floating_base=True)
    footfall.save(robot, tmp_path / f"copy{suffix}")
    assert load(tmp_path / f"copy{suffix}").apart == robot.apart


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
@pytest.mark.parametrize(
    ("urdf", "srdf", "name"),
    [
        ("go2_description/urdf/go2.urdf", "go2_description/srdf/go2.srdf", "standing"),
        ("talos_data/robots/talos_full_v2.urdf", "talos_data/srdf/talos.srdf", "half_sitting"),
        ("anymal_b_simple_description/robots/anymal-kinova.urdf", None, "standing_with_arm_up"),
        ("hyq_description/robots/hyq_no_sensors.urdf", "hyq_description/srdf/hyq.srdf", "straight_standing"),
    ],
)
def test_configurations_agree_with_pinocchio(urdf: str, srdf: str | None, name: str) -> None:
    pinocchio = pytest.importorskip("pinocchio")
    folder = examples_folder()
    assert folder is not None
    path = folder / urdf
    robot = load(path, floating_base=True)
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    semantic = find_srdf(path, robot)
    assert semantic is not None
    if srdf is not None:
        assert semantic.path.resolve() == (folder / srdf).resolve()
    pinocchio.loadReferenceConfigurations(model, str(semantic.path), False)
    theirs = model.referenceConfigurations[name]
    ours = robot.configuration(name)
    np.testing.assert_allclose(ours[:3], theirs[:3])
    np.testing.assert_allclose(ours[[4, 5, 6, 3]], theirs[3:7], atol=1e-12)
    for joint in robot.joint_names[1:]:
        place = model.joints[model.getJointId(joint)].idx_q
        assert ours[robot.q_slice(joint)][0] == pytest.approx(theirs[place], abs=1e-12), joint

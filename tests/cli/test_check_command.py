"""`footfall check`: what a robot needs to walk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import footfall
from footfall.bench.robots import examples_folder
from footfall.cli.application import app
from footfall.errors import InvalidInput, MisplacedFrame, UnknownName, UnsuitableRobot
from footfall.motion.landmarks import landmarks
from footfall.motion.soles import foot_points
from footfall.motion.walk_check import check_walking
from footfall.robot.parts import Joint
from footfall.walking.body import walking_body
from footfall.walking.request import WalkRequest, of_now, read_request, write_request
from footfall.walking.session import WalkSession
from footfall.walking.walk import walk

RUN = CliRunner().invoke


def test_lola_can_walk() -> None:
    result = RUN(app, ["check", "lola"])
    assert result.exit_code == 0, result.output
    assert "it can walk" in result.output
    assert "inside the soles" in result.output
    assert "mm off its goal" in result.output


def test_check_says_what_a_walk_comes_to(tmp_path: Path) -> None:
    """A knee that is planned within its limits, but has to be faster in closed loop, walks neither here nor there."""
    lola = footfall.load("lola")
    slow = replace(lola, drives=(), joints=tuple(_slowed(joint) for joint in lola.joints))
    footfall.save(slow, tmp_path / "slow.toml")
    quick = RUN(app, ["check", str(tmp_path / "slow.toml"), "--quick"])
    assert quick.exit_code == 0, quick.output
    checked = RUN(app, ["check", str(tmp_path / "slow.toml")])
    assert checked.exit_code == 1
    assert "it cannot walk: closed loop" in checked.output
    assert "joint 'kfl' at up to" in " ".join(checked.output.split())
    walked = walk(WalkRequest(scene="flat", goal=(1.0, 0.0, 0.0), robot=str(tmp_path / "slow.toml"))).summary
    assert not walked.reached
    assert "joint 'kfl' at up to" in " ".join(walked.limits_passed)


def _slowed(joint: Joint) -> Joint:
    return replace(joint, velocity=(0.3,)) if joint.name == "kfl" else joint


def test_an_arm_cannot() -> None:
    result = RUN(app, ["check", "arm-7r"])
    assert result.exit_code == 1
    assert "floating base" in " ".join(result.output.split())
    assert "footfall workspace" in " ".join(result.output.split())
    assert RUN(app, ["check", "lola", "--sole", "1,2"]).exit_code == 2
    assert isinstance(RUN(app, ["check", "lola", "--sole", "1,1,1,1"]).exception, InvalidInput)
    assert RUN(app, ["check", "lola", "--frame", "RF"]).exit_code == 2


def test_what_is_missing_is_named() -> None:
    """Each thing that is taken away is found, and what was found before it stays."""
    four_legs = check_walking(footfall.load("quadruped"))
    assert [finding.what for finding in four_legs] == ["base", "frames"]
    assert four_legs[-1].state == "missing"
    assert "--frame" in four_legs[-1].advice
    lola = footfall.load("lola")
    blind = check_walking(lola, frames={"VTCP": "UB"}, sole=(-0.2336, 0.0425, -0.11, 0.11))
    assert next(finding.state for finding in blind if finding.what == "head") == "weak"
    tiny = check_walking(lola, sole=(-0.005, 0.005, -0.005, 0.005))
    assert tiny[-1].state == "missing"
    still = replace(lola, drives=())
    limits = next(finding for finding in check_walking(still) if finding.what == "limits")
    assert limits.state == "weak"
    assert "speeds" in limits.outcome
    assert "torques" in limits.outcome


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_feet_without_shapes_are_told_of() -> None:
    folder = examples_folder()
    assert folder is not None
    file = next(folder.rglob("simple_humanoid.urdf"))
    found = check_walking(footfall.load(file, floating_base=True))
    assert found[-1].what == "soles and legs"
    assert "--sole" in found[-1].advice


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
@pytest.mark.parametrize(
    "name, told, advice",
    [
        ("bolt", "no ankle", "stand on soles"),
        ("human", "does not stand upright", "turn its root"),  # its y axis points up, as in biomechanics
    ],
)
def test_what_no_frames_would_mend_is_told(name: str, told: str, advice: str) -> None:
    found = check_walking(footfall.load(name, floating_base=True))[-1]
    assert (found.what, found.state) == ("soles and legs", "missing")
    assert told in found.outcome
    assert advice in found.advice


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_joints_that_stand_beyond_their_limits_are_told() -> None:
    """simple_humanoid's ankles have the limits of its knees: no shank leans ahead."""
    robot = footfall.load("simple_humanoid", floating_base=True)
    found = {each.what: each for each in check_walking(robot, sole=(-0.08, 0.14, -0.05, 0.05))}
    assert found["limits"].state == "weak"
    assert "RLEG_ANKLE_P stands at -" in found["limits"].outcome
    assert "those of another joint" in found["limits"].advice
    assert found["walk"].state == "missing"


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_what_the_message_names_can_be_said() -> None:
    """Romeo's fingers have no inertia: the message says how to take it nevertheless, and the option is there."""
    folder = examples_folder()
    assert folder is not None
    romeo = str(next(folder.rglob("romeo.urdf")))
    refused = RUN(app, ["check", romeo])
    assert refused.exit_code == 1
    assert "(--lenient) only warns of it" in str(refused.exception)
    with pytest.warns(UserWarning, match="without inertia"):
        taken = RUN(app, ["check", romeo, "--lenient", "--quick"])
    assert taken.exit_code == 0, taken.output
    assert "nan" not in taken.output  # of speeds and torques of fingers, whose limits are 0
    assert "--lenient" in RUN(app, ["walk", "--help"]).output


def test_frames_to_choose_from_are_named() -> None:
    nameless = check_walking(footfall.load("quadruped"))[-1]
    assert all(name in nameless.advice for name in ("it has", "RF"))
    assert nameless.advice.count(",") < 20


def test_quadrupeds_are_told_what_there_is_for_them() -> None:
    for name in ("point-foot-quadruped", *(["go2", "anymal"] if examples_folder() is not None else [])):
        result = RUN(app, ["check", name])
        assert result.exit_code == 1
        told = " ".join(result.output.split())
        assert "4 legs" in told
        assert "footfall quadruped" in told


def test_robots_without_legs_are_told_what_there_is_for_them() -> None:
    with pytest.raises(UnsuitableRobot, match=r"--frame RF=.*if it has no legs, footfall task"):
        landmarks(footfall.load("youbot"))


def test_feet_without_shapes_do_not_walk_unless_a_sole_is_given() -> None:
    lola = footfall.load("lola")
    bare = replace(lola, bodies=tuple(replace(body, collisions=()) for body in lola.bodies))
    found = check_walking(bare)
    assert found[-1].state == "missing"
    assert "have no shapes that touch the ground" in found[-1].outcome
    with pytest.raises(MisplacedFrame, match="no shapes that touch the ground"):
        walking_body(bare)
    sole = (-0.2336, 0.0425, -0.11, 0.11)
    body = walking_body(bare, sole=sole)
    assert len(body.soles) == 2
    for foot in ("RF", "LF"):
        # The box lies on the sole: its corners at z = 0 of the foot frame are those of the rectangle.
        points = foot_points(body.robot, body.model.frames[foot])
        low = points[points[:, 2] < 1e-9]
        assert low[:, :2].min(axis=0) == pytest.approx((sole[0], sole[2]))
        assert low[:, :2].max(axis=0) == pytest.approx((sole[1], sole[3]))


@pytest.mark.skipif(examples_folder() is None, reason="needs example-robot-data")
def test_feet_are_found_by_many_names() -> None:
    expected = {
        "bolt": ("FR_FOOT", "FL_FOOT"),
        "alexander": ("RIGHT_FOOT", "LEFT_FOOT"),
        "icub": ("r_sole", "l_sole"),
        "g1": ("right_ankle_roll_link", "left_ankle_roll_link"),
        "human": ("right_foot_virtual", "left_foot_virtual"),
    }
    for name, feet in expected.items():
        marks = landmarks(footfall.load(name, strict=False))
        assert (marks["RF"], marks["LF"]) == feet


def test_walks_take_the_same_frames_and_soles(tmp_path: Path) -> None:
    options = RUN(app, ["walk", "--help"]).output
    assert "--frame" in options
    assert "--sole" in options
    assert RUN(app, ["walk", "flat", "--sole", "1,2"]).exit_code == 2
    request = WalkRequest(scene="flat", frames={"RF": "RF"}, sole=(-0.2, 0.1, -0.1, 0.1))
    write_request(request, tmp_path / "a.walk.json")
    assert read_request(tmp_path / "a.walk.json") == of_now(request)
    with pytest.raises(InvalidInput, match="rear < front"):
        WalkRequest(scene="flat", sole=(0.2, 0.1, -0.1, 0.1))
    with pytest.raises(UnknownName, match="no frame 'toe'"):
        WalkSession(robot=footfall.load("lola"), frames={"RF": "toe"})

"""A humanoid that nothing was made for walks by its description alone."""

from __future__ import annotations

from pathlib import Path

import pytest

import footfall
from footfall.bench.robots import examples_folder
from footfall.walking.body import LEFT_HAND, OTHER, RIGHT_HAND, walking_body
from tests.armless_biped import armless_urdf

SIDES = ("right", "left")


def test_g1_walks_and_turns() -> None:
    """Unitree's G1 from its URDF: its soles, reach and gains are found, no number of it is in the source."""
    folder = examples_folder()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    path = next(folder.rglob("g1_29dof_rev_1_0.urdf"))
    request = footfall.walking.WalkRequest(scene="flat", robot=str(path), goal=(0.4, 0.1, 0.5), rest=0.5)
    done = footfall.walking.walk(request).summary
    assert done.reached
    assert not done.fallen
    assert done.distance == pytest.approx(0.41, abs=0.05)
    assert done.residual < 1e-8


def test_fingers_belong_to_hands() -> None:
    """TALOS has a gripper that hangs on its hand; what it touches the wrist feels."""
    folder = examples_folder()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    body = walking_body(footfall.load(next(folder.rglob("talos_reduced.urdf"))))
    links = {side: body.robot.tree.attachments[f"gripper_{side}_motor_double_link"].link for side in SIDES}
    assert [body.parts[links[side]] for side in SIDES] == [RIGHT_HAND, LEFT_HAND]
    hands = [body.robot.tree.attachments[body.model.frames[hand]].link for hand in ("RH", "LH")]
    assert set(hands).isdisjoint(links.values())
    wrist = body.robot.tree.links[hands[0]].parent
    assert body.parts[wrist] == OTHER


def test_a_biped_without_arms_walks(tmp_path: Path) -> None:
    path = tmp_path / "armless.urdf"
    path.write_text(armless_urdf())
    request = footfall.walking.WalkRequest(scene="flat", robot=str(path), goal=(0.4, 0.1, 0.0), rest=0.5)
    done = footfall.walking.walk(request).summary
    assert done.reached
    assert not done.fallen
    assert done.residual < 1e-8


def test_without_arms_hips_keep_their_stops() -> None:
    """Alexander is a pair of legs with a torso that turns: a pelvis that swung against the legs took its hips 17
    degrees through their stops. Its feet have no shapes."""
    folder = examples_folder()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    path, sole = next(folder.rglob("alexander_v1.lowerBodyOnly.urdf")), (-0.08, 0.14, -0.05, 0.05)
    request = footfall.walking.WalkRequest(
        scene="flat", robot=str(path), goal=(0.4, 0.1, 0.5), rest=0.5, sole=sole, lenient=True
    )
    done = footfall.walking.walk(request).summary
    assert done.reached
    assert done.limits_passed == ()


def test_a_hip_that_is_too_fast_has_not_reached_anything() -> None:
    """Romeo's hips yaw at 0.32 rad/s at most; ideal drives turn them as fast as steps of 0.8 s want."""
    folder = examples_folder()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    path = next(folder.rglob("romeo_small.urdf"))
    request = footfall.walking.WalkRequest(scene="flat", robot=str(path), goal=(0.3, 0.0, 0.0), rest=0.5)
    found = footfall.walking.walk(request).summary
    assert found.goal_error < 0.15
    assert not found.fallen
    assert not found.reached
    assert found.problem is not None
    assert found.problem.startswith("joints cannot do it: joint ")
    assert any("HipYaw' at up to " in each for each in found.limits_passed)

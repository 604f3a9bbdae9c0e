"""The closed loop: controllers see sensors only, many robots walk side by side, Python may have a say."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.errors import FootfallError, InvalidInput
from footfall.gait.actions import stamping
from footfall.motion.motion import Motion
from footfall.scene.load import load_scene
from footfall.walking.loop import Brain
from footfall.walking.many import walk_all, walk_many
from footfall.walking.request import WalkRequest
from footfall.walking.signals import Add, Drive, Load, Surface
from footfall.walking.walk import Walk, walk
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode


def motion_of(code: WalkingCode) -> Motion:
    model = code.body.model
    return footfall.generate_motion(footfall.walking_plan(model, stamping(1)), model)


def test_the_controller_sees_sensors_only(code: WalkingCode) -> None:
    """While it decides, all that is true of the robot is NaN; the walk has the same bits."""
    motion, options = motion_of(code), WalkerOptions(noise=True, seed=2)
    plain = Walker(code, load_scene("flat"), motion, options)
    plain.run_until(1.0)
    blind = Walker(code, load_scene("flat"), motion, options)
    hidden = ("q", "v", "impulses")
    state = blind.arrays[0]
    kept = {name: getattr(state, name).copy() for name in hidden}

    def uncover(time: float, brain: Brain) -> None:
        for name in hidden:
            getattr(blind.arrays[0], name)[:] = kept[name]

    def cover() -> None:
        for name in hidden:
            kept[name] = getattr(blind.arrays[0], name).copy()
            getattr(blind.arrays[0], name)[:] = np.nan

    for k in range(1000):
        cover()
        blind.run_with(uncover, 1e-3 * (k + 1))
    assert blind.log.q.tobytes() == plain.log.q.tobytes()


def test_a_controller_in_python_changes_the_walk(code: WalkingCode) -> None:
    motion = motion_of(code)
    neck = code.body.joint_names.index("vp")

    def look_left(time: float, brain: Brain) -> None:
        brain.state.after[neck] = 0.5

    walker = Walker(code, load_scene("flat"), motion)
    assert walker.run_with(look_left, 0.2)
    # The first period ramps up to it.
    assert abs(walker.log.q[-1, 7 + neck] - 0.5 * 0.2) < 1e-3


def test_robots_side_by_side_walk_as_alone(code: WalkingCode) -> None:
    motion, scene = motion_of(code), load_scene("flat")
    options = [WalkerOptions(noise=True, seed=k, friction=0.5 + 0.1 * k, log_every=10) for k in range(3)]
    together = walk_many(code, scene, motion, options, until=0.5, threads=2)
    alone = Walker(code, scene, motion, options[2])
    alone.run_until(0.5)
    assert together[2].log.q.tobytes() == alone.log.q.tobytes()
    assert together[0].log.q.tobytes() != alone.log.q.tobytes()
    assert len(alone.log.q) == 50


def test_a_second_walker_shares_what_does_not_change_and_nothing_else(code: WalkingCode) -> None:
    """It takes what was made for the first; what happens in the scene of one does not happen in that of the other."""
    motion = motion_of(code)
    one, two, alone = (Walker(code, load_scene("flat"), motion) for _ in range(3))
    assert one.engine.members is two.engine.members
    assert one.engine.contacts is not two.engine.contacts
    ahead = footfall.Transform(np.eye(3), np.array([0.0, 0.0, 0.02]))
    one.put(footfall.SceneObject("board", footfall.Box((1.0, 1.0, 0.04)), ahead))  # below both feet
    for walker in (one, two, alone):
        walker.run_until(0.3)
    assert two.log.q.tobytes() == alone.log.q.tobytes()
    assert one.log.q.tobytes() != alone.log.q.tobytes()
    assert [each.name for each in two.scene.objects] == [each.name for each in alone.scene.objects]
    two.take_away("floor")
    two.run_until(0.5)
    assert alone.run_until(0.5)
    assert two.log.q[-1, 2] < alone.log.q[-1, 2] - 0.1


def test_walks_of_their_own_requests_are_done_in_one_call() -> None:
    """Scenes, commands, loads, pushes and errors of their own; one without a way is its error, and no other's."""
    box = Add(name="wall", size=(0.2, 60.0, 2.0), position=(1.5, 0.0, 1.0))
    asked = [
        WalkRequest(noise=True, seed=1000, seconds=0.4, signals=(Drive(forward=0.2), Surface(friction=0.5))),
        WalkRequest(scene="nowhere", seed=1001),
        WalkRequest(scene="stairs", noise=True, seed=1002, seconds=0.4, sensor_delay=0.004),
        WalkRequest(seed=1003, seconds=0.4, signals=(Load(body="torso", mass=4.0), box)),
    ]
    together = walk_all(asked, threads=2)
    assert isinstance(together[1], FootfallError)
    assert "nowhere" in str(together[1])
    for one, request in zip(together, asked, strict=True):
        if isinstance(one, Walk):
            alone = walk(request)
            assert one.summary.time == 0.4
            assert one.walker.arrays[0].q.tobytes() == alone.walker.arrays[0].q.tobytes()
    with pytest.raises(InvalidInput, match="live"):
        walk_all([WalkRequest(live=True)])

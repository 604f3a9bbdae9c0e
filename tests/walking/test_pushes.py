"""Pushes: however strong, a walk ends with numbers and a cause; those that soles cannot hold are caught by steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler.routines import Vector3, routine
from footfall.environment.perception import EXACT, perceive
from footfall.gait.walking_transitions import idle_pose
from footfall.math.rotations import rotation_x
from footfall.math.transform import Transform
from footfall.motion.pipeline import gait_dimensions
from footfall.planning.contacts import Goal
from footfall.planning.parameters import FootholdLimits
from footfall.robot.shapes import Box
from footfall.scene.load import load_scene
from footfall.scene.model import SceneObject
from footfall.walking.catching import landing_error
from footfall.walking.controller import Stance, lowered, raised
from footfall.walking.feet import FootPlan
from footfall.walking.gains import ControlGains, control_gains
from footfall.walking.perceived import Footing, Tilt
from footfall.walking.plan_sampling import PlanTable, new_stream_room, plan_table, planned_at
from footfall.walking.request import Push
from footfall.walking.routes import scene_with_goal
from footfall.walking.state import CatchMemory, ControllerState
from footfall.walking.step_ground import ground_around, on_free_ground, unknown_ground
from footfall.walking.task_space import BodyTarget
from footfall.walking.walk import cause_of_fall
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode
from tests.walking.test_estimation import standing


def pushed(code: WalkingCode, force: tuple[float, float, float], **options: object) -> Walker:
    """A robot that stands and is pushed for 0.1 s after 0.2 s."""
    push = Push("torso", force, 0.2, 0.1)
    return Walker(code, load_scene("flat"), standing(code, 5.0), WalkerOptions(pushes=(push,), **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["reduced", "full"])
@pytest.mark.parametrize("force", [5e3, 1e6])
def test_a_blow_that_takes_it_off_its_feet_is_a_fall_in_numbers(
    code: WalkingCode, mode: str, force: float
) -> None:
    """Contact is solved to 1e-9 of the weight with feet on the ground and in the air, where nothing holds it."""
    walker = pushed(code, (force, 0.0, 0.0), mode=mode)
    assert not walker.run_until(1.0)
    assert not walker.lost
    assert cause_of_fall(walker) is not None
    signals = walker.log.signals
    assert signals["residual"].max() < 1e-8
    in_the_air = signals["right_foot"][:, 2] + signals["left_foot"][:, 2] == 0.0
    assert in_the_air.any()
    # In the air there is no zero-moment point; all else are numbers.
    assert np.isfinite(signals["zmp"][~in_the_air]).all()
    assert all(np.isfinite(signals[name]).all() for name in signals.dtype.names if name != "zmp")


def test_a_blow_beyond_all_numbers_is_told_as_such(code: WalkingCode) -> None:
    walker = pushed(code, (1e200, 0.0, 0.0))
    assert not walker.run_until(1.0)
    assert cause_of_fall(walker) == "numbers ran away at 0.201 s"


# Steps by which a robot that stands catches itself


@pytest.mark.parametrize("mode", ["reduced", "full"])
def test_a_robot_that_soles_cannot_hold_takes_a_step(code: WalkingCode, mode: str) -> None:
    """44 N s from behind move the divergent component by J / (m w) = 0.2 m, and half a sole is 0.14 m long."""
    impulse, gains = 44.0, control_gains(code.body.model)
    assert impulse / (gains.mass * gains.pendulum_rate) > 1.3 * 0.5 * gains.sole.length
    walker = pushed(code, (10 * impulse, 0.0, 0.0), mode=mode)
    assert walker.run_until(4.0)
    memory = walker.brain.state
    assert memory.body["plan_shift"][0, 0] > 0.1
    # Both feet have come there, and it stands still.
    assert np.abs(memory.feet["hold"]).max() < 0.12 * gains.sole.length
    assert np.abs(walker.log.signals["dcm_error"][-200:]).max() < 0.02
    without = pushed(code, (10 * impulse, 0.0, 0.0), mode=mode)
    without.tune(without.gains._replace(catching_step=0.0))
    assert not without.run_until(4.0)


def test_a_push_that_soles_hold_moves_no_foot(code: WalkingCode) -> None:
    walker = pushed(code, (200.0, 0.0, 0.0), noise=True)
    assert walker.run_until(3.0)
    assert walker.brain.state.catch["last"][0] == 0.0
    assert np.abs(walker.brain.state.body["plan_shift"]).max() == 0.0


def test_feet_are_put_on_ground_that_is_known_to_be_level(code: WalkingCode) -> None:
    """A kerb 0.3 m ahead of the toes; the robot goes back from it freely, and no foot comes onto it."""
    gains, pose = control_gains(code.body.model), idle_pose(gait_dimensions(code.body.model))
    kerb = SceneObject(
        "kerb", shape=Box((1.0, 2.0, 0.1)), placement=Transform(np.eye(3), np.array([0.8, 0.0, 0.05]))
    )
    flat = scene_with_goal(load_scene("flat"), Goal(1.0, 0.0))
    seen = perceive(replace(flat, objects=(*flat.objects, kerb)), EXACT)
    ground = ground_around(seen, pose, np.zeros(3), FootholdLimits(), gains)
    right = np.array(pose.right_foot.position)
    for step in ([0.25, 0.0, 0.0], [0.34, 0.02, 0.0], [-0.3, -0.1, 0.0]):
        wanted = np.array(step)
        allowed = on_free_ground(0, right, wanted, ground)
        share = allowed[0] / wanted[0]
        assert share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        np.testing.assert_allclose(allowed, share * wanted)
        # Its toes come no farther than the kerb, up to a cell; a fifth more of the step would be on it.
        edge = 0.3 - gains.sole.front
        assert allowed[0] <= edge + 0.02
        assert share == 1.0 or wanted[0] * (share + 0.2) > edge - 0.03
    # What it has not looked at is level.
    assert on_free_ground(0, right, wanted, unknown_ground())[0] == -0.3
    beyond = on_free_ground(0, right + 5.0, wanted, ground)
    assert not beyond.any()


@routine
def landing(
    plan: PlanTable,
    room: Array,
    memory: CatchMemory,
    state: ControllerState,
    error: Vector3,
    gains: ControlGains,
) -> Vector3:
    return landing_error(error, memory, planned_at(plan, 0.5, room, gains), state, gains)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_error_at_landing_is_that_of_a_pendulum(code: WalkingCode, side: float) -> None:
    """e' = w (e - p), integrated in small steps, about the edge of the sole nearest to what balance asks for."""
    walker, error, start = pushed(code, (0.0, 0.0, 0.0)), np.array([0.25, 0.0, 0.0]), 0.1
    gains, state, memory = walker.gains, walker.brain.state, CatchMemory(side, start, 1.0, side)
    found = landing(plan_table(walker.motion), new_stream_room(), memory, state, error, gains)
    pose, center = walker.motion.given.begin, walker.motion.snapshot(0.5).center_of_mass[0]
    stance = np.array((pose.right_foot if side > 0 else pose.left_foot).position) - center
    # Ahead the toes hold it, aside the inner edge of the only foot that stands.
    p = np.array([stance[0] + gains.sole.front, stance[1] + side * 0.5 * gains.sole.width, 0.0])
    w, e, steps = gains.pendulum_rate, error, 20_000
    left = 1.1 / w - start
    for _ in range(steps):
        e = e + w * left / steps * (e - p)
    np.testing.assert_allclose(found, e, atol=1e-4)  # Euler's error: (w t)^2 / (2 steps) of 0.5 m
    assert np.abs(found - error).max() > 0.05


def test_feet_are_raised_by_what_the_tilt_of_the_robot_lowers_them(code: WalkingCode) -> None:
    """Tilted by a about where it stands, a foot that is d aside and l ahead of it is lower by d sin a; small tilts are
    left to reflexes."""
    gains, ahead, aside = control_gains(code.body.model), 0.4, 0.3
    none, stands = np.zeros(3), np.array([1.0, 2.0, 0.1])
    place = stands + np.array([ahead, -aside, 0.0])
    target = BodyTarget(place, none, np.eye(3), none)
    foot = FootPlan(target, closed=False, load=0.0, sole=gains.sole)
    for angle in (0.02, 0.1):
        tilt = Tilt(rotation_x(angle), np.array([angle, 0.0, 0.0]), none)
        stance = Stance(tilt, Footing(stands, none, stands, none))
        lower = aside * np.sin(angle)
        assert lowered(none, foot, stance) == pytest.approx(lower, rel=1e-12)
        assert raised(none, foot, stance, gains) == pytest.approx(max(lower - 0.02 * gains.height, 0.0))
        # Tilted the other way it is higher, and stays so.
        back = stance._replace(tilt=Tilt(rotation_x(-angle), -tilt.error, none))
        assert raised(none, foot, back, gains) == 0.0

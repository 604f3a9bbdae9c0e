"""Walking by hand: commands become steps within their limits, with room between soles, that come to what was wanted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.gait import walking_sequence
from footfall.gait.poses import Foot
from footfall.math.rotations import matrix_from_quaternion, yaw_of
from footfall.planning import PlannerParameters, VelocityCommand, commanded_step, commanded_steps
from footfall.planning.step_set import sole_corners
from footfall.planning.teleoperation import clipped_command, first_foot, first_outer
from tests.motion.lola import IDLE, LOLA, MODEL

LIMITS = PlannerParameters().step
SECONDS = 0.8
speeds = st.floats(-5.0, 5.0)


@given(speeds, speeds, speeds)
def test_commands_are_clipped_to_what_steps_can_do(forward: float, left: float, turn: float) -> None:
    command = VelocityCommand(forward, left, turn)
    clipped = clipped_command(command)
    longest = LIMITS.forward_m if forward >= 0.0 else LIMITS.backward_m
    ahead, aside = SECONDS * clipped.forward / longest, 2 * SECONDS * clipped.left / LIMITS.outward_m
    assert math.hypot(ahead, aside) <= 1.0 + 1e-12
    assert abs(clipped.turn) <= math.radians(18.5) / SECONDS + 1e-12
    # the way keeps its direction
    assert clipped.forward * left == pytest.approx(clipped.left * forward, abs=1e-9)
    assert clipped_command(clipped) == clipped or math.hypot(ahead, aside) > 1.0 - 1e-9


@given(speeds, speeds, speeds, st.sampled_from(["RF", "LF"]))
def test_soles_never_come_near_each_other(forward: float, left: float, turn: float, moving: Foot) -> None:
    steps = commanded_steps(VelocityCommand(forward, left, turn), moving, model=MODEL, count=4)
    sequence = walking_sequence(steps, IDLE, LOLA, first_swing=moving)
    corners = sole_corners(MODEL.sole)
    for transition in sequence.transitions[: len(steps)]:
        soles = []
        for foot in transition.end.feet:
            matrix = matrix_from_quaternion(np.array(foot.rotation))[:2, :2]
            soles.append(corners @ matrix.T + np.array(foot.position[:2]))
        assert separation(*soles) > 0.0149


def separation(one: Array, other: Array) -> float:
    """How far two rectangles (4, 2) are apart along the best of their edges' normals, m; at most their distance."""
    best = -np.inf
    for polygon, against in ((one, other), (other, one)):
        for k in range(4):
            edge = polygon[(k + 1) % 4] - polygon[k]
            normal = np.array([edge[1], -edge[0]]) / np.linalg.norm(edge)
            best = max(best, float(((against - polygon[k]) @ normal).min()))
    return best


def test_without_a_look_at_soles_feet_that_turn_overlap() -> None:
    steps = commanded_steps(VelocityCommand(turn=0.4), "LF", count=1)
    sequence = walking_sequence(steps, IDLE, LOLA, first_swing="LF")
    corners, soles = sole_corners(MODEL.sole), []
    for foot in sequence.transitions[0].end.feet:
        matrix = matrix_from_quaternion(np.array(foot.rotation))[:2, :2]
        soles.append(corners @ matrix.T + np.array(foot.position[:2]))
    assert separation(*soles) < 0.0


@given(st.floats(-0.15, 0.5), st.floats(-0.08, 0.08), st.floats(-0.4, 0.4))
def test_steps_go_along_the_arc_of_the_command(forward: float, left: float, turn: float) -> None:
    assume(forward or left or turn)
    # A constant twist of the plane (v, w) leads in time t to a turn a = w t and a way V(a) v t, where V has sin(a) / a
    # on its diagonal and -+(1 - cos(a)) / a beside it. The middle is where the stance foot has it.
    command = VelocityCommand(forward, left, turn)
    moving = first_outer(command)
    steps = commanded_steps(command, moving, count=8)
    foot = walking_sequence(steps, IDLE, LOLA, first_swing=moving).transitions[7].end.stance_foot
    heading = float(yaw_of(np.array(foot.rotation)))
    inward = (
        LOLA.foot_distance / 2 if moving == "LF" else -LOLA.foot_distance / 2
    )  # the other foot stands in the end
    place = np.array(foot.position[:2]) + inward * np.array([-np.sin(heading), np.cos(heading)])
    angle, x, y = 8 * SECONDS * np.array([turn, forward, left])
    along, across = np.sinc(angle / np.pi), np.sinc(angle / (2 * np.pi)) * np.sin(angle / 2)
    np.testing.assert_allclose(place, [along * x - across * y, across * x + along * y], atol=1e-9)
    assert math.remainder(heading - angle, 2 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_a_plan_comes_where_it_was_sent() -> None:
    command = VelocityCommand(left=0.1)
    first = first_foot(command, IDLE)
    assert first == "LF"  # to the left the left foot goes first
    steps = commanded_steps(command, first, count=6)
    end = walking_sequence(steps, IDLE, LOLA, first_swing=first).end
    middle = (np.array(end.right_foot.position) + np.array(end.left_foot.position)) / 2
    np.testing.assert_allclose(middle, [0.0, 6 * 0.8 * 0.1, 0.0], atol=1e-12)


def test_standing_is_no_step_and_nonsense_is_refused() -> None:
    assert commanded_steps(VelocityCommand(), "RF") == []
    with pytest.raises(InvalidInput, match="forward"):
        VelocityCommand(forward=math.nan)
    with pytest.raises(InvalidInput, match="count"):
        commanded_steps(VelocityCommand(1.0), "RF", count=-1)


def test_steps_do_change_with_the_command() -> None:
    slow, fast = (commanded_step(VelocityCommand(v), "RF").forward for v in (0.2, 0.4))
    assert fast == pytest.approx(2 * slow)

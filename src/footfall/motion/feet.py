"""Stage 7: how the feet move (Seiwald 2023).

The way of a foot through the air in one motion phase, as textbook code of one phase (Seiwald 2023).

Time runs from 0 to 1 in the phase. The foot rolls off over its toes and strikes with its heel; the points at which it
turns over are raised so that no edge of the sole goes below the ground. What is horizontal and vertical follows from
the stance foot. It is traced and runs as native code.

Rotations as the stages put them together: they rest, except for turns.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, asin, build_kernel, less, maximum, minimum, where
from footfall.compiler.once import once
from footfall.compiler.routines import (
    Quaternion,
    Vector2,
    Vector3,
    Vector6,
    call_native,
    new_records,
    record_dtype,
    record_from_numbers,
    routine,
)
from footfall.compiler.routines.types import Fixed
from footfall.math.interpolation import quintic_between, quintic_spline
from footfall.math.polynomials import Jet
from footfall.math.quaternion_splines import CubicQuaternionSpline
from footfall.math.quaternion_trajectories import QuaternionTrajectory
from footfall.math.rotations import (
    matrix_from_quaternion,
    quaternion_from_rotation_vector,
    quaternion_inverse,
    quaternion_product,
    rotation_vector_from_quaternion,
)
from footfall.math.trajectories import PolynomialTrajectory
from footfall.motion.courses import Course, Segments, new_course
from footfall.motion.parameters import FootParameters
from footfall.motion.reduced_model import Rectangle, ReducedModel
from footfall.motion.schedule import Schedule
from footfall.motion.support import Sole

Controls = Annotated[Array, Fixed((4, 4))]  # quaternions of a turn, in rows


class TurnTiming(NamedTuple):
    """How the parameter of a turn runs from 0 to 1. shares (s + 1,): of the time of a turn. pieces (s, 6): coefficients
    between them."""

    shares: Array
    pieces: Array


class TurnSegments(NamedTuple):
    """A rotation that is done. parameter (1,): its whole part is the number of the turn. controls (n, 4, 4)."""

    parameter: Segments
    controls: Array

    @property
    def trajectory(self) -> QuaternionTrajectory:
        """The same as a trajectory, which takes the arrays over."""
        return QuaternionTrajectory(CubicQuaternionSpline.unchecked(self.controls), self.parameter.trajectory)


class Turns(NamedTuple):
    """A rotation in the making; controls: of the turns so far."""

    parameter: Course
    controls: list[Controls]

    def turn(self, controls: Controls, timing: TurnTiming, start: float, stop: float) -> None:
        """Turn between two times. The signs of the controls are changed so that they go on from turn to turn."""
        number, last = len(self.controls), len(timing.pieces) - 1
        opposite = number > 0 and self.controls[-1][3] @ controls[0] < 0.0
        self.parameter.rest_until(start)
        for s in range(last + 1):
            until = start + (stop - start) * timing.shares[s + 1] if s < last else stop
            if self.parameter.segment_until(until):
                piece = self.parameter.piece
                for power in range(6):
                    piece[power, 0] = timing.pieces[s, power]
                piece[5, 0] += number
        self.parameter.value[0] = number + 1.0
        self.controls.append(-1.0 * controls if opposite else controls)

    def ended(self, time: float, initial: Quaternion) -> TurnSegments:
        """All of it, with a rest until a time; initial: the rotation before the first turn."""
        if len(self.controls) == 0:
            self.controls.append(np.array([initial, initial, initial, initial]))
        return TurnSegments(self.parameter.ended(time), np.array(self.controls))


def new_turns(start: float, room: int) -> Turns:
    """One that begins at a time, with room for a number of segments and turns in all."""
    controls: list[Controls] = []
    return Turns(new_course(start, np.array([0.0]), room), controls)


SEGMENTS = 5  # of the position: borders are lag, lift, lower and lead
TILT_SEGMENTS = 3  # of the tilt's timing: lift-off, mid-swing, strike
SwingPieces = Annotated[Array, Fixed((SEGMENTS, 6, 3))]
TiltTiming = Annotated[Array, Fixed((TILT_SEGMENTS, 6))]
_CHECKED = (0.1, 0.3, 0.6)  # parts of the time to rise at which the sole must be clear
_SURPLUS = 1.05  # between two of them 3 % more may be needed


class Swing(NamedTuple):
    """A foot's way in one motion phase: its frame at begin and end, the turn of the stance foot, all in the world."""

    begin: Vector3  # m
    begin_turn: Quaternion
    end: Vector3  # m
    end_turn: Quaternion
    stance_turn: Quaternion
    step_height: float  # m
    swing_timing: float


class SwingShape(NamedTuple):
    """What holds for all phases of a robot. lag, lead, lift, lower: shares of the phase for a swing timing of 0 and of
    1. tilt_borders, tilt_timing: how the parameter of the rotation runs from 0 to 1, Seiwald 2023, (6.1)-(6.4)."""

    lag: Vector2
    lead: Vector2
    lift: Vector2
    lower: Vector2
    tilt_per_m: float
    sole: Sole
    tilt_borders: Vector2
    tilt_timing: TiltTiming


class SwingCourse(NamedTuple):
    """Borders of the segments in [0, 1], coefficients of the position in the world (m) in each, highest power first,
    and the control quaternions of the rotation."""

    borders: Vector6
    pieces: SwingPieces
    controls: Controls


class SwingInputs(NamedTuple):
    """What the native code of `swing_foot` takes."""

    swing: Swing
    shape: SwingShape


@once
def swing_kernel() -> Kernel:
    """Native code of `swing_foot`."""
    sizes = {"swing": _size(Swing), "shape": _size(SwingShape)}
    return build_kernel(swing_foot, sizes, name="swing_foot", key="motion.swing_foot")


def _size(record: type) -> int:
    return record_dtype(record).itemsize // 8


def swing_foot(swing: Array, shape: Array) -> dict[str, Array]:
    """The fields of a `SwingCourse`, for the numbers of a `Swing` and a `SwingShape`."""
    course = swing_course(record_from_numbers(Swing, swing), record_from_numbers(SwingShape, shape))
    return course._asdict()


def swing_course(swing: Swing, shape: SwingShape) -> SwingCourse:
    """The way of a foot through the air."""
    stance, sole = swing.stance_turn, shape.sole
    level = matrix_from_quaternion(stance)
    stride = level.T @ (swing.end - swing.begin)
    controls = _controls(swing.begin_turn, swing.end_turn, shape.tilt_per_m * stride[0])

    lag, lead, lift, lower = (
        ends[0] * (1.0 - swing.swing_timing) + ends[1] * swing.swing_timing
        for ends in (shape.lag, shape.lead, shape.lift, shape.lower)
    )
    borders = [0.0, lag, lift, 1.0 - lower, 1.0 - lead, 1.0]

    def rotation(time: Any) -> Array:
        eta = _parameter(time, shape.tilt_borders, shape.tilt_timing)
        return quaternion_product(quaternion_inverse(stance), _rotation(controls, eta))

    turns = [rotation(time) for time in borders]
    first, last = _pitch(turns[0]), _pitch(turns[5])
    at_lag, at_lift = (_roll_off(_pitch(turns[k]) - first, sole) for k in (1, 2))
    at_lower, at_lead = (_roll_off(_pitch(turns[k]) - last, sole) for k in (3, 4))
    rising = [rotation(share * lift) for share in _CHECKED] + [turns[2]]
    falling = [rotation(1.0 - share * lower) for share in _CHECKED] + [turns[3]]

    # Seiwald 2023, (6.9), (6.10): control points relative to the begin, in axes of the stance foot.
    ahead = [(0.0, 0.0), (at_lag[0], 0.0), (stride[0] + at_lead[0], stride[1]), (stride[0], stride[1])]
    top = maximum(0.0 * stride[2], stride[2]) + maximum(at_lift[1], at_lower[1]) + swing.step_height
    rise, fall = _needed_rise(turns[0], rising, sole), _needed_rise(turns[5], falling, sole)
    top = maximum(top, maximum(rise, stride[2] + fall))
    states = []
    for k, time in enumerate(borders):
        if k <= 1:
            horizontal = [_at_rest(ahead[k][axis]) for axis in (0, 1)]
        elif k >= 4:
            horizontal = [_at_rest(ahead[k - 2][axis]) for axis in (0, 1)]
        else:
            horizontal = [_between(time, lag, 1.0 - lead, ahead[1][axis], ahead[2][axis]) for axis in (0, 1)]
        if k == 1:
            vertical = _between(time, 0.0, lift, 0.0, top)
        elif k == 4:
            vertical = _between(time, 1.0 - lower, 1.0, top, stride[2])
        else:
            vertical = _at_rest((0.0, top, top, stride[2])[(0, 0, 1, 2, 0, 3)[k]])
        states.append((*horizontal, vertical))
    pieces = []
    for k in range(SEGMENTS):
        pairs = zip(states[k], states[k + 1], strict=True)
        local = np.array(
            [quintic_between(before, after, borders[k + 1] - borders[k]) for before, after in pairs]
        )
        turned = [level @ coefficients for coefficients in local.T]
        pieces.append(np.array([*turned[:5], turned[5] + swing.begin]))
    ends = np.array([0.0 * lag, *borders[1:5], 0.0 * lag + 1.0])
    return SwingCourse(ends, np.array(pieces), np.array(controls))


@lru_cache(maxsize=16)
def swing_shape(parameters: FootParameters, sole: Rectangle) -> SwingShape:
    """What holds for all phases of a robot with such soles."""
    return SwingShape(
        np.array(parameters.lag),
        np.array(parameters.lead),
        np.array(parameters.lift),
        np.array(parameters.lower),
        parameters.tilt_per_m,
        Sole(*sole),
        np.array([parameters.lift_off_share, parameters.strike_share]),
        tilt_timing(parameters).pieces,
    )


@lru_cache(maxsize=16)
def tilt_timing(parameters: FootParameters) -> TurnTiming:
    """How the parameter of the rotation runs over lift-off, mid-swing and strike."""
    shares = np.array([0.0, parameters.lift_off_share, parameters.strike_share, 1.0])
    spline = quintic_spline(shares, np.array([0.0, 1 / 3, 2 / 3, 1.0]))
    return TurnTiming(shares, np.ascontiguousarray(spline.coefficients[:, :, 0]))


def _controls(begin: Array, end: Array, sine: Any) -> list[Array]:
    """Control quaternions of the rotation, Seiwald 2023, (6.1)-(6.4)."""
    end = where(less(begin @ end, 0.0), -end, end)
    turn = rotation_vector_from_quaternion(quaternion_product(quaternion_inverse(begin), end))
    angle = asin(maximum(minimum(sine, 1.0), -1.0))
    half = angle / 2
    c, s = np.cos(half), np.sin(half)
    controls = [begin]
    for share, sign in ((1 / 3, 1.0), (2 / 3, -1.0)):
        virtual = quaternion_product(begin, quaternion_from_rotation_vector(share * turn))
        controls.append(quaternion_product(virtual, np.array([c, 0.0, sign * s, 0.0])))
    return [*controls, end]


def _rotation(controls: list[Array], eta: Any) -> Array:
    """Quaternion (4,) of the spline of order 4 over four controls, Seiwald 2023, (B.58)."""
    rest = 1.0 - eta
    cumulative = (1.0 - rest * rest * rest, eta * eta * (3.0 - 2.0 * eta), eta * eta * eta)
    rotation = controls[0]
    for before, after, share in zip(controls[:-1], controls[1:], cumulative, strict=True):
        turn = rotation_vector_from_quaternion(quaternion_product(quaternion_inverse(before), after))
        rotation = quaternion_product(rotation, quaternion_from_rotation_vector(share * turn))
    return rotation


def _parameter(time: Any, borders: Array, timing: Array) -> Any:
    starts = [0.0, borders[0], borders[1]]
    ends = [borders[0], borders[1], 1.0]
    values = [
        _horner(timing[k], (time - start) / (end - start))
        for k, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]
    return where(less(time, borders[0]), values[0], where(less(time, borders[1]), values[1], values[2]))


def _horner(coefficients: Array, eta: Any) -> Any:
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * eta + coefficient
    return value


def _pitch(q: Array) -> Any:
    """Angle by which the x axis points down, rad."""
    return -asin(maximum(minimum(2 * (q[1] * q[3] - q[0] * q[2]), 1.0), -1.0))


def _roll_off(pitch: Any, sole: Sole) -> tuple[Any, Any]:
    """Way (forward, up) by which the foot moves so that its critical edge stays where it is, Seiwald 2023, (6.6)."""
    edge = where(less(pitch, 0.0), sole.rear, sole.front)
    return edge * (1.0 - np.cos(pitch)), edge * np.sin(pitch)


def _needed_rise(standing: Array, turns: list[Array], sole: Sole) -> Any:
    """How far a foot must rise so that no corner of its sole goes below the ground, where it has that orientation at
    the checked parts of its way up, and at its end. The source compensates at the control points only: 5 mm too little
    for a stride of 0.8 m without step height."""
    needed = 0.0 * standing[0]
    for share, turn in zip((*_CHECKED, 1.0), turns, strict=True):
        forward = 2 * (
            turn[1] * turn[3] - turn[0] * turn[2] - standing[1] * standing[3] + standing[0] * standing[2]
        )
        left = 2 * (
            turn[2] * turn[3] + turn[0] * turn[1] - standing[2] * standing[3] - standing[0] * standing[1]
        )
        drop = maximum(-forward * sole.rear, -forward * sole.front)
        drop = drop + maximum(-left * sole.right, -left * sole.left)
        risen = share * share * share * (10.0 - 15.0 * share + 6.0 * share * share)
        needed = maximum(needed, drop * (_SURPLUS / risen))
    return needed


def _at_rest(value: Any) -> Jet:
    return Jet(value, 0.0, 0.0)


def _between(time: Any, start: Any, end: Any, before: Any, after: Any) -> Jet:
    """Motion within the rest-to-rest quintic between two points, Seiwald 2023, appendix G."""
    duration = end - start
    eta = (time - start) / duration
    rest, square = 1.0 - eta, eta * eta
    stride = after - before
    return Jet(
        before + stride * square * eta * (10.0 - 15.0 * eta + 6.0 * square),
        stride * 30.0 * square * rest * rest / duration,
        stride * 60.0 * eta * rest * (1.0 - 2.0 * eta) / (duration * duration),
    )


class FootMotion(NamedTuple):
    """Position (3,) in m and rotation of RF and LF in the world."""

    positions: tuple[PolynomialTrajectory, PolynomialTrajectory]
    rotations: tuple[QuaternionTrajectory, QuaternionTrajectory]


def plan_feet(schedule: Schedule, model: ReducedModel, parameters: FootParameters) -> FootMotion:
    """Motion of both feet: swings in motion phases, rest otherwise."""
    code = SwingCode(
        swing_kernel().native_function().address,
        swing_shape(parameters, model.sole),
        tilt_timing(parameters),
        parameters.step_height_m,
    )
    right, left = foot_course(schedule, 0, code), foot_course(schedule, 1, code)
    return FootMotion(
        (right.position.trajectory, left.position.trajectory),
        (right.rotation.trajectory, left.rotation.trajectory),
    )


class SwingCode(NamedTuple):
    """How feet swing: the address of the native code of `swing_foot`, what it needs, and the usual step height, m."""

    address: int
    shape: SwingShape
    tilt: TurnTiming
    step_height: float


class FootCourse(NamedTuple):
    """The motion of a foot."""

    position: Segments
    rotation: TurnSegments


@routine(quick=True)
def foot_course(schedule: Schedule, foot: int, code: SwingCode) -> FootCourse:
    """A foot rests except for its swings."""
    start = schedule.begin[0].foot(foot)
    phases = len(schedule.motion)
    position = new_course(schedule.times[0], start.position, (SEGMENTS + 1) * phases + 1)
    rotation = new_turns(schedule.times[0], (len(code.tilt.pieces) + 1) * phases + 1)
    inputs, found = new_records(SwingInputs, 1), new_records(SwingCourse, 1)
    for p in range(phases):
        k = schedule.transition[p]
        if not schedule.motion[p] or not schedule.moving[k].foot(foot):
            continue
        begin, end = schedule.begin[k].foot(foot), schedule.end[k].foot(foot)
        stance = schedule.begin[k].foot(1 - foot).rotation
        height = code.step_height if np.isnan(schedule.step_height[k]) else schedule.step_height[k]
        # Seiwald 2023, (6.10): a foot that comes from the air or stays in it needs no clearance.
        height = height if begin.closed and end.closed else 0.0
        timing = schedule.swing_timing[k]
        swing = Swing(begin.position, begin.rotation, end.position, end.rotation, stance, height, timing)
        inputs[0] = SwingInputs(swing, code.shape)
        call_native(code.address, inputs, found)
        opening, closing = schedule.times[p], schedule.times[p + 1]
        borders = found[0].borders
        position.rest_until(opening + (closing - opening) * borders[0])
        for s in range(SEGMENTS):
            position.follow(found[0].pieces[s], opening + (closing - opening) * borders[s + 1])
        position.value[:] = end.position
        rotation.turn(found[0].controls, code.tilt, opening, closing)
    last = schedule.times[-1]
    return FootCourse(position.ended(last), rotation.ended(last, start.rotation))

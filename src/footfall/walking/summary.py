"""What a walk came to: numbers for people and for `--json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array, Flags, Integers
from footfall.dynamics.inverse_dynamics import inverse_dynamics
from footfall.gait.poses import HANDS
from footfall.walking.body import FEET, WalkingBody
from footfall.walking.joint_watch import slides
from footfall.walking.log import cut
from footfall.walking.loop import WalkLog

_HAND_FORCE = 10.0  # N, from which a hand counts as being in contact
_LEANS = 0.5  # planned load factor of a hand that should push
_MADE = 0.5  # of the time in which a hand should push: if it does for that long, the contact was made
_SHORTEST = 0.05  # s, of a contact that counts, and of the gap between two
_STRAINED = 0.1  # s, over which the mean of a torque may not be above what its joint can give ...
_STRONGER = 1.1  # ... by more than this: it comes from inverse dynamics, and limits are round numbers
_ROWS_A_STATE = 4  # rows between two states that torques are computed of
_FOOT_SIGNALS, _HAND_SIGNALS = ("right_foot", "left_foot"), ("right_hand", "left_hand")


@dataclass(frozen=True)
class WalkSummary:
    """What happened.

    reached: whether the robot stands at the goal, or has followed its signals and stands where its plan ends:
    nearer than 0.15 m and 10 degrees in the true world, and no joint was 5 degrees through a stop, or faster or
    stronger on the way than it can be. goal_error: m, and goal_turn: rad, how far the middle between its feet is
    from there. cause: of a fall. problem: why there was no plan in the end, or that joints were overdriven. time:
    s, simulated. steps, hand_contacts: counted from measured forces. planned_hand_contacts: that the plan had
    until the end; made_hand_contacts: those of them in which the hand pushed for at least half of the time.
    distance: m, way of the middle between the feet; speed: m/s, over the time of walking. control_us: median of a
    control period. planning_ms: from what was seen to the first motion; compiling_ms: in which native code was
    made or loaded, which is in no other time; both CPU time. plans: how many there were; replanning_ms: the
    longest of those made on the way, CPU time; late_plans: how many of them took longer than the latency that the
    walk simulates. real_time_factor: simulated over computing time. tilt: rad, greatest of the upper body against
    its plan. dcm_error_rms, zmp_error_rms, center_error_rms: m, against the plan. residual: worst of contact, as a
    part of the weight. drift: m, and drift_turn: rad, between where the robot stands and where it thinks it does,
    which only a camera corrects. peak_foot_force, peak_hand_force: N. energy: J, positive work of all joints.
    cost_of_transport: energy over weight and distance. mode: reduced or full; in full mode tracking: rad, greatest
    error of a joint against its set point, strain: greatest current as a part of what its motor can have, and
    lost_frames of the bus. peak_torques: Nm, by joint. limits_passed: joints that were beyond their limits, or
    faster or (in reduced mode, over 0.1 s) stronger than they can be, with the time, in words. touched: what
    bodies besides feet, and hands besides where the plan put them, have touched, with times and forces, in words.
    """

    reached: bool
    goal_error: float
    goal_turn: float
    fallen: bool
    cause: str | None
    problem: str | None
    time: float
    steps: int
    hand_contacts: int
    planned_hand_contacts: int
    made_hand_contacts: int
    distance: float
    speed: float
    control_us: float
    planning_ms: float
    compiling_ms: float
    plans: int
    replanning_ms: float
    late_plans: int
    real_time_factor: float
    tilt: float
    dcm_error_rms: float
    zmp_error_rms: float
    center_error_rms: float
    residual: float
    drift: float
    drift_turn: float
    peak_foot_force: float
    peak_hand_force: float
    energy: float
    cost_of_transport: float
    mode: str
    tracking: float
    strain: float
    lost_frames: int
    peak_torques: dict[str, float]
    limits_passed: tuple[str, ...]
    touched: tuple[str, ...]


class HandContacts(NamedTuple):
    """found: how often hands have pushed. planned: how often they should have. made: planned ones in which they did."""

    found: int
    planned: int
    made: int


class Stretches:
    """When something was true: rows at which it began and ended, told chunk by chunk."""

    def __init__(self) -> None:
        self._edges: list[int] = []  # rows at which it began and ended, by turns
        self._rows = 0

    def take(self, flags: Flags) -> None:
        """Go on with the next rows (n,)."""
        begun = np.array([len(self._edges) % 2 == 1])
        edges = np.flatnonzero(np.diff(np.concatenate([begun, flags]).astype(np.int8))) + self._rows
        self._edges += edges.tolist()
        self._rows += len(flags)

    @property
    def pairs(self) -> Integers:
        """Where it began, and where it ended (n, 2), rows; the last may still last."""
        edges = [*self._edges, self._rows] if len(self._edges) % 2 else self._edges
        return np.array(edges, dtype=np.int64).reshape(-1, 2)

    def lasting(self, shortest: int) -> list[tuple[int, int]]:
        """Those of at least so many rows, where shorter gaps do not count."""
        begins, ends = self.pairs.T
        if not len(begins):
            return []
        apart = begins[1:] - ends[:-1] >= shortest
        starts = begins[np.concatenate([[True], apart])].tolist()
        stops = ends[np.concatenate([apart, [True]])].tolist()
        return [(a, b) for a, b in zip(starts, stops, strict=True) if b - a >= shortest]

    def count(self, begin: int, end: int) -> int:
        """Of the rows from one on to before another, in how many it was true."""
        return int(np.maximum(np.diff(np.clip(self.pairs, begin, end), axis=1), 0).sum())


class MeanSquare:
    """Root of the mean square of lengths of rows, told chunk by chunk; rows that are no numbers do not count."""

    def __init__(self) -> None:
        self._sum, self._count = 0.0, 0

    def take(self, errors: Array) -> None:
        squares = np.square(errors).sum(axis=-1)
        known = ~np.isnan(squares)
        self._sum, self._count = _added(self._sum, squares[known]), self._count + int(known.sum())

    @property
    def root(self) -> float:
        return float(np.sqrt(self._sum / self._count)) if self._count else 0.0


class WalkTally:
    """What a summary needs of all rows of a log, which need not be kept. It takes them in any pieces.

    row_time: s, of a row. rows: taken so far. tilt: rad; residual, tracking, strain, foot_force, hand_force: greatest.
    peaks (joints,): greatest torques, Nm. effort (joints,): what joints can give, which is looked at if it is given;
    strained (joints,): greatest mean over 0.1 s as a part of that, and strained_at (joints,): when it ended, s.
    """

    def __init__(
        self, body: WalkingBody, weight: float, row_time: float, effort: Array | None = None
    ) -> None:
        self.rows = 0
        self.tilt = self.residual = self.tracking = self.strain = self.foot_force = self.hand_force = 0.0
        self.dcm, self.zmp, self.center = MeanSquare(), MeanSquare(), MeanSquare()
        self.peaks = np.zeros(len(body.driven))
        self.strained, self.strained_at = np.zeros(len(body.driven)), np.zeros(len(body.driven))
        self._effort = None if effort is None else _measurable_efforts(body, effort)
        self._torques = np.empty((0, len(body.driven)))  # the last ones before those that come
        self._body, self._weight, self._row_time = body, weight, row_time
        self._power, self._powers = 0.0, 0  # W, summed up, of so many rows
        self._before: tuple[Array, Array] | None = None  # q and v of the last row that was taken
        self._lifted = [Stretches() for _ in FEET]
        self._pushing = [Stretches() for _ in HANDS]
        self._leaning = [Stretches() for _ in HANDS]

    def take(self, log: WalkLog) -> None:
        """Take the rows of a log that were not taken yet."""
        log = cut(log, self.rows, log.first + len(log.q))
        signals: Any = log.signals
        if not len(signals):
            return
        self.tilt = _greatest(self.tilt, np.abs(signals["tilt"]))
        for name in ("residual", "tracking", "strain"):
            setattr(self, name, _greatest(getattr(self, name), signals[name]))
        for k, foot in enumerate(_FOOT_SIGNALS):
            self.foot_force = _greatest(self.foot_force, signals[foot][:, 2])
            self._lifted[k].take(signals[foot][:, 2] < 0.01 * self._weight)
        for k, hand in enumerate(_HAND_SIGNALS):
            forces = np.linalg.norm(signals[hand][:, :3], axis=1)
            self.hand_force = _greatest(self.hand_force, forces)
            self._pushing[k].take(forces > _HAND_FORCE)
            self._leaning[k].take(signals["hand_loads"][:, k] > _LEANS)
        self.dcm.take(signals["dcm_error"])
        self.zmp.take((signals["zmp"] - signals["planned_zmp"])[:, :2])
        self.center.take(signals["center"] - signals["planned_center"])
        self._take_torques(log)
        self.rows += len(signals)

    def _take_torques(self, log: WalkLog) -> None:
        rows = np.arange(log.first, log.first + len(log.q))
        rows = rows[(rows > 0) & ((rows - 1) % _ROWS_A_STATE == 0)] - log.first
        q, v = log.q[np.maximum(rows - 1, 0)], log.v[np.maximum(rows - 1, 0)]
        if len(rows) and rows[0] == 0 and self._before is not None:
            q[0], v[0] = self._before
        self._before = log.q[-1].copy(), log.v[-1].copy()
        torques, rates = joint_torques(self._body, (q, v), log, self._row_time, rows)
        power = np.maximum(torques * rates, 0.0).sum(axis=1)
        self._power, self._powers = _added(self._power, power), self._powers + len(power)
        self.peaks = np.maximum(self.peaks, np.abs(torques).max(axis=0, initial=0.0))
        self._take_efforts(torques, (log.first + rows) * self._row_time)

    def _take_efforts(self, torques: Array, times: Array) -> None:
        """Means over a tenth of a second: a spike of a millisecond strains nothing."""
        window = max(1, round(_STRAINED / (_ROWS_A_STATE * self._row_time)))
        if self._effort is None or not len(torques):
            return
        known = np.concatenate([self._torques, torques])
        self._torques = known[-(window - 1) :] if window > 1 else known[:0]
        if len(known) < window:
            return
        sums = np.cumsum(np.concatenate([np.zeros((1, known.shape[1])), known]), axis=0)
        parts = np.abs(sums[window:] - sums[:-window]) / (window * self._effort)
        rows, joints = parts.argmax(axis=0), np.arange(parts.shape[1])
        more = parts[rows, joints] > self.strained
        self.strained[more] = parts[rows, joints][more]
        self.strained_at[more] = times[rows - len(parts)][more]

    @property
    def too_strong(self) -> tuple[str, ...]:
        """In words: which joints gave more than they can, by how much, and when."""
        lines = []
        for k in np.flatnonzero(self.strained > _STRONGER).tolist():
            name = self._body.joint_names[k]
            assert self._effort is not None
            limit = f"{self._effort[k]:.3g} {'N' if slides(self._body, name) else 'Nm'}"
            lines.append(
                f"joint {name!r} with up to {self.strained[k]:.0%} of the {limit} that it can give, over 0.1 s before "
                f"{self.strained_at[k]:.3f} s"
            )
        return tuple(lines)

    @property
    def power(self) -> float:
        """Mean positive power of all joints, W."""
        return self._power / self._powers if self._powers else 0.0

    @property
    def _shortest(self) -> int:
        return max(1, round(_SHORTEST / self._row_time))

    @property
    def steps(self) -> int:
        """How often feet were off the ground."""
        return sum(len(each.lasting(self._shortest)) for each in self._lifted)

    @property
    def hand_contacts(self) -> HandContacts:
        """What hands did, and what they should have done."""
        found, planned, made = 0, 0, 0
        for pushing, leaning in zip(self._pushing, self._leaning, strict=True):
            wanted = leaning.lasting(self._shortest)
            found += len(pushing.lasting(self._shortest))
            planned += len(wanted)
            made += sum(pushing.count(a, b) >= _MADE * (b - a) for a, b in wanted)
        return HandContacts(found, planned, made)


def _measurable_efforts(body: WalkingBody, effort: Array) -> Array:
    """What joints can give (joints,), infinite for toes: sensors tell the force on a whole foot, and not what of it is
    on the toes, which inverse dynamics takes for all of it."""
    toes = [body.joint_names.index(name) for name in body.toes]
    measured = np.array(effort, dtype=np.float64)
    measured[toes] = np.inf
    return measured


def _added(before: float, values: Array) -> float:
    """A sum that goes on, one value after the other: it has the same bits in whatever pieces the values come."""
    return float(np.cumsum(np.concatenate([[before], values]))[-1])


def _greatest(before: float, values: Any) -> float:
    """NaN if there is one."""
    return float(np.maximum(before, np.max(values)))


def joint_torques(
    body: WalkingBody, before: tuple[Array, Array], log: WalkLog, row_time: float, rows: Integers
) -> tuple[Array, Array]:
    """Torques (n, joints) that prescribed joints take in some rows, Nm, and their velocities, from inverse dynamics
    with the contact wrenches. before: q and v of the rows before these; row_time: s, between two rows."""
    robot, signals = body.robot, log.signals
    v = np.ascontiguousarray(log.v[rows, : robot.nv])
    # Contact acts at the end of a step, where its velocity holds.
    acceleration = (v - before[1][:, : robot.nv]) / row_time
    names = [body.model.frames[name] for name in (*FEET, *HANDS)]
    parts = (*_FOOT_SIGNALS, *_HAND_SIGNALS)
    loads = {name: np.ascontiguousarray(signals[part][rows]) for name, part in zip(names, parts, strict=True)}
    q = np.ascontiguousarray(before[0][:, : robot.nq])
    torques = inverse_dynamics(robot, q, v, acceleration, wrenches=loads)
    return torques[:, body.driven], v[:, body.driven]

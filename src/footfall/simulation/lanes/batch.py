"""Thousands of robots that live in native memory between calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.dynamics.kinematics import forward_kinematics, frame_attachment, frame_motion
from footfall.errors import InvalidInput, UnknownName
from footfall.geometry.plane import Plane
from footfall.math.rotations import yaw_of
from footfall.robot.model import Robot
from footfall.robot.validation import checked_configuration
from footfall.scene.model import Scene, SceneObject
from footfall.simulation.commands import holding_gains
from footfall.simulation.lanes.batch_step import BatchStep, Ground, RowSettings, RowState
from footfall.simulation.lanes.foot_points import Foot, find_feet
from footfall.simulation.start import standing_start
from footfall.simulation.step_values import StepOptions

_FRICTION = 0.8  # of feet on the ground, if nobody says it


class BatchReport(NamedTuple):
    """What happened to each row in the last period; see `RowReport`. frames (rows, frames, 3) m and velocities (rows,
    frames, 6), [v; w] in world axes, of the frames that were asked for; heights (rows, points) of the ground, m."""

    forces: Array
    touching: Array
    landing: Array
    effort: Array
    residual: Array
    solver_steps: Array
    found: Array
    frames: Array
    velocities: Array
    heights: Array


class RobotBatch:
    """Many robots of one kind on their feet; each row has a state and settings of its own.

    robot: with one floating base. count: of rows. dt: s, of a step. substeps: in a control period, over which the
    joints follow one goal. ground: a plane, or heights. feet: of `find_feet`. options: of a step. q: (nq,) where rows
    start. frames: whose places and velocities are reported. points: (n, 2) beside the base, in axes that have its yaw,
    m, under which the height of the ground is. exact: whether all else of the robot may touch too. threads: by default
    all cores.

    Steps run in lanes as long as nothing but feet can touch within them; a row where that may be otherwise takes the
    step with contacts that are found among all shapes (`BatchReport.found`), and comes back. Bodies that one joint of
    several axes joins, as a shoulder does, never touch each other. A row does not depend on the others, on their number
    or on that of threads, to the bit. `state` and `settings` are arrays with a row for each robot; they may be written.
    """

    def __init__(
        self,
        robot: Robot,
        count: int,
        *,
        dt: float = 0.005,
        substeps: int = 4,
        ground: Ground | None = None,
        feet: Sequence[Foot] | None = None,
        options: StepOptions | None = None,
        q: Array | None = None,
        frames: Sequence[str] = (),
        points: Array | None = None,
        exact: bool = True,
        threads: int | None = None,
    ) -> None:
        if isinstance(count, bool) or count != int(count) or count < 1:
            raise InvalidInput(f"count is {count}; it must be at least 1, and whole")
        for name in frames:
            frame_attachment(robot, name)
        ground = ground or Plane()
        self.robot, self.count, self.threads = robot, int(count), threads
        self.start = (
            standing_configuration(robot, ground)
            if q is None
            else checked_configuration("q", q, robot.joints)
        )
        feet = tuple(find_feet(robot, q=self.start) if feet is None else feet)
        self.step_made = BatchStep(
            robot, feet, ground, replace(options or StepOptions(), dt=dt), substeps, exact, self.start
        )
        self.points = np.zeros((0, 2)) if points is None else np.array(points, dtype=np.float64)
        if self.points.ndim != 2 or self.points.shape[1] != 2 or not np.isfinite(self.points).all():
            raise InvalidInput(f"points has shape {self.points.shape}; it must be (n, 2), finite, in m")
        self.frames = tuple(frames)
        kp, kd = holding_gains(robot)
        shapes = self.step_made.state_shapes()
        self._rows = [
            {name: np.zeros((self.count, *shape)) for name, shape in shapes.items()} for _ in range(2)
        ]
        self._settings = RowSettings(
            *(np.zeros((self.count, *shape)) for shape in self.step_made.setting_shapes().values())
        )
        self.settings.friction[:] = _FRICTION
        self.settings.kp[:], self.settings.kd[:] = kp, kd
        self._goal = np.zeros((self.count, self.joints))
        self._build_kernel()
        self.reset()

    def __getstate__(self) -> dict[str, object]:
        """All but steps between the very arrays of this batch."""
        return {**vars(self), "_calls": {}}

    def _build_kernel(self) -> None:
        made = self.step_made
        inputs = {**made.state_shapes(), **made.setting_shapes(), "goal": (len(made.joints),), "number": ()}
        self.kernel: Kernel = build_kernel(self._traced, inputs, name="batch", check_finite=False)
        outputs = self.kernel.signature.outputs
        shapes = {name: (self.count, *shape) for name, shape in outputs if name not in RowState._fields}
        # All that is reported lies behind each other, so that it is copied at once.
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()]).tolist()
        self._happened = np.zeros(ends[-1])
        self._parts = {
            name: (slice(end - int(np.prod(shape)), end), shape)
            for (name, shape), end in zip(shapes.items(), ends, strict=True)
        }
        self._numbers = np.arange(float(self.count))
        self._calls: dict[int | None, list[Callable[[], None]]] = {}

    def _report(self, happened: Array) -> BatchReport:
        return BatchReport(
            **{name: happened[part].reshape(shape) for name, (part, shape) in self._parts.items()}
        )

    def _stepping(self) -> list[Callable[[], None]]:
        """The step from the rows that hold now to the others, and back."""
        if self.threads not in self._calls:
            reported = self._report(self._happened)._asdict()
            names = [name for name, _ in self.kernel.signature.outputs]
            self._calls[self.threads] = [
                self.kernel.bind_batch(
                    *now.values(), *self.settings, self._goal, self._numbers,
                    out=[{**reported, **after}[name] for name in names], threads=self.threads,
                )
                for now, after in (self._rows, self._rows[::-1])
            ]  # fmt: skip
        return self._calls[self.threads]

    @property
    def state(self) -> RowState:
        """Of all rows, as it is now: (rows, n) each. Valid until the next step."""
        return RowState(**self._rows[0])

    @property
    def settings(self) -> RowSettings:
        """Of all rows: (rows, n) each. What is written here holds from the next step on."""
        return self._settings

    @property
    def joints(self) -> int:
        """Number of joints that are driven."""
        return len(self.step_made.joints)

    @property
    def feet(self) -> tuple[Foot, ...]:
        """What may touch the ground, and how far hulls are from the balls that stand for them."""
        return self.step_made.feet

    def reset(self, rows: Array | None = None, *, q: Array | None = None, v: Array | None = None) -> None:
        """Let some rows, by mask (count,) or number, by default all, start anew: q (nq,) or (rows, nq), v likewise."""
        chosen = np.arange(self.count) if rows is None else _chosen(rows, self.count)
        robot, state = self.robot, self.state
        q = np.asarray(self.start if q is None else q, dtype=np.float64)
        v = np.zeros(robot.nv) if v is None else np.asarray(v, dtype=np.float64)
        for name, value, size in (("q", q, robot.nq), ("v", v, robot.nv)):
            if value.shape not in ((size,), (len(chosen), size)) or not np.isfinite(value).all():
                raise InvalidInput(
                    f"{name} has shape {value.shape}; reset of {len(chosen)} rows takes ({size},) or "
                    f"({len(chosen)}, {size}), finite"
                )
        norms = np.linalg.norm(np.atleast_2d(q)[:, 3:7], axis=1)
        if (off := np.abs(norms - 1.0)).max(initial=0.0) > 1e-6:
            row = int(off.argmax())
            raise InvalidInput(f"row {row} of q has a quaternion of norm {norms[row]:.6g}; it must be 1")
        state.q[chosen], state.v[chosen] = q, v
        state.impulses[chosen], state.air_time[chosen], state.lies[chosen] = 0.0, 0.0, 0.0
        state.held[chosen] = np.broadcast_to(q, (len(chosen), robot.nq))[
            :, [place for place, _ in self.step_made.joints]
        ]

    def step(self, goal: Array) -> BatchReport:
        """One control period under goals (count, joints) or (joints,), rad."""
        goal = np.asarray(goal, dtype=np.float64)
        if goal.shape not in ((self.joints,), (self.count, self.joints)):
            raise InvalidInput(
                f"goal has shape {goal.shape}; it must be ({self.count}, {self.joints}) or ({self.joints},)"
            )
        self._goal[:] = goal
        if not np.isfinite(
            self._goal
        ).all():  # of what lies behind each other and is near: three times as fast
            row, joint = np.argwhere(~np.isfinite(self._goal))[0]
            raise InvalidInput(f"goal of row {row}, joint {joint} is not finite; give rad for every joint")
        self._stepping()[0]()
        self._rows.reverse()
        for calls in self._calls.values():
            calls.reverse()
        return self._report(self._happened.copy())

    def rollout(self, goals: Array) -> tuple[Array, Array]:
        """Many periods in one native call under goals (count, periods, joints): q (count, periods, nq) and v; rows go
        on from there."""
        goals = np.asarray(goals, dtype=np.float64)
        if goals.ndim != 3 or goals.shape[::2] != (self.count, self.joints) or not np.isfinite(goals).all():
            raise InvalidInput(
                f"goals has shape {goals.shape}; it must be ({self.count}, periods, {self.joints}), finite"
            )
        names = [name for name in RowState._fields if name not in ("q", "v")]
        results = self.kernel.rollout(
            *self.state, *(each[:, None] for each in self.settings), goals, self._numbers[:, None],
            only=RowState._fields, last_only=names, threads=self.threads,
        )  # fmt: skip
        found = dict(
            zip(
                [name for name, _ in self.kernel.signature.outputs if name in RowState._fields],
                results,
                strict=True,
            )
        )
        for name, value in found.items():
            self._rows[0][name][:] = value[:, -1] if name in ("q", "v") else value
        return found["q"], found["v"]

    def _traced(self, **arrays: Any) -> Mapping[str, Any]:
        state = RowState(*(arrays[name] for name in RowState._fields))
        settings = RowSettings(*(arrays[name] for name in RowSettings._fields))
        after, report = self.step_made.trace(state, settings, arrays["goal"], arrays["number"], self.count)
        q, v, zero = after.q, after.v, np.zeros(self.robot.nv)
        places = np.zeros((0, 3))
        if self.frames:
            places = forward_kinematics(self.robot, q, frames=self.frames).position
        moving = [frame_motion(self.robot, q, v, zero, name).velocity for name in self.frames]
        heights = heights_under(self.step_made, q, self.points)
        return {
            **after._asdict(),
            **report._asdict(),
            "frames": places,
            "velocities": np.array(moving).reshape(-1, 6),
            "heights": heights,
        }


def heights_under(step: BatchStep, q: Array, points: Array) -> Array:
    """Of the ground under points (n, 2) beside the base, in axes that have its yaw, m."""
    yaw = yaw_of(q[3:7])
    cosine, sine = np.cos(yaw), np.sin(yaw)
    return np.array(
        [step.height(q[0] + cosine * x - sine * y, q[1] + sine * x + cosine * y) for x, y in points]
    )


def standing_configuration(robot: Robot, ground: Ground, name: str | None = None) -> Array:
    """Where a robot starts, set onto the ground if it would begin in it."""
    return np.asarray(standing_start(robot, Scene("ground", (SceneObject("ground", ground),)), name).q)


def _chosen(rows: Array, count: int) -> Any:
    """Numbers of rows, from a mask or from numbers."""
    given = np.asarray(rows)
    if given.dtype == bool:
        if given.shape != (count,):
            raise InvalidInput(f"the mask of rows has shape {given.shape}; it must be ({count},)")
        return np.flatnonzero(given)
    wrong = [int(k) for k in given.ravel() if not 0 <= k < count]
    if wrong:
        raise UnknownName("row", str(wrong[0]), [f"0 to {count - 1}"], "the batch")
    return given.ravel().astype(int)

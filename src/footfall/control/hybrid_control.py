"""From tasks to accelerations and commands: set-points by feedback, force limits by an active set.

Devaramani 2019, chapters 3 and 4. Task frames may move: on the robot itself, or outside with a motion that is given.
Hard tasks come before soft ones, and among them those with a lower `priority` number: where they contradict each other,
the first win. All tasks about motion are understood; those about one frame are solved in O(n).

Rows of tasks for hybrid control: constraints on segments where a task is about one frame, else rows on joints.

One native call gives all that depends on the state; it is made for what the tasks are about and knows nothing of modes,
targets and bounds, so that a task that turns from motion to force compiles nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel
from footfall.control.hybrid_active_set import BoundedMotion, JointRows, solve_bounded
from footfall.control.references import MovingFrame
from footfall.control.requests import checked_array, checked_state, checked_values
from footfall.control.tasks.features import FeatureTask
from footfall.control.tasks.frames import FrameTask, Guard, TaskProgress
from footfall.control.tasks.points import Segment
from footfall.control.tasks.positions import Boundary
from footfall.control.tasks.rows import AXES
from footfall.control.tasks.stack import TaskStack
from footfall.control.tasks.task import MotionTask, Task
from footfall.dynamics.hybrid import HybridMotion
from footfall.dynamics.hybrid_constraints import OWN, Constraint
from footfall.dynamics.hybrid_rows import BoundedRows, bounded_rows, stacked_rows
from footfall.dynamics.kinematics import frame_attachment, frame_motion, frame_pose
from footfall.errors import InvalidInput
from footfall.math.spatial import cross
from footfall.robot.model import Robot


class TaskState(NamedTuple):
    """Of a task's frame in its axes: position and rotation vector (6,), m and rad, velocity (6,), m/s and rad/s."""

    position: Array
    velocity: Array


class TaskBlock(NamedTuple):
    """rows: of a task. state: of its frame, None for tasks that are no `FrameTask`."""

    rows: BoundedRows | JointRows
    state: TaskState | None


def task_blocks(
    robot: Robot, q: Array, v: Array, tasks: Sequence[MotionTask], time: float
) -> list[TaskBlock]:
    """Rows of each task in the state q (nq,), v (nv,)."""
    if not tasks:
        return []
    stack = TaskStack(robot, [each.probe if isinstance(each, FrameTask) else each for each in tasks], time)
    error, speed, bias, directions, carried, jacobian = _segment_kernel(stack)(q, v, stack.parameters)
    blocks: list[TaskBlock] = []
    general = attached = 0
    for task, settled, place in zip(tasks, stack.tasks, stack.places, strict=True):
        count = place.stop - place.start
        segment = settled.segment(robot)
        if segment is None:
            matrix = jacobian[general : general + count]
            general += count
            asked = settled.asked(error[place], speed[place]) - bias[place]
            blocks.append(TaskBlock(_joint_rows(settled, matrix, asked), None))
            continue
        along = slice(attached, attached + count)
        attached += count
        drift = carried[along] - bias[place]
        if isinstance(task, FrameTask):
            state = TaskState(-error[place], speed[place])
            rows = _frame_rows(task.settled(robot), segment, state, directions[:, along], drift)
            blocks.append(TaskBlock(rows, state))
        else:
            asked = settled.asked(error[place], speed[place]) + drift
            blocks.append(TaskBlock(_segment_rows(settled, segment, directions[:, along], asked), None))
    return blocks


def name_of(task: MotionTask) -> str:
    """What a task is called in solutions."""
    return task.name if isinstance(task, (FrameTask, Boundary)) else task.label


def _frame_rows(
    task: FrameTask, segment: Segment, state: TaskState, directions: Array, drift: Array
) -> BoundedRows:
    """Rows of a task, one for each of its axes; directions (6, 6) and drift (6,) of all axes."""
    places = [AXES.index(axis) for axis in task.goals]
    goals = list(task.goals.values())
    given = np.array([goal.mode == "force" for goal in goals])
    moving, setpoints = np.array(places)[~given], np.zeros(len(goals))
    targets = np.array([goal.target for goal in goals if goal.mode != "force"])
    # Bounds are for what comes on top of the drift; accelerations in its own axes are those of the point itself.
    free = [goal.mode == "acceleration" and task.axes == OWN for goal in goals if goal.mode != "force"]
    asked = task.asked(targets - state.position[moving], state.velocity[moving])
    setpoints[~given] = asked + np.where(free, 0.0, drift[moving])
    pushes = np.array([goal.target for goal in goals])
    most = np.array([goal.most_force for goal in goals])
    least = np.array([0.0 if goal.pushes_only else -goal.most_force for goal in goals])
    constraint = Constraint(segment.frame, len(places), against=segment.against, name=task.name)
    return bounded_rows(
        [constraint],
        directions[:, places],
        setpoints,
        lower=np.where(given, pushes, least),
        upper=np.where(given, pushes, most),
        compliance=task.compliance,
    )


def _segment_rows(task: MotionTask, segment: Segment, directions: Array, asked: Array) -> BoundedRows:
    constraint = Constraint(segment.frame, len(asked), against=segment.against, name=name_of(task))
    lower, upper = _bounds(task)
    return bounded_rows([constraint], directions, asked, lower=lower, upper=upper)


def _joint_rows(task: MotionTask, matrix: Array, asked: Array) -> JointRows:
    lower, upper = (np.full(len(asked), bound) for bound in _bounds(task))
    return JointRows(matrix, asked, lower, upper, np.zeros(len(asked)), np.ones(len(asked)))


def _bounds(task: MotionTask) -> tuple[float, float]:
    """Of the forces of a task's rows: what only holds back only pushes."""
    most = task.most_force if isinstance(task, (Boundary, FeatureTask)) else np.inf
    return (0.0 if task.inequality else -most), most


def _segment_kernel(stack: TaskStack) -> Kernel:
    """Native code (q, v, parameters) -> error, speed and bias (m,) of all rows; directions (6, k), and carried (k,) of
    those on segments: what the frame accelerates with along them in constant v; jacobian (n, nv) of the others."""
    robot = stack.robot

    def traced(q: Array, v: Array, parameters: Array) -> dict[str, Array]:
        found = stack.traced_motion(q, v, parameters)
        directions, carried, jacobians = [np.zeros((6, 0))], [np.zeros(0)], [np.zeros((0, robot.nv))]
        start = 0
        for task, place in zip(stack.tasks, stack.places, strict=True):
            own = parameters[start : start + len(task.parameters)]
            start += len(own)
            segment = task.segment(robot)
            if segment is None:
                jacobians.append(found["jacobian"][place])
                continue
            columns = task.directions(robot, q, own)
            directions.append(columns)
            carried.append(columns.T @ _carried(robot, q, v, segment))
        return {
            "error": found["error"],
            "speed": found["speed"],
            "bias": found["bias"],
            "directions": np.concatenate(directions, axis=1),
            "carried": np.concatenate(carried),
            "jacobian": np.concatenate(jacobians),
        }

    place = ("task segments", stack.structure)
    kernels = robot.tree.kernels
    if place not in kernels:
        shapes = {"q": robot.nq, "v": robot.nv, "parameters": len(stack.parameters)}
        kernels[place] = build_kernel(traced, shapes, name="task_segments", key=stack.key("segments"))
    return kernels[place]  # type: ignore[no-any-return]


def _carried(robot: Robot, q: Array, v: Array, segment: Segment) -> Array:
    """Acceleration (6,) of a frame in constant v beyond that of another one's body at the same point, world axes."""
    rest = np.zeros(robot.nv)
    own = frame_motion(robot, q, v, rest, segment.frame).acceleration
    if segment.against is None:
        return own
    other = frame_motion(robot, q, v, rest, segment.against)
    arm = (
        frame_pose.textbook(robot, q, segment.frame).translation
        - frame_pose.textbook(robot, q, segment.against).translation
    )
    turning, spun = other.velocity[3:], other.acceleration[3:]
    linear = other.acceleration[:3] + cross(spun, arm) + cross(turning, cross(turning, arm))
    return np.concatenate([own[:3] - linear, own[3:] - spun])


class HybridProblem(NamedTuple):
    """What is to be solved, to look at.

    tasks: as they were ordered, without those that wait or have ended. states: of their frames, None for tasks that are
    no `FrameTask`. blocks: rows of what stands before the tasks, then of each task.
    """

    robot: Robot
    q: Array
    v: Array
    tasks: tuple[MotionTask, ...]
    states: tuple[TaskState | None, ...]
    blocks: tuple[BoundedRows | JointRows, ...]


class TaskSolution(NamedTuple):
    """motion: of all tasks together. problem: what was solved.

    bounded: the solution of the rows. forces: by task and axis, on the robot, N or N m. saturated: (task, axis) that
    their force limit replaced, or that would have had to pull. finished: tasks that a guard ends. progress: for the
    next call.
    """

    motion: HybridMotion
    problem: HybridProblem
    bounded: BoundedMotion
    forces: Mapping[str, Mapping[str, float]]
    saturated: tuple[tuple[str, str], ...]
    finished: tuple[str, ...]
    progress: TaskProgress

    @property
    def tasks(self) -> tuple[MotionTask, ...]:
        """In their order."""
        return self.problem.tasks

    @property
    def rows(self) -> BoundedRows:
        """Of all constraints on segments."""
        return stacked_rows([block for block in self.problem.blocks if isinstance(block, BoundedRows)])


def in_order(tasks: Iterable[MotionTask]) -> tuple[MotionTask, ...]:
    """Hard tasks first, then by priority, then as given."""
    checked: list[MotionTask] = []
    for task in checked_values("tasks", tasks, Task):
        if not isinstance(task, MotionTask):
            raise InvalidInput(
                f"{type(task).__name__} is about contacts; hybrid control takes tasks about motion, such as FrameTask "
                "and PoseTask"
            )
        if np.ndim(task.weight) or task.weight != 1.0:
            raise InvalidInput(
                f"{task.label}: weight is {task.weight}; here tasks yield by priority, or by their compliance"
            )
        checked.append(task)
    ordered = tuple(sorted(checked, key=lambda task: (_compliance(task) > 0.0, task.priority)))
    names = [name_of(task) for task in ordered]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"two tasks are named {name!r}; names must differ")
    return ordered


def _compliance(task: MotionTask) -> float:
    return task.compliance if isinstance(task, FrameTask) else 0.0


def task_state(
    robot: Robot, q: Array, v: Array, task: FrameTask, *, frames: Mapping[str, MovingFrame] | None = None
) -> TaskState:
    """Where a task's frame is and how it moves, in the axes of the task; q (nq,), v (nv,)."""
    stack = TaskStack(robot, [task.seen_from(frames or {}).probe])
    error, _, speed, _ = stack.motion_kernel(q, v, stack.parameters)
    return TaskState(-error, speed)


def _checked_wrenches(robot: Robot, measured: Mapping[str, Array] | None) -> dict[str, Array]:
    """Measured wrenches by frame, (6,) each."""
    if measured is not None and not isinstance(measured, Mapping):
        raise InvalidInput(f"measured is {measured!r}; it must have wrenches (6,) by the names of frames")
    for frame in measured or {}:
        frame_attachment(robot, frame)
    return {
        frame: checked_array(f"measured of {frame!r}", each, (6,)) for frame, each in (measured or {}).items()
    }


def build_tasks(
    robot: Robot,
    q: Array,
    v: Array,
    tasks: Sequence[MotionTask],
    *,
    frames: Mapping[str, MovingFrame] | None = None,
    before: Sequence[BoundedRows] = (),
    time: float = 0.0,
    progress: TaskProgress = TaskProgress(),  # noqa: B008 (immutable)
    measured: Mapping[str, Array] | None = None,
) -> HybridProblem:
    """The rows of tasks in the state q (nq,), v (nv,); arguments as in `solve_tasks`, which solves them."""
    q, v = checked_state(robot, q, v)
    if not isinstance(progress, TaskProgress):
        raise InvalidInput(f"progress is {progress!r}; hand on the `progress` of the solution before")
    outside, felt = frames or {}, _checked_wrenches(robot, measured)
    given = [task.seen_from(outside) for task in in_order(tasks) if name_of(task) not in progress.finished]
    chosen = []
    for task, block in zip(given, task_blocks(robot, q, v, given, time), strict=True):
        if isinstance(task, FrameTask) and task.when and task.name not in progress.started:
            assert block.state is not None
            values = [_guarded(robot, q, task, guard, block.state, felt, {}) for guard in task.when]
            if not all(guard.holds(value) for guard, value in zip(task.when, values, strict=True)):
                continue
        chosen.append((task, block))
    return HybridProblem(
        robot,
        q,
        v,
        tuple(task for task, _ in chosen),
        tuple(block.state for _, block in chosen),
        (*before, *(block.rows for _, block in chosen)),
    )


def solve_tasks(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    tasks: Sequence[MotionTask],
    *,
    frames: Mapping[str, MovingFrame] | None = None,
    before: Sequence[BoundedRows] = (),
    wrenches: Mapping[str, Array] | None = None,
    time: float = 0.0,
    progress: TaskProgress = TaskProgress(),  # noqa: B008 (immutable)
    measured: Mapping[str, Array] | None = None,
) -> TaskSolution:
    """What tasks do in the state q (nq,), v (nv,) with feed-forward joint forces tau (nv,).

    frames: task frames outside the robot, by the name in `axes`. before: rows that count more than all tasks, such as
    wheels on the ground, contacts and boundaries. wrenches: by frame, known external ones. time: s, for targets that
    are functions of it. progress: of the last call; tasks that wait for their guards `when` and those that have ended
    do nothing. measured: by frame, wrenches [f; n] (6,) on the robot that sensors feel, N and N m, world axes; guards
    on forces look at these where there is one, else at the forces of the task itself.

    `motion.commands` are the joint forces to send to a robot on a fixed base with nothing before the tasks;
    `footfall.control.hybrid_drive` has those of a mobile one. Constraints whose force is beyond its limit give way to
    that force, and those that would pull are let go.
    """
    forward = checked_array("tau", tau, (robot.nv,))
    problem = build_tasks(
        robot, q, v, tasks, frames=frames, before=before, time=time, progress=progress, measured=measured
    )
    bounded = solve_bounded(robot, problem.q, problem.v, forward, problem.blocks, wrenches=wrenches)
    place = sum(len(block.setpoints) for block in before)
    forces: dict[str, dict[str, float]] = {}
    saturated: list[tuple[str, str]] = []
    finished = []
    for task, state in zip(problem.tasks, problem.states, strict=True):
        own: dict[str, float] = {}
        forces[name_of(task)] = own
        for axis, given in _axes(task, robot).items():
            own[axis] = float(bounded.forces[place])
            if bounded.at[place] and not given:
                saturated.append((name_of(task), axis))
            place += 1
        if isinstance(task, FrameTask) and state is not None:
            felt = measured or {}
            values = [_guarded(robot, problem.q, task, guard, state, felt, own) for guard in task.until]
            if any(guard.holds(value) for guard, value in zip(task.until, values, strict=True)):
                finished.append(task.name)
    started = progress.started | {name_of(task) for task in problem.tasks}
    later = TaskProgress(started, progress.finished | set(finished))
    return TaskSolution(bounded.motion, problem, bounded, forces, tuple(saturated), tuple(finished), later)


def _axes(task: MotionTask, robot: Robot) -> dict[str, bool]:
    """Names of a task's rows, and whether their force is given."""
    if isinstance(task, FrameTask):
        return {axis: goal.mode == "force" for axis, goal in task.goals.items()}
    rows = getattr(task, "rows", None) or tuple(str(k) for k in range(task.size(robot)))
    return dict.fromkeys(rows, False)


def _guarded(
    robot: Robot,
    q: Array,
    task: FrameTask,
    guard: Guard,
    state: TaskState,
    measured: Mapping[str, Array],
    forces: Mapping[str, float],
) -> float:
    """The value that a guard looks at."""
    place = AXES.index(guard.axis)
    if guard.quantity == "position":
        return float(state.position[place])
    if guard.quantity == "speed":
        return float(state.velocity[place])
    if task.frame not in measured:
        return forces.get(guard.axis, 0.0)
    wrench = checked_array(f"measured wrench on {task.frame}", measured[task.frame], (6,))
    if task.outside is not None:
        rotation = task.outside.pose.rotation
    else:
        rotation = frame_pose(robot, q, task.frame if task.axes == OWN else task.axes).rotation
    return float(rotation[:, place % 3] @ wrench[3 * (place // 3) :][:3])

"""Hybrid dynamics by Popov and Vereshchagin: accelerations under constraints on any segments, O(n).

Gauss' principle: of all accelerations that fulfil the constraints, nature takes the ones nearest to the free
motion. The articulated-body algorithm finds them with two more things on its way inward, Devaramani 2019, chapter 3:

    A                       unit constraint forces of the components, as a link feels them through free joints
    matrix                  J M^-1 J^T: what a unit force of one component does to another (-L_0 in Devaramani 2019)
    free_accelerations      of the components, without constraint forces (U_0 + A_0^T X_0 in Devaramani 2019)

At the root `matrix @ forces = set-points - free_accelerations` gives the constraint forces (-nu in Devaramani 2019:
they act on the robot), and the way outward is that of forward dynamics. Branches meet by adding up, Devaramani 2019,
(4.1); a floating base is a joint like all others, so Devaramani 2019, (4.3) and (4.6) need no code of their own.

Accelerations are classical and true: a set-point of zero holds a frame still against gravity.

Which branches can have their constraints eliminated is tried out, once for each robot and constraints: counting joints
is not enough, as joints whose axes pass through a point do not move it. Looped robots are solved on the tree with the
loops as its first constraints, without set-points: bodies that meet in a point accelerate alike there. What the loops
do to each other and to the tasks is then found at the root, with ranks, like everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Signature, cleandoc, signature
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler import greater_equal, minimum, repeat
from footfall.dynamics.algorithm import Algorithm
from footfall.dynamics.hybrid_branches import branches_to_eliminate
from footfall.dynamics.hybrid_constraints import AXES, Constraint, check_constraints, constraint_rows
from footfall.dynamics.hybrid_elimination import solve_semidefinite
from footfall.dynamics.hybrid_sweeps import (
    Inputs,
    inward_sweep,
    joint_inertias,
    outward_sweep,
    prescribed_velocities,
)
from footfall.dynamics.loops import Coupling, independent
from footfall.errors import UnsupportedFeature
from footfall.robot.loops import LoopType
from footfall.robot.model import Robot
from footfall.robot.validation import check_mass_matrix

Plan = dict[int, list[int]]

_TRIALS = 3


def branch_plan(robot: Robot, constraints: tuple[Constraint, ...], prescribed: tuple[str, ...]) -> Plan:
    """Rows to eliminate where they leave a link, by link; see `branches_to_eliminate`."""
    key = ("branch plan", constraints, prescribed)
    if key not in robot.tree.kernels:
        robot.tree.kernels[key] = _tried_plan(robot, constraints, prescribed)
    plan: Plan = robot.tree.kernels[key]
    return plan


def _tried_plan(robot: Robot, constraints: tuple[Constraint, ...], prescribed: tuple[str, ...]) -> Plan:
    driven = prescribed_velocities(robot, prescribed)
    trials = [_random_inputs(robot, constraints, prescribed, seed) for seed in range(_TRIALS)]
    attached = inward_sweep(robot, trials[0]).attached
    refused: set[int] = set()
    while True:
        plan = branches_to_eliminate(robot.tree, attached, driven, refused)
        if not plan:
            return plan
        sweeps = [inward_sweep(robot, inputs, plan=plan) for inputs in trials]
        poor = {
            link
            for link in plan
            if sum(not sweep.eliminated[link].factor.margin >= 0.0 for sweep in sweeps) > _TRIALS // 2
        }
        if not poor:
            return plan
        refused |= poor


def _random_inputs(
    robot: Robot, constraints: tuple[Constraint, ...], prescribed: tuple[str, ...], seed: int
) -> Inputs:
    """A configuration anywhere, at rest, with any directions."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=robot.nq)
    for link in robot.tree.links:
        if link.kind == "spherical":
            q[link.q] /= np.linalg.norm(q[link.q])
    rows, zero = constraint_rows(constraints), np.zeros(robot.nv)
    directions = rng.normal(size=(6, rows))
    return Inputs(q, zero, zero, constraints, directions, None, prescribed, zero, None, np.zeros(rows), None)


_DIRECTIONS = {LoopType.POINT: AXES[:3], LoopType.WELD: AXES}


def loop_constraints(robot: Robot) -> tuple[Constraint, ...]:
    """The loops of a robot as constraints on `robot.spanning`; points and welds can be such."""
    for loop in robot.loops:
        if loop.recovery:
            message = "fades with `recovery`; hybrid dynamics takes loops that are closed"
            raise UnsupportedFeature(message, subject=("loop", loop.name))
        if loop.type not in _DIRECTIONS:
            raise UnsupportedFeature(
                f"is a {loop.type}; hybrid dynamics takes points and welds", subject=("loop", loop.name)
            )
    return tuple(
        Constraint(loop.frame, _DIRECTIONS[loop.type], against=loop.against, name=loop.name)
        for loop in robot.loops
    )


def inputs_of_all_joints(robot: Robot, coupling: Coupling, inputs: Inputs) -> Inputs:
    """The same for `robot.spanning`, with the loops before the other constraints."""
    for joint in inputs.prescribed:
        if not len(range(robot.nv)[robot.v_slice(joint)]):
            raise UnsupportedFeature(
                "follows from others; only joints that others follow can be prescribed",
                subject=("joint", joint),
            )
    loops = loop_constraints(robot)
    rows = constraint_rows(loops)

    def behind(values: Array, filling: float) -> Array:
        return np.concatenate([np.full((*values.shape[:-1], rows), filling), values], axis=-1)

    return inputs._replace(
        v=coupling.velocity(inputs.v),
        tau=_spread(robot, inputs.tau),
        constraints=(*loops, *inputs.constraints),
        directions=None if inputs.directions is None else behind(inputs.directions, 1.0),
        active=None if inputs.active is None else behind(inputs.active, 1.0),
        a=None if inputs.a is None else _spread(robot, inputs.a),
        goal=behind(inputs.goal, 0.0),
        compliance=None if inputs.compliance is None else behind(inputs.compliance, 0.0),
    )


def field_of_independent_joints(robot: Robot, coupling: Coupling, name: str, value: Array) -> Array:
    """A field of the motion of all joints as that of the looped robot."""
    if name in ("accelerations", "joint_forces"):
        return independent(robot, value)
    if name == "constraint_torques":
        return coupling.forces(value)  # loops have no part in it, as they do no work
    if name in ("forces", "residuals", "kept"):
        return value[constraint_rows(loop_constraints(robot)) :]
    return value


def _spread(robot: Robot, values: Array) -> Array:
    """Values (nv,) of the independent joints among zeros for the others."""
    assert robot.tree.loops is not None
    entries: list[Any] = [0.0] * robot.tree.nv
    for place, velocity in enumerate(robot.tree.loops.independent):
        entries[velocity] = values[place]
    return np.array(entries)


class HybridMotion(NamedTuple):
    """What `hybrid_dynamics` finds; m is the number of constrained components.

    accelerations: (nv,) rad/s2 or m/s2.
    forces: (m,) N or N m, of the constraints on the robot, along their directions; zero for what is redundant.
    residuals: (m,) m/s2 or rad/s2, set-point less what is reached; zero but for conflicts and soft constraints.
    kept: (m,) 1 where a component was independent of those before it, else 0; their sum is the rank.
    joint_forces: (nv,) N m or N, of the motors if something outside holds the constraints (a contact): tau, and on
    joints with prescribed accelerations what these take.
    constraint_torques: (nv,) the constraint forces as joint forces `J^T f`.
    segments: (k, 6) accelerations [a; alpha] of the frames asked for, classical, world axes.
    """

    accelerations: Array
    forces: Array
    residuals: Array
    kept: Array
    joint_forces: Array
    constraint_torques: Array
    segments: Array

    @property
    def commands(self) -> Array:
        """Joint forces (nv,) that make this motion if motors produce all constraints (a task), Devaramani 2019, (3.9).

        Entries of a floating base are what its joint would have to provide: it cannot, see Devaramani 2019, chapter 4.
        """
        return self.joint_forces + self.constraint_torques


def hybrid_inputs(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    *,
    constraints: Sequence[Constraint] = (),
    setpoints: Array | None = None,
    directions: Array | None = None,
    active: Array | None = None,
    compliance: Array | None = None,
    prescribed: Sequence[str] = (),
    a: Array | None = None,
    wrenches: Mapping[str, Array] | None = None,
) -> Inputs:
    """What the algorithms here take, in the state q (nq,), v (nv,), checked.

    tau: (nv,) joint forces, N m or N.
    constraints: each prescribes components of a frame's acceleration; m components in all.
    setpoints: (m,) m/s2 or rad/s2, zero if not given.
    directions: (6, m) for constraints that take theirs with the call.
    active: (m,) 1 or 0, components that hold; the others have no force.
    compliance: (m,) >= 0, (m/s2)/N or (rad/s2)/(N m), makes a component soft: it misses its set-point by compliance
        times force.
    prescribed: names of joints whose accelerations are given in `a`.
    a: (nv,) these accelerations; its other entries, and those of prescribed joints in tau, have no effect.
    wrenches: by frame, external wrench [f; n] (6,) on the robot, world axes, at the frame's origin.
    """
    goal = np.zeros(constraint_rows(constraints)) if setpoints is None else setpoints
    inputs = Inputs(
        q, v, tau, tuple(constraints), directions, active, tuple(prescribed), a, wrenches, goal, compliance
    )
    check_hybrid(robot, inputs)
    return inputs


_SHAPES = {
    "q": "nq",
    "v": "nv",
    "tau": "nv",
    "forces": "*",
    "setpoints": "*",
    "directions": "6, *",
    "active": "*",
    "compliance": "*",
    "a": "nv",
    "wrenches": "name -> 6",
}


def algorithm_of_inputs(*, without: Sequence[str] = ()) -> Callable[[Callable[..., Any]], Algorithm]:
    """Make `function(robot, inputs, ...)` an algorithm with the arguments of `hybrid_inputs`, which stand once so.

    without: arguments of these that it has no use for. What else the function takes is an option of its own.
    """

    def decorate(function: Callable[..., Any]) -> Algorithm:
        own = list(signature(function).parameters.values())[2:]
        given = [each for name, each in signature(hybrid_inputs).parameters.items() if name not in without]

        @wraps(function)
        def textbook(robot: Robot, *arguments: Array, **options: Any) -> Any:
            kept = {each.name: options.pop(each.name) for each in own if each.name in options}
            return function(robot, hybrid_inputs(robot, *arguments, **options), **kept)

        textbook.__signature__ = Signature([*given, *own])  # type: ignore[attr-defined]
        textbook.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\n{_argument_lines(without)}"
        taken = {each.name for each in (*given, *own)}
        return Algorithm(textbook, {name: shape for name, shape in _SHAPES.items() if name in taken})

    return decorate


def _argument_lines(without: Sequence[str]) -> str:
    """The lines of `hybrid_inputs`' docstring about arguments, but for some."""
    kept, telling = [], False
    for line in cleandoc(hybrid_inputs.__doc__ or "").splitlines():
        if line and not line.startswith(" "):
            name = line.partition(":")[0]
            telling = name in signature(hybrid_inputs).parameters and name not in without
        if telling:
            kept.append(line)
    return "\n".join(kept)


@algorithm_of_inputs()
def hybrid_dynamics(robot: Robot, inputs: Inputs, *, segments: Sequence[str] = ()) -> HybridMotion:
    """Accelerations under joint forces tau (nv,) and constraints in the state q (nq,), v (nv,), and all forces.

    segments: frames whose accelerations are wanted.

    A component that depends on those before it is left out. If it also contradicts them it has a residual: the
    order of the constraints is their priority. `resolve_constraints` shares forces evenly instead.
    """
    return HybridMotion(*_solve_safely(robot, inputs, segments, HybridMotion._fields))


class HybridAccelerations(NamedTuple):
    """accelerations: (nv,) rad/s2 or m/s2. forces: (m,) N or N m, of the constraints on the robot."""

    accelerations: Array
    forces: Array


@algorithm_of_inputs()
def hybrid_accelerations(robot: Robot, inputs: Inputs) -> HybridAccelerations:
    """The first two results of `hybrid_dynamics`, q (nq,), v (nv,), tau (nv,), for loops where the others cost time."""
    return HybridAccelerations(*_solve_safely(robot, inputs, (), HybridAccelerations._fields))


def _solve_safely(
    robot: Robot, inputs: Inputs, segments: Sequence[str], fields: Sequence[str]
) -> tuple[Array, ...]:
    """Fields of the motion, solved again where eliminating branches leaves too few digits."""
    if robot.loops:
        coupling = Coupling(robot, inputs.q)
        found = _solve_safely(robot.spanning, inputs_of_all_joints(robot, coupling, inputs), segments, fields)
        return tuple(
            field_of_independent_joints(robot, coupling, name, value)
            for name, value in zip(fields, found, strict=True)
        )
    motion, margin = _solve(robot, inputs, segments, eliminate=True)
    chosen = tuple(getattr(motion, name) for name in fields)
    if margin is None:
        return chosen
    # Rarely, in a stretched leg say, too few digits are left: again, all constraints at the root. What the loop takes
    # as its state is computed inside it, and so only where it is needed.
    wrenches = inputs.wrenches or {}
    given = {name: value for name, value in inputs._asdict().items() if isinstance(value, np.ndarray)}
    given |= {f"wrench {name}": wrench for name, wrench in wrenches.items()}

    def again(_: Array, *state: Array) -> tuple[Any, ...]:
        arrays = dict(zip(given, state, strict=False))
        plain: dict[str, Any] = {
            name: value for name, value in arrays.items() if not name.startswith("wrench ")
        }
        pushed = {name: arrays[f"wrench {name}"] for name in wrenches}
        better, _ = _solve(robot, inputs._replace(**plain, wrenches=pushed), segments, eliminate=False)
        return (np.zeros(1), *arrays.values(), *(getattr(better, name) for name in fields))

    state = (np.array([margin]), *given.values(), *chosen)
    final = repeat(again, state, count=1, until=lambda margin, *_: greater_equal(margin[0], 0.0))
    return tuple(final[-len(chosen) :])


def _solve(
    robot: Robot, inputs: Inputs, segments: Sequence[str], *, eliminate: bool
) -> tuple[HybridMotion, Any]:
    """The motion, and the margin of the elimination: None if there was no branch, negative if digits are lost."""
    inputs = inputs if inputs.active is None else inputs._replace(goal=inputs.goal * inputs.active)
    plan = branch_plan(robot, inputs.constraints, inputs.prescribed) if eliminate else None
    sweep = inward_sweep(robot, inputs, plan=plan)
    rows, count = sweep.rows, len(sweep.matrix)
    solution = solve_semidefinite(
        [[sweep.matrix[i][j] for j in rows] for i in rows],
        [inputs.goal[row] - sweep.free_accelerations[row] for row in rows],
        [sweep.scales[row] for row in rows],
    )
    forces: list[Any] = [0.0] * count
    residuals, kept, margin = [0.0] * count, [1.0] * count, solution.margin
    for k, row in enumerate(rows):
        forces[row], residuals[row], kept[row] = solution.x[k], solution.residuals[k], solution.kept[k]
    for branch in sweep.eliminated.values():
        margin = minimum(margin, branch.factor.margin)
        for row, alone in zip(branch.rows, branch.factor.kept, strict=True):
            kept[row] = alone
    outward = outward_sweep(robot, inputs, sweep, forces, segments)
    if inputs.compliance is not None:
        residuals = [
            each + soft * force
            for each, soft, force in zip(residuals, inputs.compliance, forces, strict=True)
        ]
    motion = HybridMotion(
        outward.accelerations, np.array(forces), np.array(residuals), np.array(kept), *outward[1:]
    )
    return motion, margin if sweep.eliminated else None


class ConstraintSystem(NamedTuple):
    """`matrix @ forces = setpoints - free_accelerations`.

    matrix: (m, m) inverse inertia J M^-1 J^T of the components; free_accelerations: (m,) m/s2 or rad/s2 without
    constraint forces. joint_inertias: (nv,) kg m2 or kg, articulated inertia D of each joint; `D a` is what KDL calls
    total torque: no command, but what is left of all forces to accelerate the joint.
    """

    matrix: Array
    free_accelerations: Array
    joint_inertias: Array


@algorithm_of_inputs(without=("setpoints", "compliance"))
def constraint_system(robot: Robot, inputs: Inputs) -> ConstraintSystem:
    """The equations of the constraint forces in the state q (nq,), v (nv,) under tau (nv,), O(n)."""
    rows = constraint_rows(inputs.constraints)
    sweep = inward_sweep(robot, inputs)
    return ConstraintSystem(
        np.array(sweep.matrix).reshape(rows, rows),
        np.array(sweep.free_accelerations).reshape(rows),
        joint_inertias(robot, sweep),
    )


@algorithm_of_inputs(without=("setpoints", "active", "compliance"))
def motion_under_constraint_forces(
    robot: Robot, inputs: Inputs, *, forces: Array, segments: Sequence[str] = ()
) -> HybridMotion:
    """The motion that given constraint forces (m,) cause in the state q (nq,), v (nv,) under tau (nv,).

    residuals: minus what the components accelerate with. segments: frames whose accelerations are wanted.
    """
    rows = constraint_rows(inputs.constraints)
    check_constraints(robot, inputs.constraints, directions=inputs.directions, forces=forces)
    sweep = inward_sweep(robot, inputs)
    outward = outward_sweep(robot, inputs, sweep, list(forces), segments)
    reached = [
        sweep.free_accelerations[i] + sum(sweep.matrix[i][j] * forces[j] for j in range(rows))
        for i in range(rows)
    ]
    return HybridMotion(outward.accelerations, forces, -np.array(reached), np.ones(rows), *outward[1:])


@algorithm_of_inputs(without=("setpoints", "active", "compliance"))
def felt_constraint_torques(robot: Robot, inputs: Inputs, *, forces: Array) -> Array:
    """What each joint feels of constraint forces (m,), through the free joints beyond it, (nv,), N m or N.

    Of a joint with inertia D (`constraint_system`) they are the part of `D a` that the constraints make, Devaramani
    2019, (3.9).
    They are no command: `HybridMotion.commands` are. Joints with prescribed accelerations feel nothing here.
    """
    check_constraints(robot, inputs.constraints, directions=inputs.directions, forces=forces)
    felt: list[Any] = [0.0] * robot.tree.nv
    for link, joint in zip(robot.tree.links, inward_sweep(robot, inputs).joints, strict=True):
        if isinstance(joint, list):
            for velocity, axis in zip(range(robot.tree.nv)[link.v], joint, strict=True):
                felt[velocity] = axis.inertia * sum(push * forces[row] for row, push in axis.pushes.items())
    return np.array(felt)


def check_hybrid(robot: Robot, inputs: Inputs) -> None:
    """Refuse what cannot be solved, by name."""
    check_mass_matrix(robot)
    for joint in inputs.prescribed:
        robot.v_slice(joint)
    if inputs.prescribed and inputs.a is None:
        raise TypeError(
            f"accelerations of {', '.join(inputs.prescribed)} are prescribed: give them in a (nv,)"
        )
    check_constraints(
        robot,
        inputs.constraints,
        setpoints=inputs.goal,
        directions=inputs.directions,
        active=inputs.active,
        compliance=inputs.compliance,
    )

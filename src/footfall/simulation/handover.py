"""From one engine to the other between two steps: state and contact memory of a simulation go on in another one.

Contacts that are found and places that are listed are not the same points. The impulse of each contact is given to the
nearest one of the same two bodies in the other engine: it says where the next step starts from, and how far springs
along a surface have given way.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.assembly import world_points
from footfall.contact.candidates import detect_contacts
from footfall.contact.contacts import Contacts
from footfall.contact.law import moment_arm
from footfall.errors import InvalidInput
from footfall.robot.model import WORLD
from footfall.simulation.joint_control import limited_velocities, rubbing_velocities
from footfall.simulation.lanes.engine import FeetEngine
from footfall.simulation.plants import ExactSimulation, FeetSimulation
from footfall.simulation.run_values import SimulationState
from footfall.simulation.simulation import Simulation
from footfall.simulation.world.engine import WorldEngine

_SAME = 0.03  # m: contacts of two bodies that are farther apart are others


class _Memory(NamedTuple):
    """Contacts: bodies (n,), WORLD for what is none of the robot's; positions, impulses and moments (n, 3) on the first
    of them; world axes, m, N s and N m s."""

    bodies: list[tuple[str, str]]
    positions: Array
    impulses: Array
    moments: Array


def hand_over(source: ExactSimulation, target: ExactSimulation) -> None:
    """Let a simulation of the same robot and scene go on from where another one is, with its contact memory.

    Either may find contacts or have a list of places: `hand_over(found, lanes)`, some steps, `hand_over(lanes, found)`.
    """
    for each in (source, target):
        if not isinstance(each, Simulation | FeetSimulation):
            raise TypeError(f"hand_over takes Simulation and FeetSimulation, not {type(each).__name__}")
    ours, theirs = ([joint.name for joint in each.robot.joints] for each in (source, target))
    if ours != theirs:
        raise InvalidInput(f"hand_over: robots have other joints; source: {ours}, target: {theirs}")
    state, memory = source.state, _memory(source, source.state)
    keys = _joint_keys(source)
    joints = dict(zip(keys, state.impulses[len(state.impulses) - len(keys) :], strict=True))
    # a state of the target's own kind, with nothing in it
    begun = replace(target.engine.start(state.q, state.v), time=state.time, integral=state.integral.copy())
    begun = replace(begun, drives=state.drives.copy())
    begin = _found_state if isinstance(target.engine, WorldEngine) else _listed_state
    target.state = begin(target, begun, memory, [joints.get(key, 0.0) for key in _joint_keys(target)])


def _memory(simulation: ExactSimulation, state: SimulationState) -> _Memory:
    engine = simulation.engine
    if isinstance(engine, WorldEngine):
        contacts: Any = state.contacts
        bodies = {body.name for body in simulation.robot.bodies} | {WORLD}
        pairs = [[engine.contacts.owner_of(each[side]) for side in ("first", "second")] for each in contacts]
        carriers = [[name if name in bodies else WORLD for name in pair] for pair in pairs]
        impulses = state.impulses[: 3 * len(contacts)].reshape(-1, 3)
        return _Memory(
            [(first, second) for first, second in carriers],
            contacts["position"],
            impulses,
            contacts["moment"],
        )
    listed, arms = _listed_contacts(simulation, state)
    count, moments = len(listed), np.zeros((len(listed), 3))
    for number, k in enumerate(np.flatnonzero(arms), count):
        moments[k] = arms[k] * listed.rotations[k] @ state.impulses[3 * number : 3 * number + 3]
    return _Memory(
        list(zip(listed.bodies, listed.others, strict=True)),
        world_points(simulation.robot, state.q, listed.bodies, listed.points),
        np.einsum("mij,mj->mi", listed.rotations, state.impulses[: 3 * count].reshape(-1, 3)),
        moments,
    )


def _listed_state(
    simulation: ExactSimulation, state: SimulationState, memory: _Memory, joints: list[float]
) -> SimulationState:
    listed, arms = _listed_contacts(simulation, state)
    known = _matched(memory, _memory(simulation, state))
    count, impulses = len(listed), state.impulses.copy()
    impulses[: 3 * count] = np.einsum("mji,mj->mi", listed.rotations, known.impulses).ravel()
    for number, k in enumerate(np.flatnonzero(arms), count):
        impulses[3 * number : 3 * number + 3] = listed.rotations[k].T @ known.moments[k] / arms[k]
    impulses[len(impulses) - len(joints) :] = joints
    return replace(state, impulses=impulses)


def _found_state(
    simulation: ExactSimulation, state: SimulationState, memory: _Memory, joints: list[float]
) -> SimulationState:
    """What is found at the configuration of the state is what a step from there finds."""
    trial = copy(simulation)
    trial.state = state
    trial.step(trial.zero_command)
    contacts: Any = trial.state.contacts.copy()
    known = _matched(memory, _memory(simulation, replace(trial.state, contacts=contacts)))
    contacts["ahead"], contacts["bend"], contacts["moment"] = -np.inf, 0.0, known.moments
    return replace(state, contacts=contacts, impulses=np.concatenate([known.impulses.ravel(), joints]))


def _joint_keys(simulation: ExactSimulation) -> list[tuple[int, str]]:
    """Of each joint row its velocity, or what it is missed by, and its kind; in the order of the engine."""
    engine, robot, joints = simulation.engine, simulation.robot, simulation.options.joints
    if isinstance(engine, WorldEngine):
        return [
            (int(row["coordinate"]), "loop")
            if row["friction"] == np.inf
            else (int(row["velocity"]), "friction" if row["friction"] > 0.0 else "limit")
            for row in np.asarray(engine.world.joints)
        ]
    limited = limited_velocities(robot) if joints.limits else []
    rubbing = rubbing_velocities(robot) if joints.friction else []
    return [(velocity, "limit") for _, velocity in limited] + [(each, "friction") for each in rubbing]


def _matched(memory: _Memory, places: _Memory) -> _Memory:
    """Places with the impulse and moment of what is remembered nearest to each, each once, nearest first."""
    pairs = []
    for m, bodies in enumerate(memory.bodies):
        for k, others in enumerate(places.bodies):
            distance = float(np.linalg.norm(memory.positions[m] - places.positions[k]))
            if set(bodies) == set(others) and distance < _SAME:
                pairs.append((distance, m, k, 1.0 if bodies == others else -1.0))
    impulses, moments = np.zeros((len(places.bodies), 3)), np.zeros((len(places.bodies), 3))
    taken: set[int] = set()
    given: set[int] = set()
    for _, m, k, sign in sorted(pairs):
        if m not in taken and k not in given:
            taken.add(m)
            given.add(k)
            impulses[k], moments[k] = sign * memory.impulses[m], sign * memory.moments[m]
    return places._replace(impulses=impulses, moments=moments)


def _listed_contacts(simulation: ExactSimulation, state: SimulationState) -> tuple[Contacts, Array]:
    """Places of a list, and the arms (n,) of their rolling and torsional friction, m."""
    engine = simulation.engine
    assert isinstance(engine, FeetEngine)
    listed = detect_contacts(simulation.robot, state.q, engine.candidates, margin=np.inf, time=state.time)
    both = zip(listed.rolling_friction, listed.torsional_friction, strict=True)
    return listed, np.array([moment_arm(*each) for each in both], dtype=np.float64)

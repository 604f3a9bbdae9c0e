"""From one engine to the other between two steps: state and contact memory of a simulation go on in another one.

Contacts that are found and places that are listed are not the same points. The impulse of each contact is given to the
nearest one of the same two bodies in the other engine: it says where the next step starts from, and how far springs
along a surface have given way.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.contacts import Contacts
from footfall.contact.detection import detect_contacts
from footfall.contact.law import moment_arm
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import InvalidInput
from footfall.robot.model import WORLD
from footfall.simulation.feet import FeetEngine
from footfall.simulation.joint_control import limited_velocities, rubbing_velocities
from footfall.simulation.plants import ExactSimulation, FeetSimulation
from footfall.simulation.run_values import SimulationState
from footfall.simulation.simulation import Simulation
from footfall.simulation.world.engine import WorldEngine

_Joints = Mapping[tuple[int, str], float]  # impulses of joint rows, N s
_SAME = 0.03  # m: contacts of two bodies that are farther apart are others


class _Remembered(NamedTuple):
    """A contact: bodies (WORLD for what is none of the robot's), position, impulse and moment on the first of them;
    world axes, m, N s and N m s."""

    bodies: tuple[str, str]
    position: Array
    impulse: Array
    moment: Array


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
    state, memory = source.state, _memory(source)
    keys = _joint_keys(source)
    joints = dict(zip(keys, state.impulses[len(state.impulses) - len(keys) :], strict=True))
    # a state of the target's own kind, with nothing in it
    begun = replace(target.engine.start(state.q, state.v), time=state.time, integral=state.integral.copy())
    begun = replace(begun, drives=state.drives.copy())
    if isinstance(target.engine, WorldEngine):
        target.state = _found_state(target, begun, memory, joints)
    else:
        target.state = _listed_state(target, begun, memory, joints)


def _memory(simulation: ExactSimulation) -> list[_Remembered]:
    state, engine = simulation.state, simulation.engine
    bodies = {body.name for body in simulation.robot.bodies}
    if isinstance(engine, WorldEngine):
        impulses = state.impulses[: 3 * len(state.contacts)].reshape(-1, 3)
        return [
            _Remembered(
                _carriers(bodies, *(engine.contacts.owner_of(contact[side]) for side in ("first", "second"))),
                contact["position"],
                impulse,
                contact["moment"],
            )
            for contact, impulse in zip(state.contacts, impulses, strict=True)
        ]
    contacts = _listed_contacts(simulation, state)
    impulses = state.impulses[: 3 * len(contacts)].reshape(-1, 3)
    moments, arms = np.zeros((len(contacts), 3)), _arms(contacts)
    for number, k in enumerate(np.flatnonzero(arms), len(contacts)):
        moments[k] = arms[k] * contacts.rotations[k] @ state.impulses[3 * number : 3 * number + 3]
    return [
        _Remembered(_carriers(bodies, body, other), position, rotation @ impulse, moment)
        for body, other, position, rotation, impulse, moment in zip(
            contacts.bodies,
            contacts.others,
            _positions(simulation, state, contacts),
            contacts.rotations,
            impulses,
            moments,
            strict=True,
        )
    ]


def _listed_state(
    simulation: ExactSimulation, state: SimulationState, memory: list[_Remembered], joints: _Joints
) -> SimulationState:
    contacts = _listed_contacts(simulation, state)
    places = [
        _Remembered((body, other), position, np.zeros(3), np.zeros(3))
        for body, other, position in zip(
            contacts.bodies, contacts.others, _positions(simulation, state, contacts), strict=True
        )
    ]
    impulses, arms = state.impulses.copy(), _arms(contacts)
    followers = np.cumsum(arms > 0.0) - 1
    for k, impulse, moment in _matched(memory, places):
        impulses[3 * k : 3 * k + 3] = contacts.rotations[k].T @ impulse
        if arms[k] > 0.0:
            first = 3 * (len(contacts) + followers[k])
            impulses[first : first + 3] = contacts.rotations[k].T @ moment / arms[k]
    for row, key in enumerate(reversed(_joint_keys(simulation)), 1):
        impulses[-row] = joints.get(key, 0.0)
    return replace(state, impulses=impulses)


def _found_state(
    simulation: ExactSimulation, state: SimulationState, memory: list[_Remembered], joints: _Joints
) -> SimulationState:
    """What is found at the configuration of the state is what a step from there finds."""
    trial, engine = copy(simulation), simulation.engine
    assert isinstance(engine, WorldEngine)
    trial.state = state
    trial.step(trial.zero_command)
    contacts: Any = trial.state.contacts.copy()
    contacts["ahead"], contacts["bend"], contacts["moment"] = -np.inf, 0.0, 0.0
    bodies = {body.name for body in simulation.robot.bodies}
    places = [
        _Remembered(
            _carriers(bodies, *(engine.contacts.owner_of(contact[side]) for side in ("first", "second"))),
            contact["position"],
            np.zeros(3),
            np.zeros(3),
        )
        for contact in contacts
    ]
    impulses = np.zeros((len(contacts), 3))
    for k, impulse, moment in _matched(memory, places):
        impulses[k], contacts["moment"][k] = impulse, moment
    rows = [joints.get(key, 0.0) for key in _joint_keys(simulation)]
    return replace(state, contacts=contacts, impulses=np.concatenate([impulses.ravel(), rows]))


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


def _matched(memory: list[_Remembered], places: list[_Remembered]) -> list[tuple[int, Array, Array]]:
    """Places with the impulse and moment of what is remembered nearest to each, each once, nearest first."""
    pairs = []
    for m, one in enumerate(memory):
        for k, place in enumerate(places):
            if set(one.bodies) == set(place.bodies):
                distance = float(np.linalg.norm(one.position - place.position))
                sign = 1.0 if one.bodies == place.bodies else -1.0
                pairs += [(distance, m, k, sign)] if distance < _SAME else []
    taken: set[int] = set()
    given: dict[int, tuple[Array, Array]] = {}
    for _, m, k, sign in sorted(pairs):
        if m not in taken and k not in given:
            taken.add(m)
            given[k] = sign * memory[m].impulse, sign * memory[m].moment
    return [(k, *both) for k, both in given.items()]


def _carriers(bodies: set[str], *names: str) -> tuple[str, str]:
    first, second = (name if name in bodies else WORLD for name in names)
    return first, second


def _listed_contacts(simulation: ExactSimulation, state: SimulationState) -> Contacts:
    engine = simulation.engine
    assert isinstance(engine, FeetEngine)
    return detect_contacts(simulation.robot, state.q, engine.candidates, margin=np.inf, time=state.time)


def _arms(contacts: Contacts) -> Array:
    both = zip(contacts.rolling_friction, contacts.torsional_friction, strict=True)
    return np.array([moment_arm(*each) for each in both], dtype=np.float64)


def _positions(simulation: ExactSimulation, state: SimulationState, contacts: Contacts) -> Array:
    """Of contacts (m, 3) in the world, m."""
    names = tuple(dict.fromkeys(contacts.bodies))
    poses = forward_kinematics(simulation.robot, state.q, frames=names)
    numbers = [names.index(name) for name in contacts.bodies]
    turned = np.einsum("mij,mj->mi", poses.rotation[numbers], contacts.points)
    return np.asarray(poses.position[numbers] + turned)

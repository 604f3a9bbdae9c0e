"""One time step with penalty contact, as traced code: springs and dampers at the contact points, Ayit 2015, chapter 5.

What the springs remember takes the place of the impulses in the state: touched, anchor and integral of each contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.assembly import contact_jacobian
from footfall.contact.candidates import Candidate, detect_contacts
from footfall.contact.penalty import PenaltyLaw, PenaltyMemory, penalty_force
from footfall.dynamics.factorisation import factorise_mass_matrix, solve_mass_matrix
from footfall.dynamics.kinematics import link_poses
from footfall.dynamics.loops import Coupling
from footfall.math.transform import identity_transform
from footfall.robot.model import Robot
from footfall.simulation.contact_rows import LinkMotion
from footfall.simulation.lanes.contacts import LaneContact, lane_contact, slip_velocity
from footfall.simulation.lanes.step import ExactStep, row_count
from footfall.simulation.lanes.values import Loads, Place, StepReport, StepState
from footfall.simulation.sources.smooth import SmoothIntegrator, smooth_step
from footfall.simulation.step_values import Command

_MEMORY = 5  # numbers that a contact remembers


def penalty_delassus(robot: Robot, q: Array, candidates: Sequence[Candidate]) -> Array:
    """Delassus matrix (3 m, 3 m) of all candidates as if they touched, 1/kg: what limits stiffness and damping."""
    jacobian = contact_jacobian(robot, q, detect_contacts(robot, q, candidates, margin=np.inf))
    if not len(jacobian):
        return np.zeros((0, 0))
    response = solve_mass_matrix(robot, factorise_mass_matrix(robot, q), jacobian.T)
    return np.asarray(jacobian @ response)


@dataclass(frozen=True)
class SpringStep:
    """Springs and dampers at the contact points, semi-implicit: joint limits, dry friction, drives and springs of
    joints are those of the exact step."""

    law: PenaltyLaw

    def rows(self, place: Place) -> int:
        return _MEMORY * len(place.candidates) + row_count(place._replace(candidates=()))

    def advance(
        self, place: Place, state: StepState, command: Command, loads: Loads
    ) -> tuple[StepState, StepReport]:
        """See `StepKind`; surfaces on a given path stay where they are at the start of a step."""
        springs, rest = _springs(place, self.law, state, loads)
        now = springs.forces(state.q, state.v)
        loads = loads._replace(friction=np.zeros(0), time=0.0, forces=now.generalised)
        without = place._replace(candidates=()), state._replace(impulses=rest)
        return now.after(*ExactStep().advance(*without, command, loads))


@dataclass(frozen=True)
class SmoothStep:
    """Forces that are functions of the state, by explicit Euler or Runge and Kutta; joint limits do not act. law: of
    springs at the contact points."""

    integrator: SmoothIntegrator
    law: PenaltyLaw

    def rows(self, place: Place) -> int:
        return SpringStep(self.law).rows(place)

    def advance(
        self, place: Place, state: StepState, command: Command, loads: Loads
    ) -> tuple[StepState, StepReport]:
        """See `StepKind`; the robot's springs act as they are, not by the action of the loads."""
        springs, rest = _springs(place, self.law, state, loads)
        q, v, integral, effort = smooth_step(
            place.robot,
            state,
            command,
            dt=place.options.dt,
            integrator=self.integrator,
            forces=lambda q, v: springs.forces(q, v).generalised,
            wrenches=loads.wrenches,
        )
        none = np.zeros((0, 3))
        report = StepReport(effort, none, none, none, np.zeros(0), 0.0, 0.0)
        return springs.forces(state.q, state.v).after(StepState(q, v, integral, rest), report)


def _springs(place: Place, law: PenaltyLaw, state: StepState, loads: Loads) -> tuple[_Springs, Array]:
    """What the forces of a step come from, and the impulses that its joints hand on."""
    kept = _MEMORY * len(place.candidates)
    memories = [_memory(state.impulses[k : k + _MEMORY]) for k in range(0, kept, _MEMORY)]
    return _Springs(place, law, memories, loads), state.impulses[kept:]


class _Springs(NamedTuple):
    """What the forces of a step come from: places that may touch, the law, what each remembers, and what else acts."""

    place: Place
    law: PenaltyLaw
    memories: Sequence[PenaltyMemory]
    loads: Loads

    def forces(self, q: Array, v: Array) -> _Pressed:
        """At one state."""
        robot = self.place.robot
        motion = LinkMotion(robot.tree, link_poses(robot.tree, q), Coupling(robot, q))
        generalised: list[Any] = [0.0] * robot.nv
        contacts, forces, memories = [], [], []
        for k, candidate in enumerate(self.place.candidates):
            contact = lane_contact(robot, motion.poses, candidate, self.loads.friction[k], self.loads.time)
            body, other = contact.links
            carrier = motion.poses[other] if other >= 0 else identity_transform()
            if candidate.surface.motion is not None:
                carrier = candidate.surface.motion.pose(self.loads.time)
            # In the axes of what is touched, so that anchors move along with it.
            turned = carrier.rotation.T @ contact.frame
            force, memory = penalty_force(
                self.law,
                self.memories[k],
                gap=contact.at.gap,
                frame=turned,
                position=carrier.rotation.T @ (contact.at.position - carrier.translation),
                velocity=turned @ slip_velocity(contact, motion, v),
                friction=self.loads.friction[k],
                viscous_friction=contact.material.viscous_friction,
                dt=self.place.options.dt,
            )
            in_world = contact.frame @ force
            for link, sign in ((body, 1.0), (other, -1.0)):
                for row, entry in zip(motion.rows_at(link, contact.at.position)[:3], in_world, strict=True):
                    for velocity, value in row.items():
                        generalised[velocity] = generalised[velocity] + sign * value * entry
            contacts.append(contact)
            forces.append(in_world)
            memories.append(memory)
        return _Pressed(np.array(generalised), contacts, forces, memories)


class _Pressed(NamedTuple):
    """Contacts in one state: forces on the joints (nv,), on the points (3,) in world axes, and what they keep."""

    generalised: Array
    contacts: list[LaneContact]
    forces: list[Array]
    memories: list[PenaltyMemory]

    def after(self, state: StepState, report: StepReport) -> tuple[StepState, StepReport]:
        """The state after a step with what springs keep, and its report with their forces."""
        kept = [np.array([each.touched, *each.anchor, each.integral]) for each in self.memories]
        return (
            state._replace(impulses=np.concatenate([np.zeros(0), *kept, state.impulses])),
            report._replace(
                positions=np.array([each.at.position for each in self.contacts]).reshape(-1, 3),
                forces=np.array(self.forces).reshape(-1, 3),
                normals=np.array([each.at.normal for each in self.contacts]).reshape(-1, 3),
                gaps=np.array([each.at.gap for each in self.contacts]),
            ),
        )


def _memory(values: Array) -> PenaltyMemory:
    return PenaltyMemory(values[0], np.array(values[1:4]), values[4])

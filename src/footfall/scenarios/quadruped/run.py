"""Run a scenario: the robot, the ground, its controllers, and what happened at every step.

Falls over an ensemble of tilts: whether the robot ends on its feet depends on how it is let go.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import Candidate, surface_of
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.dynamics.kinematics import forward_kinematics, frame_velocity
from footfall.dynamics.mass_matrix import mass_matrix
from footfall.errors import InvalidInput, SimulationDiverged, SimulationWarning, UnknownName
from footfall.gait.gaits import LEGS
from footfall.geometry.plane import Plane
from footfall.math.rotations import roll_pitch_yaw
from footfall.robot.library import quadruped
from footfall.robot.model import Robot
from footfall.scenarios.quadruped.legs import Reference, reference, released, standing_configuration
from footfall.scenarios.quadruped.parameters import FallPart, Scenario
from footfall.scene.model import Material, Scene, SceneObject
from footfall.simulation.plants import (
    FeetSimulation,
    ImpactSimulation,
    SmoothSimulation,
    SpringSimulation,
    SweepSimulation,
)
from footfall.simulation.run_values import Trajectory, join_trajectories
from footfall.simulation.simulation import SimulationBase
from footfall.simulation.step_values import STEP_CONTACT, Command, JointOptions, SolverOptions, StepOptions

ContactModel = Literal["exact", "impacts", "penalty"]
_BLOCK = 500  # steps
_STABLE = 1.5  # largest product of frequency and step for explicit gains; semi-implicit Euler diverges at 2


Plant = FeetSimulation | SweepSimulation | ImpactSimulation | SpringSimulation | SmoothSimulation


class Energies(NamedTuple):
    """All (n,) in J, after each step: energy of the robot, work of the actuators and of the contacts since the start.

    Works are those of the mean velocity in each step. Of penalty contact the energy in the normal springs counts as
    the robot's.
    """

    energy: Array
    actuator_work: Array
    contact_work: Array


@dataclass(frozen=True, eq=False)
class Run:
    """What happened. trajectory: one row a step, contacts in the order RB, LB, RF, LF. diverged: what went wrong first,
    None if nothing did; then the trajectory ends before. seconds: of wall time. start: (nq,)."""

    scenario: Scenario
    contact: ContactModel
    robot: Robot
    scene: Scene
    start: Array
    trajectory: Trajectory
    diverged: str | None
    seconds: float

    @property
    def angles(self) -> Array:
        """Roll, pitch and yaw (n, 3) of the torso, rad, unwrapped."""
        return unwrapped_angles(self.trajectory.q[:, 3:7])

    @property
    def real_time_factor(self) -> float:
        """Simulated over wall time."""
        return float(len(self.trajectory.time)) * self.scenario.step.dt / self.seconds

    def energies(self) -> Energies:
        """Energy and works after each step."""
        dt, q, v = self.scenario.step.dt, self.trajectory.q, self.trajectory.v
        before_q = np.concatenate([self.start[None], q[:-1]])
        before_v = np.concatenate([np.zeros((1, self.robot.nv)), v[:-1]])
        mean = (v + before_v) / 2
        power = np.einsum("ni,ni->n", self.trajectory.effort, mean)
        contact = np.zeros(len(q))
        for k, leg in enumerate(LEGS):
            speed = frame_velocity(self.robot, before_q, mean, leg)[:, :3]
            contact += np.einsum("ni,ni->n", self.trajectory.forces[:, k], speed)
        energy = kinetic_energy(self.robot, q, v) + potential_energy(self.robot, q)
        if self.contact == "penalty":
            depth = np.maximum(-forward_kinematics(self.robot, q, frames=LEGS).position[:, :, 2], 0.0)
            energy = energy + self.scenario.penalty.normal_stiffness / 2 * (depth**2).sum(axis=1)
        return Energies(energy, dt * np.cumsum(power), dt * np.cumsum(contact))


def flat_ground(scenario: Scenario) -> Scene:
    """The ground of a scenario."""
    ground = scenario.ground
    material = Material(ground.friction, ground.viscous_friction, ground.restitution)
    return Scene("flat ground", (SceneObject("ground", Plane(), material=material, category="floor"),))


def build_simulation(scenario: Scenario, contact: ContactModel = "exact", *, substeps: int = 1) -> Plant:
    """The simulation of a scenario, the robot standing: its four tips against the ground."""
    if contact not in get_args(ContactModel):
        raise UnknownName("contact model", contact, get_args(ContactModel))
    robot = quadruped(foot_height=scenario.robot.foot_height)
    scene, step, springs = flat_ground(scenario), scenario.step, scenario.penalty
    surface = surface_of(scene.objects[0])
    options = StepOptions(
        dt=step.dt,
        contact=replace(STEP_CONTACT, gap_term=step.gap_term),
        solver=SolverOptions(newton_steps=step.newton_steps, tolerance=step.tolerance),
        joints=JointOptions(implicit_gains=uses_implicit_gains(robot, scenario)),
    )
    words: dict[str, Any] = {
        "candidates": [Candidate(leg, (0.0, 0.0, 0.0), 0.0, surface) for leg in LEGS],
        "options": options,
        "substeps": substeps,
        "q": standing_configuration(robot, scenario.robot.hip_height),
    }
    if contact == "impacts":
        return ImpactSimulation(robot, scene, sweeps=step.sweeps, **words)
    if contact == "penalty":
        if springs.integrator == "semi-implicit":
            return SpringSimulation(robot, scene, law=springs.law, **words)
        return SmoothSimulation(robot, scene, law=springs.law, integrator=springs.integrator, **words)
    if step.newton_steps == 0:
        return SweepSimulation(robot, scene, sweeps=step.sweeps, **words)
    return FeetSimulation(robot, scene, **words)


def stiffest_mode(robot: Robot, scenario: Scenario) -> float:
    """Highest frequency of the free robot on its joints' gains, rad/s, standing."""
    q = standing_configuration(robot, scenario.robot.hip_height)
    gains = np.zeros(robot.nv)
    gains[6:] = np.tile(scenario.control.kp, 4)
    return float(
        np.sqrt(np.abs(np.linalg.eigvals(np.linalg.solve(mass_matrix(robot, q), np.diag(gains)))).max())
    )


def uses_implicit_gains(robot: Robot, scenario: Scenario) -> bool:
    """Whether the gains act at the end of the step."""
    if scenario.control.gains == "auto":
        return stiffest_mode(robot, scenario) * scenario.step.dt > _STABLE
    return scenario.control.gains == "implicit"


def run_scenario(
    scenario: Scenario, contact: ContactModel = "exact", *, simulation: Plant | None = None
) -> Run:
    """Run a scenario with a contact model. simulation: from `build_simulation`, to compile once for several runs.

    A run that diverges is a result too: it ends there.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # the summary says what came of it
        simulation = simulation or build_simulation(scenario, contact)
        robot = quadruped(foot_height=scenario.robot.foot_height)  # with the names that the scene's has not
        course = reference(robot, scenario)
        simulation.reset(course.start)
    path = commands(scenario, course)
    first = simulation.state
    simulation.step(path[0])  # compiles
    simulation.state = first
    began = time.perf_counter()
    trajectory, diverged = _follow(simulation, path)
    seconds = time.perf_counter() - began
    return Run(
        scenario, contact, robot, simulation.scene, course.start, trajectory, diverged, max(seconds, 1e-9)
    )


def _follow(simulation: SimulationBase, commands: Sequence[Command]) -> tuple[Trajectory, str | None]:
    """Run through commands, one a step: what happened, and what diverged, if anything did."""
    parts: list[Trajectory] = []
    diverged = None
    size = _BLOCK
    while commands and diverged is None:
        block, start = iter(commands[:size]), simulation.state
        seconds = len(commands[:size]) * simulation.control_period
        try:
            parts.append(simulation.run(lambda *_, block=block: next(block), seconds))
            commands = commands[size:]
        except SimulationDiverged as failure:
            if size == 1:
                diverged = failure.quantity
            size, simulation.state = 1, start  # once more, step by step, to keep what came before
    return join_trajectories(parts), diverged


def commands(scenario: Scenario, course: Reference) -> list[Command]:
    """What the joints shall do at each step of a scenario's reference."""
    gains = [np.tile(getattr(scenario.control, name), 4) for name in ("kp", "ki", "kd")]
    zero = np.zeros(16)
    return [
        Command(position, rate, zero, *gains)
        for position, rate in zip(course.position, course.rate, strict=True)
    ]


def unwrapped_angles(quaternions: Array) -> Array:
    """Roll, pitch and yaw (n, 3) of quaternions (n, 4), rad, without jumps by whole turns."""
    return np.unwrap(roll_pitch_yaw(quaternions), axis=0)


_PERIOD = 0.01  # s between the states that are kept


@dataclass(frozen=True, eq=False)
class Tilts:
    """Outcome of falls, one row each.

    tilts: (n, 2) roll and pitch at release, rad. end_height, top_height: (n,) of the torso, m. upright: (n,) z
    component of its axis at the end. speed: (n,) largest velocity at the end, m/s or rad/s. residual: (n,) worst change
    of impulses in a last sweep, over weight times dt. finite: (n,).
    """

    tilts: Array
    end_height: Array
    top_height: Array
    upright: Array
    speed: Array
    residual: Array
    finite: np.ndarray[Any, np.dtype[np.bool_]]


def fall_tilted(scenario: Scenario, tilts: Array, contact: ContactModel = "exact") -> Tilts:
    """Let the robot fall from tilts (n, 2) of roll and pitch, rad, all in one native call."""
    if scenario.fall is None:
        raise InvalidInput(f"tilts are for falls only, but the scenario is a {scenario.kind}")
    substeps = max(1, round(_PERIOD / scenario.step.dt))
    simulation = build_simulation(scenario, contact, substeps=substeps)
    robot = quadruped(foot_height=scenario.robot.foot_height)
    stand = standing_configuration(robot, scenario.robot.hip_height)
    tilts = np.asarray(tilts, dtype=np.float64)
    starts = np.array(
        [
            released(
                robot, stand, FallPart(height=scenario.fall.height, roll=float(roll), pitch=float(pitch))
            )
            for roll, pitch in tilts
        ]
    )
    control = scenario.control
    gains = {name: np.tile(getattr(control, name), 4) for name in ("kp", "ki", "kd")}
    command = simulation.pd(stand[7:], **gains)
    steps = max(1, round(scenario.duration / simulation.control_period))
    q, v, residual = simulation.rollout(starts, np.zeros(robot.nv), command, steps=steps)
    weight = robot.mass * 9.81 * scenario.step.dt
    x, y = q[:, -1, 4], q[:, -1, 5]
    return Tilts(
        tilts,
        q[:, -1, 2],
        q[:, :, 2].max(axis=1),
        1 - 2 * (x * x + y * y),
        np.abs(v[:, -1]).max(axis=1),
        residual.reshape(len(tilts), -1).max(axis=1) / weight,
        np.asarray(np.isfinite(q).all(axis=(1, 2))),
    )

"""Random legged robots dropped on random terrain: nothing may blow up, gain energy or get lost."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.arrays import Array
from footfall.contact.candidates import point_candidates, surface_of
from footfall.dynamics.configuration import neutral
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.math.rotations import quaternion_from_rotation_vector
from footfall.math.transform import Transform
from footfall.recording.reader import read_recording
from footfall.recording.writer import RecordingWriter
from footfall.robot.model import WORLD, Body, Joint, JointType, Robot
from footfall.robot.shapes import Box, Geometry, Sphere
from footfall.scene.model import Scene, SceneObject, free_body
from footfall.scene.terrain import TERRAINS, random_terrain
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.step_values import Command, StepOptions

_SIZE = 8.0  # m, edge of the terrain
_HEIGHT = 1.5  # m, from which they fall
_CHUNK = 0.5  # s, after which what happened is recorded
OPTIONS = StepOptions(dt=2e-3)


@dataclass(frozen=True)
class Drop:
    """What became of a robot: the number of its kind.

    finite: no NaN, no divergence. gained: greatest rise of its energy less the work of its drives above an earlier
    value, as a fraction of what it fell from (m g h); energy is that of its states, `T(q, v) + V(q)`, and the work of a
    step `effort . v dt`, with the velocity that the joints move with. unsolved: share of steps whose residual is above
    1e-6 m g dt. recorded: whether all of its states could be read back.
    """

    kind: int
    number: int
    joints: int
    contacts: int
    finite: bool
    gained: float
    unsolved: float
    recorded: bool


def random_walker(seed: int) -> Robot:
    """A box with two to five legs of one to three revolute joints each, with feet, limits, damping and friction."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.15, 0.5, 3)
    trunk = _body("trunk", Box(_three(size)), float(rng.uniform(3.0, 20.0)))
    bodies, joints = [trunk], [Joint("trunk", JointType.FLOATING, WORLD, "trunk")]
    for leg in range(int(rng.integers(2, 6))):
        parent, at = "trunk", rng.uniform(-0.5, 0.5, 3) * size
        count = int(rng.integers(1, 4))
        for part in range(count):
            name, length = f"leg{leg}_{part}", float(rng.uniform(0.1, 0.35))
            shape = Box((0.04, 0.04, length))
            foot = (Geometry(Sphere(0.03), Transform(np.eye(3), np.array([0.0, 0.0, -length]))),)
            solid = free_body(shape, float(rng.uniform(0.3, 2.0)))
            center = np.array([0.0, 0.0, -length / 2])
            last = part == count - 1
            bodies.append(Body(name, solid.mass, center, solid.inertia, (), foot if last else ()))
            axis = rng.normal(size=3)
            axis[2] *= 0.2
            joints.append(
                Joint(
                    name,
                    JointType.REVOLUTE,
                    parent,
                    name,
                    Transform(np.eye(3), at),
                    axis=_three(axis / np.linalg.norm(axis)),
                    lower=(-1.5,),
                    upper=(1.5,),
                    damping=float(rng.uniform(0.0, 0.5)),
                    friction=float(rng.choice([0.0, 0.3])),
                    armature=0.01,
                )
            )
            parent, at = name, np.array([0.0, 0.0, -length])
    return Robot(f"walker-{seed}", tuple(bodies), tuple(joints))


def random_ground(seed: int) -> Scene:
    """Terrain of one of the kinds, its middle at the origin."""
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(sorted(TERRAINS)))
    terrain = random_terrain(kind, size=(_SIZE, _SIZE), amplitude=float(rng.uniform(0.02, 0.2)), seed=seed)
    return Scene(f"ground-{seed}", (SceneObject("ground", terrain),))


def drop_batch(
    kind: int,
    *,
    count: int,
    seconds: float = 10.0,
    folder: Path,
    options: StepOptions = OPTIONS,
    bounded: bool = True,
) -> list[Drop]:
    """Drop so many times the robot of a kind on its terrain, all in one native call for each half second.

    Each one has its own place, posture, gains and friction, and its own recording `drop-<kind>-<number>.mcap` in the
    folder, which grows as time passes.
    """
    rng = np.random.default_rng([kind, 1])
    robot, scene = random_walker(kind), random_ground(kind)
    bodies = [body.name for body in robot.bodies if body.collisions]
    candidates = point_candidates(robot, bodies, [surface_of(each) for each in scene.objects])
    dt = options.dt
    simulation = FeetSimulation(robot, scene, candidates=candidates, options=options, bounded_energy=bounded)
    batch = _Batch(simulation, _starts(robot, rng, count), rng)
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                RecordingWriter(
                    folder / f"drop-{kind}-{number}.mcap",
                    simulation.robot,
                    scene=scene,
                    dt=dt,
                    seed=kind,
                    metadata={"number": str(number)},
                    preview_rate=0.0,
                )
            )
            for number in range(count)
        ]
        for number, writer in enumerate(writers):
            writer.state(0.0, batch.q[number][0], batch.v[number][0])
        for _ in range(max(1, round(seconds / _CHUNK))):
            batch.advance(max(1, round(min(seconds, _CHUNK) / dt)), writers)
    return [batch.outcome(number, kind, writers[number].path) for number in range(count)]


class _Batch:
    """Robots of one kind on their way down: lists of states by robot, as far as they are finite."""

    def __init__(self, simulation: FeetSimulation, q: Array, rng: np.random.Generator) -> None:
        self.simulation = simulation
        robot, count = simulation.robot, len(q)
        self.q = [[each] for each in q]
        self.v = [[np.zeros(robot.nv)] for _ in q]
        self.energy = [[float(_energy(robot, each[None], np.zeros((1, robot.nv)))[0])] for each in q]
        self.unsolved = np.zeros(count)
        self.steps = 0
        held = [simulation.joint_positions(each) for each in q]
        zero = np.zeros((count, simulation.joints))
        stiffness = rng.choice([0.0, 100.0], size=(count, 1)) + zero
        self.commands = Command(np.array(held), zero, zero, stiffness, zero, zero + 1.0)
        self.friction = np.repeat(rng.uniform(0.2, 1.0, size=(count, 1)), len(simulation.candidates), axis=1)
        self.memory = [np.zeros((count, simulation.joints)), np.zeros((count, simulation.rows))]

    def advance(self, steps: int, writers: Sequence[RecordingWriter]) -> None:
        """Some steps more, recorded."""
        simulation, kernel = self.simulation, self.simulation.step_kernel
        names = [name for name, _ in kernel.signature.outputs]
        results = kernel.rollout(
            np.array([each[-1] for each in self.q]),
            np.array([each[-1] for each in self.v]),
            *self.memory,
            *self.commands,
            self.friction,
            steps=steps,
            last_only=[name for name in names if name not in ("q", "v", "effort", "residual")],
            threads=1,
        )
        found = dict(zip(names, results, strict=True))
        dt, weight = simulation.options.dt, simulation.robot.mass * 9.81
        times = (self.steps + 1 + np.arange(steps)) * dt
        self.memory = [found["integral"], found["impulses"]]
        self.unsolved += (found["residual"] > 1e-6 * weight * dt).sum(axis=1)
        self.steps += steps
        for number, writer in enumerate(writers):
            q, v, effort = (found[name][number] for name in ("q", "v", "effort"))
            good = int(np.isfinite(np.column_stack([q, v, effort])).all(axis=1).cumprod().sum())
            if good:
                work = np.cumsum(np.sum(effort[:good] * v[:good], axis=1)) * dt
                before = self.energy[number][-1] - float(
                    _energy(simulation.robot, self.q[number][-1][None], self.v[number][-1][None])[0]
                )
                self.energy[number] += list(_energy(simulation.robot, q[:good], v[:good]) - work + before)
                self.q[number] += list(q[:good])
                self.v[number] += list(v[:good])
                writer.states(times[:good], q[:good], v[:good], effort[:good])

    def outcome(self, number: int, kind: int, path: Path) -> Drop:
        """What became of one of them; its recording is read for it."""
        robot = self.simulation.robot
        energy = np.array(self.energy[number])
        recording = read_recording(path)
        return Drop(
            kind,
            number,
            robot.nv - 6,
            len(self.simulation.candidates),
            len(energy) == self.steps + 1,
            float((energy - np.minimum.accumulate(energy)).max()) / (robot.mass * 9.81 * _HEIGHT),
            float(self.unsolved[number] / self.steps),
            recording.complete and np.array_equal(recording.q, np.array(self.q[number])),
        )


def _energy(robot: Robot, q: Array, v: Array) -> Array:
    return np.asarray(kinetic_energy(robot, q, v) + potential_energy(robot, q))


def _starts(robot: Robot, rng: np.random.Generator, count: int) -> Array:
    """Configurations (count, nq) above the terrain, turned by up to a radian."""
    q = np.tile(neutral(robot), (count, 1))
    for row in q:
        axis = rng.normal(size=3)
        row[:3] = *rng.uniform(-3.0, 3.0, 2), _HEIGHT
        row[3:7] = quaternion_from_rotation_vector(axis * (rng.random() / np.linalg.norm(axis)))
        row[7:] = rng.uniform(-0.8, 0.8, robot.nq - 7)
    return q


def _body(name: str, shape: Box, mass: float) -> Body:
    free = free_body(shape, mass)
    return Body(name, free.mass, free.center_of_mass, free.inertia, (), (Geometry(shape),))


def _three(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z

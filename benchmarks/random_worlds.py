"""Random robots in random scenes with loose objects, limp and touching themselves: nothing may blow up, get lost or
gain energy.

    python -m benchmarks.random_worlds [--robots 100] [--scenes 10] [--seconds 10] [--first 0] [--dt 0.001]

Each robot falls in each of its scenes: terrain of some kind, five loose boxes, balls, cylinders and capsules that fall
with it, on it and below it. All limbs have shapes. Only ground, friction and dampers act, so that energy only falls.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from benchmarks.lab.drops import random_ground, random_walker
from footfall import Simulation
from footfall.arrays import Array
from footfall.dynamics.energy import kinetic_energy, potential_energy
from footfall.errors import FootfallError, FootfallWarning
from footfall.math.rotations import matrix_from_rotation_vector, quaternion_from_rotation_vector
from footfall.math.transform import Transform
from footfall.robot.model import Robot
from footfall.robot.shapes import Box, Capsule, Cylinder, Geometry, Sphere
from footfall.scene.model import Scene, SceneObject, free_body

_HEIGHT = 6.0  # m, of the trunk at the start, above all loose things
_LOOSE = 5
_TRIES = 200
_AREA = 4.0  # m from the middle, to the end of the terrain
_ALLOWED = 1e-6  # of m g h: what energy may rise


class Outcome(NamedTuple):
    """What became of a robot in a scene. gained: greatest rise of the energy of all above an earlier value, of m g h.
    deepest: penetration at the end, m. ever: in any step, m. lost: whether something ended below the ground. unsolved:
    share of steps with a residual above 1e-6 of the weight. fastest: of any velocity at the end."""

    robot: int
    scene: int
    finite: bool
    gained: float
    deepest: float
    ever: float
    lost: bool
    unsolved: float
    fastest: float
    told: str


def shaped_walker(seed: int) -> Robot:
    """The robot of that seed, with a capsule along every limb."""
    robot = random_walker(seed)
    bodies = []
    for body in robot.bodies:
        length = -2.0 * float(body.center_of_mass[2])
        if body.name != "trunk" and length > 0.05:
            place = Transform(np.eye(3), np.array([0.0, 0.0, -length / 2]))
            body = replace(body, collisions=(*body.collisions, Geometry(Capsule(0.02, 0.7 * length), place)))
        bodies.append(body)
    return replace(robot, bodies=tuple(bodies))


def random_scene(seed: int) -> Scene:
    """Terrain, and loose things above it."""
    rng = np.random.default_rng([seed, 7])
    objects = list(random_ground(seed).objects)
    for k in range(_LOOSE):
        sizes = rng.uniform(0.05, 0.3, 3).tolist()
        shape = (
            Box((sizes[0], sizes[1], sizes[2])),
            Sphere(sizes[0] / 2),
            Cylinder(sizes[0] / 2, sizes[1]),
            Capsule(sizes[0] / 4, sizes[1]),
        )[int(rng.integers(4))]
        turn = matrix_from_rotation_vector(rng.normal(size=3))
        place = Transform(np.asarray(turn), np.array([*rng.uniform(-0.5, 0.5, 2), 1.5 + 0.6 * k]))
        free = free_body(shape, float(rng.uniform(0.2, 5.0)))
        objects.append(SceneObject(f"loose-{k}", shape, place, free=free))
    return Scene(f"loose-{seed}", tuple(objects))


def energies(robot: Robot, scene: Scene, q: Array, v: Array) -> Array:
    """Energy (n,) of all at the states q (n, nq), v (n, nv), J."""
    total = np.asarray(kinetic_energy(robot, q[:, : robot.nq], v[:, : robot.nv]))
    total = total + np.asarray(potential_energy(robot, q[:, : robot.nq]))
    at_q, at_v = robot.nq, robot.nv
    for thing in scene.free_objects:
        assert thing.free is not None
        linear, angular = v[:, at_v : at_v + 3], v[:, at_v + 3 : at_v + 6]
        inertia = np.asarray(thing.free.inertia)
        total = total + 0.5 * thing.free.mass * np.sum(linear * linear, axis=1)
        total = total + 0.5 * np.einsum("ni,ij,nj->n", angular, inertia, angular)
        total = total + 9.81 * thing.free.mass * q[:, at_q + 2]
        at_q, at_v = at_q + 7, at_v + 6
    return np.asarray(total)


def fall(seed: int, number: int, dt: float, seconds: float) -> Outcome:
    robot, scene = shaped_walker(seed), random_scene(1000 * seed + number)
    rng = np.random.default_rng([seed, number])
    simulation = Simulation(robot, scene, dt=dt)
    for _ in range(_TRIES):  # until no limb begins inside of another
        q, v = simulation.q, rng.normal(size=simulation.robot.nv)
        q[2], q[3:7] = _HEIGHT, quaternion_from_rotation_vector(rng.normal(size=3))
        q[7 : robot.nq] = rng.uniform(-0.8, 0.8, robot.nq - 7)
        simulation.reset(q, v)
        inside = simulation.engine.deepest(simulation.state)
        if inside is None or inside.depth <= 0.0:
            break
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            run = simulation.run(simulation.zero_command, seconds)
        except FootfallError as error:
            said = f"{type(error).__name__}: {error}"
            return Outcome(seed, number, False, np.inf, np.inf, np.inf, True, 1.0, np.inf, said)
    said = "; ".join({each.category.__name__ for each in told if issubclass(each.category, FootfallWarning)})
    finite = bool(np.isfinite(run.q).all() and np.isfinite(run.v).all())
    energy = energies(robot, scene, run.q, run.v)
    weight = 9.81 * simulation.robot.mass
    gained = float((energy - np.minimum.accumulate(energy)).max() / (weight * _HEIGHT))
    heights = [run.q[-1, 2], *(run.q[-1, robot.nq + 7 * k + 2] for k in range(_LOOSE))]
    deepest = simulation.engine.deepest(simulation.state)
    residual = run.residual / (weight * dt)
    return Outcome(
        seed,
        number,
        finite,
        gained,
        0.0 if deepest is None else deepest.depth,
        float(-run.contacts.gaps.min(initial=0.0)),
        min(heights) < -0.5,
        float((residual > 1e-6).mean()),
        float(np.abs(run.v[-1]).max()),
        said,
    )


def summary(found: list[Outcome], seconds: float, dt: float) -> str:
    def spread(name: str) -> str:
        values = np.array([getattr(each, name) for each in found if each.finite])
        return ", ".join(f"{value:.1e}" for value in np.quantile(values, [0.5, 0.9, 0.99, 1.0]))

    lines = [
        f"{len({each.robot for each in found})} robots, {len(found)} falls of {seconds:g} s, dt {1e3 * dt:g} ms.",
        f"Not finite: {sum(not each.finite for each in found)}; something lost: {sum(each.lost for each in found)}.",
        f"Energy gained, of m g h: median, 90 %, 99 %, most: {spread('gained')}; "
        f"above {_ALLOWED:g}: {sum(each.gained > _ALLOWED for each in found)}.",
        f"Deepest penetration at the end, m: {spread('deepest')}; in any step: {spread('ever')}.",
        f"Steps with a residual above 1e-6 of the weight: {spread('unsolved')}.",
        f"Fastest at the end: {spread('fastest')}.",
        f"Warned: {sum(bool(each.told) for each in found)}.",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--robots", type=int, default=100)
    parser.add_argument("--scenes", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--dt", type=float, default=1e-3)
    given = parser.parse_args()
    found: list[Outcome] = []
    begun = time.process_time()
    for seed in range(given.first, given.first + given.robots):
        for number in range(given.scenes):
            found.append(fall(seed, number, given.dt, given.seconds))
            last = found[-1]
            if not last.finite or last.lost or last.gained > _ALLOWED or last.deepest > 1e-3:
                print(str(last)[:300], flush=True)
        if seed % 5 == 4:
            print(
                f"after {time.process_time() - begun:.0f} s of CPU:\n{summary(found, given.seconds, given.dt)}\n",
                flush=True,
            )
    print(summary(found, given.seconds, given.dt))


if __name__ == "__main__":
    main()

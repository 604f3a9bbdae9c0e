"""The same inputs give the same bits: in a fresh process, single or batched, on any number of threads."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest

from footfall import Material, Scene, SceneObject
from footfall.arrays import Array
from footfall.geometry.plane import Plane
from footfall.scene import GivenMotion
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_values import Command
from tests.simulation.test_simulation import held, quadruped
from tests.simulation.worlds import PLANTS, ContactList, ball, block, ground, simulate


def starts(simulation: Simulation, count: int) -> tuple[Array, Array]:
    """States (count, nq), (count, nv) around the start: falls with some spin."""
    rng = np.random.default_rng(7)
    q = np.tile(simulation.state.q, (count, 1))
    q[:, 2] += rng.uniform(0.0, 0.1, count)
    return q, 0.2 * rng.normal(size=(count, simulation.robot.nv))


def digest(*arrays: Array) -> str:
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


def fall() -> str:
    """What a run of the quadruped gives, as a hash; also called in a process of its own."""
    simulation = quadruped()
    q, v = starts(simulation, 1)
    simulation.reset(q[0], v[0])
    trajectory = simulation.run(held(simulation), 0.3)
    return digest(trajectory.q, trajectory.v, trajectory.effort, trajectory.forces, trajectory.residual)


def test_a_fresh_process_gives_the_same_bits() -> None:
    program = "from tests.simulation.test_determinism import fall; print(fall())"
    fresh = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert fresh.stdout.strip() == fall()


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("batch", [1, 3, 8, 70])
def test_batches_and_threads_give_the_same_bits(batch: int, threads: int) -> None:
    simulation = quadruped()
    command = held(simulation)
    q, v = starts(simulation, batch)
    got = simulation.rollout(q, v, command, steps=60, threads=threads)
    for k in {0, batch // 2, batch - 1}:
        simulation.reset(q[k], v[k])
        trajectory = simulation.run(command, 0.06)
        assert np.array_equal(got[0][k], trajectory.q)
        assert np.array_equal(got[1][k], trajectory.v)
        assert np.array_equal(got[2][k], trajectory.residual)


def test_a_neighbour_in_the_batch_does_not_matter() -> None:
    """Lanes that sweep longer must not change those that are done."""
    simulation = simulate(
        ground(friction=0.4, restitution=0.3), block(position=(0.0, 0.0, 0.3)), ball((0.4, 0.0, 0.3))
    )
    q, v = starts(simulation, 16)
    command: Command = simulation.zero_command
    together = simulation.rollout(q, v, command, steps=300)
    alone = simulation.rollout(q[3:4], v[3:4], command, steps=300)
    shuffled = simulation.rollout(q[::-1], v[::-1], command, steps=300)
    assert np.array_equal(together[0][3], alone[0][0])
    assert np.array_equal(together[0], shuffled[0][::-1])


@pytest.mark.parametrize("plant", ["found", "listed"])
def test_how_a_run_is_divided_changes_no_bit(plant: ContactList) -> None:
    """How many periods a call computes follows from how fast they were. A rider on a belt, whose place is that of the
    time: summed from period to period within a call and given at its end, times differed by their rounding."""
    times = np.linspace(0.0, 0.5, 11)
    path = np.stack([0.1 * np.sin(9.0 * times), 0.0 * times, 0.0 * times], axis=1)
    belt = SceneObject("belt", Plane(), material=Material(friction=0.7), motion=GivenMotion(times, path))
    scene = Scene("belt", (belt, ball((0.0, 0.0, 0.1), radius=0.1, friction=0.7)))
    whole, single = (PLANTS[plant](None, scene, dt=1e-3) for _ in range(2))
    whole.run(whole.zero_command, 0.4)
    for _ in range(400):
        single.step()
    assert digest(whole.state.q, whole.state.v) == digest(single.state.q, single.state.v)

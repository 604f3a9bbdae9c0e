"""Steps of large worlds by several threads: the same bits as by one."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Box, Material, Plane, Scene, SceneObject, Simulation, Sphere, Transform, free_body
from footfall.arrays import Array
from footfall.compiler.routines import Team, helped, new_team, next_piece, routine, together
from footfall.errors import InvalidInput, RoutineFailed
from footfall.math.rotations import matrix_from_rotation_vector


def _heaps(count: int, each: int, seed: int) -> Scene:
    """Boxes and balls that spin and fall in heaps, of which a few are large."""
    rng = np.random.default_rng(seed)
    things = [SceneObject("ground", Plane(), material=Material(friction=0.5))]
    for k in range(count):
        for j in range(each * (1 + 3 * (k % 4 == 0))):
            shape = Sphere(rng.uniform(0.05, 0.1)) if j % 4 == 3 else Box(tuple(rng.uniform(0.08, 0.25, 3)))
            place = np.array([3.0 * (k % 7) + 0.3 * (j % 3), 3.0 * (k // 7), 0.2 + 0.3 * (j // 3)])
            place[:2] += rng.uniform(-0.1, 0.1, 2)
            pose = Transform(matrix_from_rotation_vector(rng.normal(size=3)), place)
            speeds = (*rng.uniform(-0.5, 0.5, 3), *rng.uniform(-6.0, 6.0, 3))
            free = free_body(shape, 1.0, velocity=speeds)
            material = Material(friction=0.4, restitution=0.2 * (k % 2))
            things.append(SceneObject(f"{k}-{j}", shape, pose, material, free=free))
    return Scene("heaps", tuple(things))


@pytest.mark.parametrize("sleep", [False, True])
def test_threads_leave_every_bit_as_it_is(sleep: bool) -> None:
    scene = _heaps(28, 6, 4711)
    runs = []
    for threads in (1, 2, 3):
        simulation = Simulation(None, scene, dt=2e-3, sleep=sleep, threads=threads)
        runs.append([simulation.run(simulation.zero_command, seconds) for seconds in (0.4, 0.2)])
    assert runs[0][1].contacts.counts.max() > 300  # so that all that may be shared is
    for others in runs[1:]:
        for one, other in zip(runs[0], others, strict=True):
            assert np.array_equal(np.hstack([one.q, one.v]), np.hstack([other.q, other.v]))
            assert np.array_equal(one.residual, other.residual)
            assert np.array_equal(one.contacts.forces, other.contacts.forces)
            assert np.array_equal(one.contacts.positions, other.contacts.positions)


def test_threads_are_counted_from_one() -> None:
    with pytest.raises(InvalidInput, match="threads is 0; it must be at least 1"):
        Simulation(None, _heaps(1, 1, 0), threads=0)
    for wrong in ("2", 1.5, True):
        with pytest.raises(InvalidInput, match="it must be a whole number"):
            Simulation(None, _heaps(1, 1, 0), threads=wrong)  # type: ignore[arg-type]
    assert (
        Simulation(None, _heaps(1, 1, 0), threads=10**9).threads == 64
    )  # and it does not look for so many pieces


@routine
def _fill(team: Team, numbers: Array, factor: float, signed: bool) -> None:
    piece = next_piece(team, -1, len(numbers))
    while piece < len(numbers):
        if piece == 977 and factor == 0.0:
            raise ValueError("no factor")
        room = np.full(100, factor)  # memory of the thread that is at work
        numbers[piece] += np.sum(room) * piece * (-1.0 if signed else 1.0)
        piece = next_piece(team, piece, len(numbers))


@routine
def _fill_often(team: Team, numbers: Array, factor: float, signed: bool, times: int) -> None:
    for _ in range(times):
        together(team, _fill, team, numbers, factor, signed)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_every_piece_is_taken_once(threads: int) -> None:
    numbers, team = np.zeros(3001), new_team(threads)
    with helped(team):
        _fill_often(team, numbers, 0.5, True, 40)
    assert np.array_equal(numbers, -40 * 50.0 * np.arange(3001.0))
    alone = np.zeros(30)
    _fill_often.python(new_team(1), alone, 0.5, True, 40)
    assert np.array_equal(alone, numbers[:30])


@pytest.mark.parametrize("threads", [1, 2])
def test_what_fails_in_any_thread_is_raised(threads: int) -> None:
    team = new_team(threads)
    for _ in range(20):
        with helped(team), pytest.raises((ValueError, RoutineFailed), match="no factor"):
            _fill_often(team, np.zeros(3001), 0.0, False, 3)

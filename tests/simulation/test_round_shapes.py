"""Round things on things: wheels that roll, bars that cross, planks that lie on what does not move."""

from __future__ import annotations

import numpy as np
import pytest

from footfall import Material, SceneObject, free_body
from footfall.arrays import Array
from footfall.math.transform import Transform
from footfall.robot.shapes import Box, Capsule, Cylinder, Shape, Sphere
from tests.simulation.worlds import GRAVITY, ground, simulate

LYING = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # z of the shape along the world's y
ACROSS = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # and along its x
RADIUS = 0.1


def thing(
    name: str,
    shape: Shape,
    position: tuple[float, float, float],
    rotation: Array | None = None,
    *,
    mass: float = 0.0,
    **options: object,
) -> SceneObject:
    """Free, if it has a mass."""
    place = Transform(np.eye(3) if rotation is None else rotation, np.array(position))
    free = free_body(shape, mass, **options) if mass > 0.0 else None  # type: ignore[arg-type]
    return SceneObject(name, shape, place, material=Material(friction=0.8), free=free)


def test_a_wheel_rolls_at_its_radius() -> None:
    """It keeps its height and its speed, omega = v / r: no corners that it would fall on."""
    wheel = thing(
        "wheel", Cylinder(RADIUS, 0.05), (0.0, 0.0, RADIUS), LYING, mass=1.0, velocity=(1.0, 0, 0, 0, 10.0, 0)
    )
    simulation = simulate(ground(), wheel, dt=2e-3)
    trajectory = simulation.run(simulation.zero_command, 1.0)
    assert np.ptp(trajectory.q[:, 2]) < 1e-9
    assert trajectory.q[-1, :2] == pytest.approx([1.0, 0.0], abs=1e-6)
    assert trajectory.v[-1, 0] == pytest.approx(1.0, abs=1e-6)


def test_a_wheel_rolls_down_a_slope() -> None:
    """a = 2/3 g sin(angle) for a solid cylinder; velocity is that after whole steps, so v = a t."""
    angle = 0.2
    c, s = np.cos(angle), np.sin(angle)
    tilt = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    wheel = thing("wheel", Cylinder(RADIUS, 0.05), tuple(RADIUS * tilt[:, 2]), tilt @ LYING, mass=1.0)
    simulation = simulate(ground(angle), wheel, dt=2e-3)
    trajectory = simulation.run(simulation.zero_command, 0.5)
    assert trajectory.v[-1, :3] @ tilt[:, 0] == pytest.approx(2 / 3 * GRAVITY * s * 0.5, rel=1e-6)


def test_a_cylinder_stands_and_one_that_leans_too_far_falls() -> None:
    """Upright it stays; let go beyond the angle where its middle is over the rim, tan(a) = 2 r / l, it falls over."""
    shape = Cylinder(RADIUS, 0.4)
    limit = np.arctan(2 * RADIUS / 0.4)
    for lean, stands in ((0.0, True), (0.9 * limit, True), (1.1 * limit, False)):
        c, s = np.cos(lean), np.sin(lean)
        tilt = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        height = RADIUS * s + 0.2 * c
        simulation = simulate(ground(), thing("post", shape, (0.0, 0.0, height), tilt, mass=1.0), dt=2e-3)
        trajectory = simulation.run(simulation.zero_command, 1.5)
        assert trajectory.q[-1, 2] == pytest.approx(0.2 if stands else RADIUS, abs=1e-3)
        assert lean or np.abs(trajectory.q[-1] - trajectory.q[0]).max() < 1e-9


@pytest.mark.parametrize(
    "pivot",
    [Cylinder(RADIUS, 0.4), Capsule(RADIUS, 0.1), Sphere(RADIUS)],
    ids=["cylinder", "capsule", "sphere"],
)
def test_a_plank_lies_on_what_does_not_move(pivot: Shape) -> None:
    """Let go with its middle over the pivot it rests there, at r + half its thickness; the lever law holds."""
    plank = thing("plank", Box((1.0, 0.3, 0.04)), (0.0, 0.0, RADIUS + 0.021), mass=2.0)
    simulation = simulate(thing("pivot", pivot, (0.0, 0.0, 0.0), LYING), plank, dt=2e-3)
    trajectory = simulation.run(simulation.zero_command, 0.1)
    assert trajectory.q[-1, 2] == pytest.approx(RADIUS + 0.02, abs=1e-7)
    assert trajectory.forces[-1].sum(axis=0) == pytest.approx([0.0, 0.0, 2.0 * GRAVITY], abs=1e-6)


def test_a_seesaw_goes_down_on_its_heavier_side() -> None:
    """Two cubes on a plank over a fixed cylinder: torques of 2 kg at 0.5 m and 1 kg at -0.6 m."""
    edge = 0.1
    things = (
        thing("pivot", Cylinder(RADIUS, 0.4), (0.0, 0.0, RADIUS), LYING),
        thing("plank", Box((1.6, 0.3, 0.04)), (0.0, 0.0, 2 * RADIUS + 0.02), mass=3.0),
        thing("heavy", Box((edge,) * 3), (0.5, 0.0, 2 * RADIUS + 0.04 + edge / 2), mass=2.0),
        thing("light", Box((edge,) * 3), (-0.6, 0.0, 2 * RADIUS + 0.04 + edge / 2), mass=1.0),
    )
    simulation = simulate(ground(), *things, dt=2e-3)
    trajectory = simulation.run(simulation.zero_command, 0.2)
    # Pitch about y, positive where +x goes down; all turn together: 4/3 kg m2 g at once, over the sum of m r^2.
    pitch = 2 * trajectory.q[-1, 5]
    inertia = 3.0 * (1.6**2 + 0.04**2) / 12 + 3.0 * 0.02**2
    inertia += 2.0 * (0.5**2 + 0.09**2 + edge**2 / 6) + 1.0 * (0.6**2 + 0.09**2 + edge**2 / 6)
    expected = 0.5 * GRAVITY * (2.0 * 0.5 - 1.0 * 0.6) / inertia * 0.2**2
    assert pitch == pytest.approx(expected, rel=0.05)
    assert trajectory.q[-1, 2] > 2 * RADIUS


@pytest.mark.parametrize("shape", [Capsule(0.05, 1.0), Cylinder(0.05, 1.0)], ids=["capsule", "cylinder"])
@pytest.mark.parametrize("below", [Capsule(0.08, 1.0), Cylinder(0.08, 1.0)], ids=["capsule", "cylinder"])
def test_bars_that_cross_rest_on_each_other(shape: Shape, below: Shape) -> None:
    """Middle on middle, the ends hang free: at the sum of the radii."""
    simulation = simulate(
        thing("below", below, (0.0, 0.0, 0.0), ACROSS),
        thing("above", shape, (0.0, 0.0, 0.131), LYING, mass=1.0),
        dt=2e-3,
    )
    trajectory = simulation.run(simulation.zero_command, 0.1)
    assert trajectory.q[-1, 2] == pytest.approx(0.13, abs=1e-7)
    assert trajectory.forces[-1].sum(axis=0) == pytest.approx([0.0, 0.0, GRAVITY], abs=1e-6)


def test_a_plank_beside_a_cylinder_falls() -> None:
    """Let go beside the pivot it touches nothing: no contact that is not there."""
    plank = thing("plank", Box((0.2, 0.3, 0.04)), (0.4, 0.0, RADIUS), mass=2.0)
    simulation = simulate(thing("pivot", Cylinder(RADIUS, 0.4), (0.0, 0.0, 0.0), LYING), plank, dt=2e-3)
    trajectory = simulation.run(simulation.zero_command, 0.1)
    assert not trajectory.forces.any()
    assert trajectory.q[-1, 2] < RADIUS - 0.04

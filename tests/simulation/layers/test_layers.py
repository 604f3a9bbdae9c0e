"""Soft soles with states of their own, against closed forms and against a dense contact problem."""

from __future__ import annotations

from copy import copy

import numpy as np
import pytest

import footfall
from footfall import (
    Body,
    Box,
    Joint,
    JointType,
    Material,
    Plane,
    Robot,
    Scene,
    SceneObject,
    Simulation,
    Transform,
)
from footfall.arrays import Array
from footfall.contact import ContactLayer, ContactProblem, Elastic, check_solution, sole_layers
from footfall.drives import model_type
from footfall.errors import InvalidInput, UnknownName
from footfall.robot import Geometry
from footfall.simulation.plants import LayerSimulation
from footfall.simulation.sources.layers import Approach, LayeredEngine

MASS, EDGE, GRAVITY = 10.0, 0.2, 9.81
STIFFNESS, SHEAR, RELAXATION, DT = 4e4, 1e4, 0.01, 1e-3
FEET = ("sfr", "zfr", "sfl", "zfl")


def slope(angle: float, friction: float = 0.8) -> Scene:
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    plane = SceneObject("ground", Plane(), Transform(turn, np.zeros(3)), Material(friction=friction))
    return Scene("slope", (plane,))


def block() -> Robot:
    """A free cube."""
    body = Body(
        "block",
        MASS,
        inertia=MASS * EDGE**2 / 6.0 * np.eye(3),
        collisions=(Geometry(Box((EDGE, EDGE, EDGE))),),
    )
    return Robot("block", [body], [Joint("free", JointType.FLOATING, "world", "block")])


def four_springs(relaxation: float = RELAXATION) -> ContactLayer:
    """At the corners of the cube's lower face, a quarter of all stiffness each."""
    half = EDGE / 2
    points = np.array([[x, y, -half] for x in (-half, half) for y in (-half, half)])
    return ContactLayer("block", points, np.diag(np.tile([SHEAR, SHEAR, STIFFNESS], 4)) / 4.0, relaxation)


def standing(angle: float = 0.0, *, friction: float = 0.8, height: float = 0.0) -> Simulation:
    """The cube on its layer on a slope, upright on it."""
    c, s = np.cos(angle / 2), np.sin(angle / 2)
    lift = EDGE / 2 + height
    q = np.array([lift * np.sin(angle), 0.0, lift * np.cos(angle), c, 0.0, s, 0.0])
    return LayerSimulation(block(), slope(angle, friction), layers=[four_springs()], q=q, dt=DT)


def test_the_layer_carries_the_weight() -> None:
    """At rest all springs are compressed by m g / k."""
    simulation = standing()
    path = simulation.run(simulation.zero_command, 0.8)
    # tau k / (2 m) = 20 1/s: what is left of the swing is exp(-16)
    assert simulation.q[2] - EDGE / 2 == pytest.approx(-MASS * GRAVITY / STIFFNESS, rel=1e-6)
    assert path.force_on("block")[-1] == pytest.approx([0.0, 0.0, MASS * GRAVITY], abs=1e-3)
    assert path.contacts.counts[-1] == 4


def test_it_swings_as_a_mass_on_spring_and_damper() -> None:
    """m z'' = -m g - k (z + tau z'), step by step as implicit steps do, and stands at last; a stiffness that is one
    per mille off is seen."""

    def expected(stiffness: float) -> Array:
        z, speed, places = 0.0, 0.0, []
        for _ in range(40):
            # m (u - v) = -dt (m g + k (z + dt u + tau u)): the layer follows the block as long as it presses
            slow = DT * stiffness * (RELAXATION + DT)
            speed = (MASS * speed - DT * (MASS * GRAVITY + stiffness * z)) / (MASS + slow)
            z += DT * speed
            places.append(z)
        return np.array(places)

    simulation = standing()
    path = simulation.run(simulation.zero_command, 40 * DT)
    moved = path.q[:, 2] - EDGE / 2
    assert moved == pytest.approx(expected(STIFFNESS), abs=1e-11)
    assert np.abs(moved - expected(1.001 * STIFFNESS)).max() > 1e-7


def test_a_layer_that_is_let_go_relaxes() -> None:
    """x(t + dt) = x(t) tau / (tau + dt), the implicit step of tau x' = -x."""
    simulation = standing()
    simulation.run(simulation.zero_command, 0.5)
    pressed = simulation.state.layers.copy()
    assert pressed[2::3] == pytest.approx(MASS * GRAVITY / STIFFNESS, rel=1e-3)
    simulation.push("block", np.array([0.0, 0.0, 1e5, 0.0, 0.0, 0.0]), 0.02)
    simulation.run(simulation.zero_command, 5 * DT)
    steps = np.log(simulation.state.layers[2] / pressed[2]) / np.log(RELAXATION / (RELAXATION + DT))
    assert steps == pytest.approx(5.0, abs=1e-9)


@pytest.mark.parametrize("angle", [0.2, 0.5])
def test_it_sticks_on_slopes_or_slides_down(angle: float) -> None:
    """Below atan(mu) it hangs in its shear springs by m g sin / k, with the slope of its own lower face, which tilts a
    little; above it slides with g (sin - mu cos)."""
    friction = 0.3
    simulation = standing(angle, friction=friction)
    down = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    simulation.run(simulation.zero_command, 1.5)
    speed = down @ simulation.v[:3]
    if np.tan(angle) < friction:
        tilted = 2.0 * np.arctan2(simulation.q[5], simulation.q[3])
        assert angle < tilted < angle + 0.01
        shear = simulation.state.layers.reshape(-1, 3)[:, 0].mean()
        # still swinging by exp(-tau k / (2 m) t) of that, 6e-4
        assert -shear == pytest.approx(MASS * GRAVITY * np.sin(tilted) / SHEAR, rel=6e-4)
        assert abs(speed) < 1e-4
    else:
        before = speed
        simulation.run(simulation.zero_command, 0.1)
        gained = (down @ simulation.v[:3] - before) / 0.1
        assert gained == pytest.approx(GRAVITY * (np.sin(angle) - friction * np.cos(angle)), rel=1e-3)


def test_nodes_beyond_an_edge_bear_nothing() -> None:
    """A cube on foam that reaches beyond a table by 5 of 20 cm stands, tilted outwards, on what is above the table; the
    force acts below its centre of mass."""
    robot, reach = block(), 0.05
    table = SceneObject(
        "table", Box((1.0, 1.0, 0.1)), Transform(np.eye(3), np.array([reach - 0.5, 0.0, -0.05]))
    )
    layers = sole_layers(robot, ["block"], q=footfall.neutral(robot))
    q = np.array([0.0, 0.0, EDGE / 2, 1.0, 0.0, 0.0, 0.0])
    simulation = LayerSimulation(robot, Scene("table", (table,)), layers=layers, q=q, dt=DT)
    path = simulation.run(simulation.zero_command, 0.6)
    assert path.contacts.positions[:, 0].max() < reach + 1e-3
    assert path.force_on("block")[-1] == pytest.approx([0.0, 0.0, MASS * GRAVITY], abs=0.01 * MASS * GRAVITY)
    assert path.centre_of_pressure("block")[-1, :2] == pytest.approx(simulation.q[:2], abs=2e-3)
    assert 0.0 < simulation.q[5] < 0.01


def dense_problem(simulation: Simulation, *, softer: float = 1.0) -> tuple[ContactProblem, Array]:
    """The next step as one dense contact problem, made apart from the sweeps, and their impulses."""
    engine = simulation.engine
    assert isinstance(engine, LayeredEngine)
    state, robot, nodes = simulation.state, simulation.robot, engine.nodes
    command = simulation.hold()
    gravity = np.asarray(robot.gravity, dtype=float)
    now = Approach(
        *engine.motion.approach(state.q, state.v, state.integral, *command, gravity, DT, state.drives)
    )
    touching = engine.touching_nodes(now, engine.values(state), state.time)
    solved = engine.steps.solve(now, state.q, engine.values(state), touching)
    rows, compliance, shift = [], np.zeros((3 * len(touching.nodes),) * 2), state.layers.reshape(-1, 3)
    relaxation, bias = nodes.relaxation[0], []
    for k, node in enumerate(touching.nodes):
        link, frame = nodes.link[node], touching.frames[k]
        turn = now.rotations[link]
        x, y, z = turn @ (nodes.points[node] + shift[node])
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        jacobian = now.jacobian[6 * link : 6 * link + 6]
        rows.append(frame.T @ (jacobian[:3] - cross @ jacobian[3:]))
        bias.append(frame.T @ (turn @ (-shift[node] / (relaxation + DT))))
        bias[-1][2] += touching.gaps[k] / DT
        for j, other in enumerate(touching.nodes):
            if nodes.first[other] == nodes.first[node]:
                own = nodes.compliance[
                    3 * node : 3 * node + 3, 3 * other - nodes.first[node] : 3 * other - nodes.first[node] + 3
                ]
                turned = frame.T @ turn @ own @ now.rotations[nodes.link[other]].T @ touching.frames[j]
                compliance[3 * k : 3 * k + 3, 3 * j : 3 * j + 3] = turned / (DT * (relaxation + DT))
    stacked = np.concatenate(rows)
    delassus = stacked @ np.linalg.solve(now.inertia, stacked.T) + softer * compliance
    problem = ContactProblem(
        0.5 * (delassus + delassus.T), stacked @ now.free + np.concatenate(bias), touching.friction
    )
    impulses = np.einsum("mij,mi->mj", touching.frames, solved.values.impulses[touching.nodes])
    return problem, impulses.ravel()


@pytest.fixture(scope="module")
def on_foam() -> Simulation:
    """LOLA of Type 4, just landed: some nodes press, some stick, some slide."""
    robot = footfall.load(model_type(4).robot_with_drives)
    layers = sole_layers(robot, FEET)
    simulation = LayerSimulation(robot, "flat", layers=layers, drives="rigid", dt=DT)
    simulation.run(simulation.hold(), 0.02)
    return simulation


def test_the_sweeps_solve_the_whole_problem(on_foam: Simulation) -> None:
    """The validator knows nothing of layers; and it sees a compliance that is one per mille off."""
    weight = on_foam.robot.mass * GRAVITY * DT
    problem, impulses = dense_problem(on_foam)
    assert len(impulses) > 500
    assert check_solution(problem, impulses).natural_map < 1e-8 * weight
    wrong, _ = dense_problem(on_foam, softer=1.001)
    assert check_solution(wrong, impulses).natural_map > 1e-6 * weight


def test_lola_stands_on_foam(on_foam: Simulation) -> None:
    """Type 4 has the equations of its source, and its feet bear the weight."""
    engine = on_foam.engine
    assert isinstance(engine, LayeredEngine)
    mechanical, electrical = on_foam.robot.nv, on_foam.motors
    assert 2 * mechanical + engine.nodes.rows + electrical == model_type(4).equations == 948
    path = on_foam.run(on_foam.hold(), 0.2)
    pressed = sum(path.force_on(foot) for foot in FEET)[-1]
    assert pressed[2] == pytest.approx(on_foam.robot.mass * GRAVITY, rel=0.01)


def test_type_5_has_its_equations() -> None:
    """Rotors behind elastic gears move by themselves: 16 more mechanical degrees of freedom."""
    robot = footfall.load(model_type(5).robot_with_drives)
    simulation = LayerSimulation(robot, "flat", layers=sole_layers(robot, FEET), drives="elastic", dt=DT)
    engine = simulation.engine
    assert isinstance(engine, LayeredEngine)
    assert simulation.train is not None
    mechanical = robot.nv + len(simulation.train.elastic)
    assert 2 * mechanical + engine.nodes.rows + simulation.motors == model_type(5).equations == 980
    path = simulation.run(simulation.hold(), 0.05)
    assert np.isfinite(path.q).all()
    assert path.residual.max() < 1e-8 * robot.mass * GRAVITY * DT


def test_independent_nodes_have_the_states_of_types_1_to_3() -> None:
    robot = footfall.load("lola-2012")
    layers = sole_layers(robot, FEET, "independent", nodes=(2, 1))
    assert sum(layer.states for layer in layers) == model_type(2).contact == 48


def test_an_elastic_block_without_bulging_is_as_stiff_as_its_nodes_apart() -> None:
    """With nu = 0 all nodes moved down by the same give E A / t, both ways."""
    robot = footfall.load("lola-2012")
    material = Elastic(2e5, 0.0)
    for one, other in zip(
        sole_layers(robot, FEET, material=material),
        sole_layers(robot, FEET, "independent", material=material),
        strict=True,
    ):
        assert one.points == pytest.approx(other.points)
        q = robot.configuration("idle")
        up = footfall.frame_pose(robot, q, one.body).rotation.T @ [0.0, 0.0, 1.0]
        moved = np.tile(up, len(one.points))
        sums = [moved @ each.stiffness @ moved for each in (one, other)]
        # idle has feet flat on the ground to 1e-6 rad
        assert sums == pytest.approx([2e5 * 0.085**2 / 0.01] * 2, rel=1e-6)


def test_a_simulation_on_layers_can_be_copied_and_repeated() -> None:
    """The same bits from the same state."""
    simulation = standing(height=0.01)
    simulation.run(simulation.zero_command, 0.05)
    twin = copy(simulation)
    one, other = (each.run(each.zero_command, 0.05) for each in (simulation, twin))
    assert np.array_equal(one.q, other.q)
    assert np.array_equal(simulation.state.layers, twin.state.layers)


def test_layers_without_meaning_are_refused() -> None:
    robot = block()
    with pytest.raises(InvalidInput, match="symmetric"):
        ContactLayer("block", np.zeros((1, 3)), np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    with pytest.raises(InvalidInput, match="positive definite"):
        ContactLayer("block", np.zeros((1, 3)), np.diag([1.0, 1.0, 0.0]))
    with pytest.raises(InvalidInput, match=r"\(n, 3\)"):
        ContactLayer("block", np.zeros((2, 3)), np.eye(3))
    with pytest.raises(InvalidInput, match="relaxation"):
        four_springs(relaxation=-1.0)
    with pytest.raises(UnknownName, match="foot"):
        sole_layers(robot, ["foot"])
    with pytest.raises(InvalidInput, match=r"thickness is 0\.3 m; it must be above 0 and at most 0\.2 m"):
        sole_layers(robot, ["block"], thickness=0.3)
    with pytest.raises(InvalidInput, match="two or more"):
        sole_layers(robot, ["block"], nodes=(1, 4))
    with pytest.raises(InvalidInput, match="empty"):
        LayerSimulation(robot, "flat", layers=[])
    with pytest.raises(InvalidInput, match="a list of ContactLayer"):
        LayerSimulation(robot, "flat", layers=four_springs())  # type: ignore[arg-type]


def test_rollouts_are_runs_one_after_the_other() -> None:
    simulation = standing()
    start = simulation.state
    starts = np.stack([start.v, start.v])
    starts[1, 0] = 0.1
    q, v, residual = simulation.rollout(start.q, starts, simulation.zero_command, steps=4)
    for row in range(2):
        simulation.reset(start.q, starts[row])
        path = simulation.run(simulation.zero_command, 4 * DT)
        np.testing.assert_array_equal(q[row], path.q)
        np.testing.assert_array_equal(v[row], path.v)
        np.testing.assert_array_equal(residual[row], path.residual)
    with pytest.raises(InvalidInput, match="commands have"):
        simulation.rollout(start.q, start.v, footfall.Command(np.zeros((2, 3, simulation.joints))), steps=4)

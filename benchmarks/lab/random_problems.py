"""Seeded contact problems like those that a simulation meets, for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from footfall.arrays import Array
from footfall.contact.assembly import RobotContactProblem, build_contact_problem
from footfall.contact.contacts import Contacts, contact_frame
from footfall.contact.problem import ContactProblem
from footfall.dynamics.configuration import integrate
from footfall.robot.model import Robot

GRAVITY = 9.81


def random_problem(
    contacts: int,
    *,
    seed: int | np.random.Generator | None = None,
    velocities: int | None = None,
    friction: float | None = None,
    limits: int = 0,
    boxes: int = 0,
) -> ContactProblem:
    """A problem without structure: a random mass matrix and random contact rows.

    velocities: degrees of freedom; as many as rows unless given, fewer make the contacts redundant. Rows are of
    moving contacts with velocities of the order of 1 m/s, approaching more often than not.
    """
    rng = np.random.default_rng(seed)
    rows = 3 * contacts + limits + boxes
    jacobian = rng.normal(size=(rows, velocities or rows))
    root = rng.normal(size=(jacobian.shape[1], jacobian.shape[1])) / np.sqrt(jacobian.shape[1])
    inertia = root @ root.T + 0.1 * np.eye(jacobian.shape[1])
    free = rng.normal(size=jacobian.shape[1])
    bias = jacobian @ free
    # Approaching by more than the rows say, in the range of the Jacobian only: else there may be no solution.
    normal = np.zeros(rows)
    normal[2 : 3 * contacts : 3] = 1.0
    bias -= jacobian @ (np.linalg.pinv(jacobian) @ normal)
    mu = rng.uniform(0.1, 1.0, contacts) if friction is None else np.full(contacts, friction)
    return ContactProblem(
        delassus=jacobian @ np.linalg.solve(inertia, jacobian.T),
        bias=bias,
        friction=mu,
        limits=limits,
        box=rng.uniform(0.01, 0.5, boxes),
    )


def foot_problem(
    points: int, *, feet: int = 1, seed: int | np.random.Generator | None = None, dt: float = 1e-3
) -> ContactProblem:
    """Flat feet on the ground, each with `points` contacts around its sole: redundant as soon as points > 2.

    The feet carry a common mass through a random compliant inertia, so that they press on one another's loads.
    """
    rng = np.random.default_rng(seed)
    rows, size = [], 6 * feet
    length, width = 0.2, 0.1
    for foot in range(feet):
        for point in range(points):
            angle = 2 * np.pi * (point + 0.5) / points
            position = np.array(
                [length / 2 * np.sign(np.cos(angle)), width / 2 * np.sign(np.sin(angle)), -0.08]
            )
            if points > 4:
                position[:2] = length / 2 * np.cos(angle), width / 2 * np.sin(angle)
            block = np.zeros((3, size))
            block[:, 6 * foot : 6 * foot + 3] = np.eye(3)
            block[:, 6 * foot + 3 : 6 * foot + 6] = -_cross_matrix(position)
            rows.append(block)
    jacobian = np.concatenate(rows)
    mass, turning = 3.0, 0.02
    inertia = np.kron(np.eye(feet), np.diag([mass] * 3 + [turning] * 3))
    carried = rng.normal(size=(size, size))
    carried = carried @ carried.T / size
    scale = np.tile([2.0] * 3 + [0.1] * 3, feet)
    inertia = inertia + scale[:, None] * carried * scale[None, :]
    force = np.tile([0.0, 0.0, -300.0 / feet, 0.0, 0.0, 0.0], feet)
    force += rng.normal(size=size) * np.tile([60.0, 60.0, 20.0, 2.0, 2.0, 2.0], feet)
    free = dt * np.linalg.solve(inertia, force) + rng.normal(size=size) * 1e-3 * rng.integers(0, 2)
    return ContactProblem(
        delassus=jacobian @ np.linalg.solve(inertia, jacobian.T),
        bias=jacobian @ free,
        friction=np.full(points * feet, rng.uniform(0.3, 0.9)),
    )


def stack_problem(
    boxes: int, *, seed: int | np.random.Generator | None = None, dt: float = 1e-3
) -> ContactProblem:
    """A tower of boxes that touch at four corners each, with small random pushes."""
    rng = np.random.default_rng(seed)
    half = np.array([0.1, 0.1, 0.05])
    masses = rng.uniform(0.5, 2.0, boxes)
    corners = [np.array([x, y, -1.0]) * half for x in (-1, 1) for y in (-1, 1)]
    jacobian = np.zeros((12 * boxes, 6 * boxes))
    for index in range(boxes):
        for number, corner in enumerate(corners):
            row = 12 * index + 3 * number
            jacobian[row : row + 3, 6 * index : 6 * index + 6] = _point_rows(corner)
            if index:
                below = corner + np.array([0.0, 0.0, 2 * half[2]])
                jacobian[row : row + 3, 6 * index - 6 : 6 * index] = -_point_rows(below)
    inverse = np.concatenate([_inverse_box_inertia(mass, half) for mass in masses])
    push = rng.normal(size=(boxes, 6)) * np.array([1.0, 1.0, 1.0, 0.05, 0.05, 0.05])
    push[:, 2] -= masses * GRAVITY
    free = dt * inverse * push.ravel()
    return ContactProblem(
        delassus=jacobian * inverse @ jacobian.T,
        bias=jacobian @ free,
        friction=rng.uniform(0.3, 0.8, 4 * boxes),
    )


def pile_problem(
    contacts: int, *, seed: int | np.random.Generator | None = None, dt: float = 1e-3
) -> ContactProblem:
    """Free bodies thrown together: contacts between random pairs or with the ground, with random normals."""
    rng = np.random.default_rng(seed)
    bodies = max(1, (contacts + 1) // 2)
    inverse = np.concatenate(
        [_inverse_box_inertia(rng.uniform(0.5, 3.0), rng.uniform(0.05, 0.2, 3)) for _ in range(bodies)]
    )
    jacobian = np.zeros((3 * contacts, 6 * bodies))
    for index in range(contacts):
        first = index % bodies
        second = int(rng.integers(-1, bodies))
        normal = rng.normal(size=3) + np.array([0.0, 0.0, 2.0])
        axes = contact_frame(normal / np.linalg.norm(normal)).T
        rows = slice(3 * index, 3 * index + 3)
        jacobian[rows, 6 * first : 6 * first + 6] = axes @ _point_rows(rng.uniform(-0.15, 0.15, 3))
        if second >= 0 and second != first:
            jacobian[rows, 6 * second : 6 * second + 6] = -axes @ _point_rows(rng.uniform(-0.15, 0.15, 3))
    free = rng.normal(size=6 * bodies) * np.tile([0.3] * 3 + [1.0] * 3, bodies)
    free[2::6] -= GRAVITY * dt + rng.uniform(0.0, 0.5)
    return ContactProblem(
        delassus=jacobian * inverse @ jacobian.T,
        bias=jacobian @ free,
        friction=rng.uniform(0.1, 1.0, contacts),
    )


def robot_problem(
    robot: Robot,
    q: Array,
    feet: Sequence[str],
    *,
    sole: Array | None = None,
    seed: int | np.random.Generator | None = None,
    dt: float = 1e-3,
) -> RobotContactProblem:
    """A robot near the configuration q (nq,) that touches uneven ground with its feet.

    feet: bodies or frames. sole: (points, 3) where each foot touches, in its frame; its origin unless given. The
    robot may stand, land or slip; its joints give torques at random. Joint limits and dry friction take part.
    """
    rng = np.random.default_rng(seed)
    points = np.zeros((1, 3)) if sole is None else sole
    near = integrate(robot, q, rng.normal(size=robot.nv) * 0.05)
    count = len(feet) * len(points)
    normals = rng.normal(size=(count, 3)) * 0.1 + np.array([0.0, 0.0, 1.0])
    contacts = Contacts(
        [foot for foot in feet for _ in points],
        np.tile(points, (len(feet), 1)),
        np.array([contact_frame(normal / np.linalg.norm(normal)) for normal in normals]),
        rng.choice([0.0, 1e-4], count),
        rng.uniform(0.2, 1.0, count),
        viscous_friction=np.full(count, 0.4),
    )
    v = rng.normal(size=robot.nv) * rng.choice([1e-3, 0.1, 1.0])
    v[2] -= abs(rng.normal()) * rng.choice([0.0, 1.0])
    tau = rng.normal(size=robot.nv) * 0.05 * robot.mass
    tau[:6] = 0.0
    return build_contact_problem(robot, near, v, tau, contacts, dt=dt)


def problems(count: int, *, contacts: int, seed: int = 0) -> Iterator[tuple[str, ContactProblem]]:
    """A seeded mixture of problems with that many contacts, each with the name of its kind."""
    for index in range(count):
        rng = np.random.default_rng([seed, contacts, index])
        kinds = ["pile", "foot"] + (["stack"] if contacts % 4 == 0 else [])
        match kinds[index % len(kinds)]:
            case "pile":
                yield "pile", pile_problem(contacts, seed=rng)
            case "foot":
                feet = 2 if contacts % 2 == 0 and contacts >= 4 else 1
                yield "foot", foot_problem(contacts // feet, feet=feet, seed=rng)
            case _:
                yield "stack", stack_problem(contacts // 4, seed=rng)


def _point_rows(position: Array) -> Array:
    """Velocity (3, 6) of a point of a body from the body's [v; w]."""
    return np.concatenate([np.eye(3), -_cross_matrix(position)], axis=1)


def _inverse_box_inertia(mass: float, half: Array) -> Array:
    """Diagonal (6,) of the inverse inertia of a solid box."""
    squares = half**2
    turning = mass / 3 * (squares.sum() - squares)
    return np.concatenate([np.full(3, 1 / mass), 1 / turning])


def _cross_matrix(r: Array) -> Array:
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])

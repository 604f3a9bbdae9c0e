"""Planar systems in symbols: the arm of RSL 2022, chapter 3 and the cart-pendulum of 10.4, derived in several ways.

Bodies move in the x-z plane and turn about y; a positive angle turns z towards x. Gravity is along -z.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy

GRAVITY = 9.81


class PlanarBody(NamedTuple):
    """Position (2,) of the centre of mass, angle about y, mass (kg) and inertia about y (kg m2)."""

    position: Any
    angle: Any
    mass: Any
    inertia: Any


class PlanarSystem(NamedTuple):
    """Coordinates q and rates qd as symbols, and bodies that depend on them."""

    q: Any
    qd: Any
    bodies: tuple[PlanarBody, ...]


class Terms(NamedTuple):
    """`M a + b + g = tau`."""

    mass: Any
    coriolis: Any
    gravity: Any


def symbols(count: int) -> tuple[Any, Any]:
    return (
        sympy.Matrix(sympy.symbols(f"q1:{count + 1}")),
        sympy.Matrix(sympy.symbols(f"w1:{count + 1}")),
    )


def planar_arm() -> PlanarSystem:
    """Three links of 1 m and 1 kg, angles from the vertical."""
    q, qd = symbols(3)
    bodies, tip, angle = [], sympy.Matrix([0, 0]), sympy.Integer(0)
    for coordinate in q:
        angle += coordinate
        direction = sympy.Matrix([sympy.sin(angle), sympy.cos(angle)])
        bodies.append(PlanarBody(tip + direction / 2, angle, 1, sympy.Rational(1, 12)))
        tip += direction
    return PlanarSystem(q, qd, tuple(bodies))


def cart_pendulum(cart: Any, pendulum: Any, length: Any, inertia: Any) -> PlanarSystem:
    """Cart at x, pendulum at an angle from the downward vertical; a positive angle moves its mass to +x."""
    q, qd = symbols(2)
    hanging = sympy.Matrix([q[0] + length * sympy.sin(q[1]), -length * sympy.cos(q[1])])
    return PlanarSystem(
        q,
        qd,
        (PlanarBody(sympy.Matrix([q[0], 0]), 0, cart, 0), PlanarBody(hanging, -q[1], pendulum, inertia)),
    )


def energies(system: PlanarSystem, gravity: Any = GRAVITY) -> tuple[Any, Any]:
    """Kinetic and potential energy."""
    kinetic, potential = sympy.Integer(0), sympy.Integer(0)
    for body in system.bodies:
        velocity = body.position.jacobian(system.q) * system.qd
        turning = (sympy.Matrix([body.angle]).jacobian(system.q) * system.qd)[0]
        kinetic += body.mass * velocity.dot(velocity) / 2 + body.inertia * turning**2 / 2
        potential += body.mass * gravity * body.position[1]
    return kinetic, potential


def lagrange(system: PlanarSystem, gravity: Any = GRAVITY) -> Terms:
    """Second kind, RSL 2022, (3.26)-(3.34): from energies alone."""
    kinetic, potential = energies(system, gravity)
    q, qd = system.q, system.qd
    momenta = sympy.Matrix([kinetic]).jacobian(qd).T
    mass = momenta.jacobian(qd)
    coriolis = momenta.jacobian(q) * qd - sympy.Matrix([kinetic]).jacobian(q).T
    return Terms(mass, coriolis, sympy.Matrix([potential]).jacobian(q).T)


def projected_newton_euler(system: PlanarSystem, gravity: Any = GRAVITY) -> Terms:
    """RSL 2022, (3.38)-(3.48): Newton's and Euler's laws of each body, projected by its Jacobians."""
    count = len(system.q)
    mass, coriolis, weight = (sympy.zeros(count, n) for n in (count, 1, 1))
    for body in system.bodies:
        linear = body.position.jacobian(system.q)
        angular = sympy.Matrix([body.angle]).jacobian(system.q)
        rates = [(linear[:, k].jacobian(system.q) * system.qd, system.qd[k]) for k in range(count)]
        linear_bias = sum((rate * speed for rate, speed in rates), sympy.zeros(2, 1))
        turns = [(angular[:, k].jacobian(system.q) * system.qd, system.qd[k]) for k in range(count)]
        angular_bias = sum((rate * speed for rate, speed in turns), sympy.zeros(1, 1))
        mass += linear.T * body.mass * linear + angular.T * body.inertia * angular
        coriolis += linear.T * body.mass * linear_bias + angular.T * body.inertia * angular_bias
        weight -= linear.T * sympy.Matrix([0, -body.mass * gravity])
    return Terms(mass, coriolis, weight)

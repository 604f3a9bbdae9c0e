"""Nodes of contact layers that touch, solved with the robot that they carry: one node after the other, each exactly.

A node moves with its link, and with its layer: `w = X y + s + bias`, where y are motions of links (and rates of joints
at stops), and s what impulses make of the layers, whose nodes push each other. An impulse changes both, the motions
through the robot's inertia, the layer through its compliance. No matrix of all nodes is formed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import ArrayOf, Matrix3, Vector3, new_records, routine
from footfall.contact import local_cone

TWIST = 6
_NEWTON_STEPS = 3  # for the direction of sliding, in each sweep


class LayerNode(NamedTuple):
    """A node that may touch.

    link: number of the carrying link's motion. row: of the node's first displacement among all layers. first, last:
    rows of its layer. arm: from the link's origin to the node, m. frame: columns (t1, t2, n), in the world; turned:
    the same in the link's axes. bias: its velocity without impulses along them, and what the gap adds, m/s.
    """

    link: int
    row: int
    first: int
    last: int
    arm: Vector3
    frame: Matrix3
    turned: Matrix3
    bias: Vector3
    friction: float


class JointStop(NamedTuple):
    """A joint at a stop, or with dry friction: `sign u + offset` is not negative, or held by up to `bound`.

    motion: where its rate u is among the motions. bound: N m s, infinite for stops.
    """

    motion: int
    sign: float
    offset: float
    bound: float


class LayerProblem(NamedTuple):
    """response: (m, m) motions of impulses on links and joints, of the robot. compliance: (rows, most) of the layers,
    a row each, 1/kg."""

    nodes: ArrayOf[LayerNode]
    stops: ArrayOf[JointStop]
    response: Array
    compliance: Array


class LayerState(NamedTuple):
    """impulses: (nodes, 3) along (t1, t2, n), N s. stop_impulses: (stops,). motions: (m,) of links and joints.
    pushed: (m,) impulses on them. rates: (rows,) of displacements, that impulses give the layers, m/s."""

    impulses: ArrayOf[Vector3]
    stop_impulses: Array
    motions: Array
    pushed: Array
    rates: Array


class Swept(NamedTuple):
    """Number of sweeps, and the largest change of an impulse in the last of them, N s."""

    sweeps: int
    change: float


@routine(fused=True)
def sweep_layers(problem: LayerProblem, state: LayerState, tolerance: float, most: int) -> Swept:
    """Sweeps until no impulse changes by more than the tolerance (N s), at most so many; the impulses given are where
    it starts."""
    nodes, stops = problem.nodes, problem.stops
    blocks, slip = new_records(local_cone.ConeBlock, len(nodes)), np.zeros(len(nodes))
    mobilities: ArrayOf[Matrix3] = np.empty((len(nodes), 3, 3))
    for k in range(len(nodes)):
        m = _mobility(problem, nodes[k])
        mobilities[k] = m
        blocks[k] = local_cone.cone_block(m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2])
        _push(problem, state, nodes[k], state.impulses[k])
    for k in range(len(stops)):
        _push_joint(problem, state, stops[k], state.stop_impulses[k])
    change = np.inf
    for sweep in range(most):
        if change <= tolerance:
            return Swept(sweep, change)
        change = 0.0
        for k in range(len(nodes)):
            before, block, m = state.impulses[k], blocks[k], mobilities[k]
            free = _velocity(state, nodes[k]) - m @ before - block.added * before
            p1, p2, pn, slip[k] = local_cone.solve_cone(
                block, free[0], free[1], free[2], nodes[k].friction, 0.0, slip[k], _NEWTON_STEPS
            )
            step = np.array([p1, p2, pn]) - before
            if step @ step > 0.0:
                _push(problem, state, nodes[k], step)
                state.impulses[k] = before + step
                change = max(change, np.sqrt(step @ step))
        for k in range(len(stops)):
            change = max(change, _sweep_joint(problem, state, k))
    return Swept(most, change)


def _mobility(problem: LayerProblem, node: LayerNode) -> Matrix3:
    """How a node that nothing else holds moves under its own impulse, along (t1, t2, n), 1/kg."""
    response, compliance, first = problem.response, problem.compliance, TWIST * node.link
    result: Matrix3 = np.zeros((3, 3))
    for j in (0, 1, 2):
        push, moment = node.frame[:, j], np.cross(node.arm, node.frame[:, j])
        velocity: Vector3 = np.zeros(3)
        turn: Vector3 = np.zeros(3)
        yielding: Vector3 = np.zeros(3)
        for i in (0, 1, 2):
            for k in (0, 1, 2):
                velocity[i] += response[first + i, first + k] * push[k]
                velocity[i] += response[first + i, first + 3 + k] * moment[k]
                turn[i] += response[first + 3 + i, first + k] * push[k]
                turn[i] += response[first + 3 + i, first + 3 + k] * moment[k]
                yielding[i] += compliance[node.row + i, node.row - node.first + k] * node.turned[k, j]
        moved = node.frame.T @ (velocity + np.cross(turn, node.arm)) + node.turned.T @ yielding
        for i in (0, 1, 2):
            result[i, j] = moved[i]
    return result


def _velocity(state: LayerState, node: LayerNode) -> Vector3:
    """Of a node along (t1, t2, n), with what its gap adds, m/s."""
    first = TWIST * node.link
    linear: Vector3 = state.motions[first : first + 3]
    angular: Vector3 = state.motions[first + 3 : first + TWIST]
    rate: Vector3 = state.rates[node.row : node.row + 3]
    velocity: Vector3 = node.frame.T @ (linear + np.cross(angular, node.arm)) + node.turned.T @ rate
    return velocity + node.bias


def _push(problem: LayerProblem, state: LayerState, node: LayerNode, impulse: Vector3) -> None:
    """Let motions and layer follow an impulse (3,) along (t1, t2, n) on a node."""
    push = node.frame @ impulse
    wrench = np.concatenate((push, np.cross(node.arm, push)))
    motions, rates, own = state.motions, state.rates[node.first : node.last], node.turned @ impulse
    for i in (0, 1, 2, 3, 4, 5):
        motions += problem.response[TWIST * node.link + i] * wrench[i]
        state.pushed[TWIST * node.link + i] += wrench[i]
    for i in (0, 1, 2):
        rates += problem.compliance[node.row + i, : node.last - node.first] * own[i]


def _push_joint(problem: LayerProblem, state: LayerState, stop: JointStop, impulse: float) -> None:
    motions = state.motions
    motions += problem.response[stop.motion] * (stop.sign * impulse)
    state.pushed[stop.motion] += stop.sign * impulse


def _sweep_joint(problem: LayerProblem, state: LayerState, k: int) -> float:
    """Solve one joint with all else as it is; by how much its impulse changes."""
    stop, before = problem.stops[k], state.stop_impulses[k]
    inverse = 1.0 / problem.response[stop.motion, stop.motion]
    free = stop.sign * state.motions[stop.motion] + stop.offset - before / inverse
    if stop.bound < np.inf:
        after = local_cone.solve_box(inverse, free, stop.bound)
    else:
        after = local_cone.solve_limit(inverse, free)
    _push_joint(problem, state, stop, after - before)
    state.stop_impulses[k] = after
    return float(abs(after - before))

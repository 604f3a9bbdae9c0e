"""How links move with the velocities of nodes: the rows that contact and forces see."""

from __future__ import annotations

import numpy as np

from footfall.compiler.routines import ArrayOf, Lanes, Vector3
from footfall.contact.islands.island import TWIST
from footfall.math.block_sparse import WIDTH
from footfall.simulation.world.movers import robot_origin
from footfall.simulation.world.records import LinkPiece, Moment, RobotPart

_NUMBER = np.arange(8.0)  # of each lane


def fill_motion(
    now: Moment, link: int, piece: int, point: Vector3, motions: ArrayOf[Lanes], row: int
) -> None:
    """Six rows of the motion [v; w] of a link at a point (3,) in the world, by the velocities of one piece."""
    mover, robots = now.world.link_mover[link], len(now.world.robots)
    if mover < robots:
        robot = now.world.robots[mover]
        _robot_rows(now, robot, now.world.pieces[piece], motions, row)
        arm = point - robot_origin(robot, now.room.outputs)
    else:
        _free_rows(now, link, motions, row)
        arm = point - now.room.bodies.position[link]
    wx, wy, wz = motions[row + 3], motions[row + 4], motions[row + 5]
    motions[row] = motions[row] + wy * arm[2] - wz * arm[1]
    motions[row + 1] = motions[row + 1] + wz * arm[0] - wx * arm[2]
    motions[row + 2] = motions[row + 2] + wx * arm[1] - wy * arm[0]


def _robot_rows(now: Moment, robot: RobotPart, piece: LinkPiece, motions: ArrayOf[Lanes], row: int) -> None:
    """About the robot's origin."""
    number: Lanes = _NUMBER
    keep, first = number < piece.lanes, robot.results.motions.first + TWIST * WIDTH * piece.table
    table: ArrayOf[Lanes] = now.room.outputs[first : first + TWIST * WIDTH].reshape(TWIST, WIDTH)
    for c in range(TWIST):
        motions[row + c] = np.where(keep, table[c], 0.0)
    if robot.placed:
        turn = robot.rotation
        for c in (0, 3):
            x, y, z = motions[row + c], motions[row + c + 1], motions[row + c + 2]
            for i in (0, 1, 2):
                motions[row + c + i] = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z


def _free_rows(now: Moment, link: int, motions: ArrayOf[Lanes], row: int) -> None:
    """About the body's origin."""
    number: Lanes = _NUMBER
    rotation = now.room.bodies.rotation[link]
    for i in (0, 1, 2):
        motions[row + i] = np.where(number == i, 1.0, 0.0)
        turned: Lanes = np.zeros(8)
        turned[3], turned[4], turned[5] = rotation[i, 0], rotation[i, 1], rotation[i, 2]
        motions[row + 3 + i] = turned

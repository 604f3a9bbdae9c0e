"""Draw a robot from its shapes with matplotlib.

python examples/draw_robot.py lola docs/pictures/lola.png [CONFIGURATION]
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import footfall

SIDES = 20  # of a circle


def surface(shape):
    """Quadrilaterals (n, 4, 3) around a shape, in its own axes."""
    if isinstance(shape, footfall.Box):
        return box(np.array(shape.size) / 2)
    if isinstance(shape, footfall.Sphere):
        heights = shape.radius * np.sin(np.linspace(-np.pi / 2, np.pi / 2, SIDES // 2))
        return turned(np.sqrt(np.maximum(shape.radius**2 - heights**2, 0.0)), heights)
    if isinstance(shape, footfall.Cylinder):
        half = shape.length / 2
        return turned(np.array([0.0, shape.radius, shape.radius, 0.0]), np.array([-half, -half, half, half]))
    if isinstance(shape, footfall.Capsule):
        angles = np.linspace(-np.pi / 2, np.pi / 2, SIDES // 2)
        heights = shape.radius * np.sin(angles) + np.sign(angles) * shape.length / 2
        return turned(shape.radius * np.cos(angles), heights)
    return np.zeros((0, 4, 3))  # meshes are left to the viewer


def box(half):
    faces = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=float)
            faces.append(np.insert(corners, axis, side, axis=1) * half)
    return np.array(faces)


def turned(radii, heights):
    """The surface that a line of radii and heights makes when it turns about z."""
    angles = np.linspace(0.0, 2 * np.pi, SIDES + 1)
    rings = np.stack(
        [
            np.outer(radii, np.cos(angles)),
            np.outer(radii, np.sin(angles)),
            np.outer(heights, np.ones(SIDES + 1)),
        ],
        -1,
    )
    corners = [rings[:-1, :-1], rings[:-1, 1:], rings[1:, 1:], rings[1:, :-1]]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)


def shaded(color, faces):
    """The colour of each face under a light from the front left above."""
    normals = np.cross(faces[:, 2] - faces[:, 0], faces[:, 3] - faces[:, 1])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True) + 1e-12
    light = np.array([0.55, 0.35, 0.75]) / np.linalg.norm([0.55, 0.35, 0.75])
    brightness = 0.62 + 0.38 * np.abs(normals @ light)
    return np.clip(np.outer(brightness, color[:3]), 0.0, 1.0)


def draw(robot, q, path):
    """Write a picture of the robot in configuration q (nq,)."""
    poses = footfall.forward_kinematics(robot, q)
    faces, colors = [], []
    for body, position, rotation in zip(robot.bodies, poses.position, poses.rotation, strict=True):
        for geometry in body.visuals or body.collisions:
            place = geometry.placement
            local = surface(geometry.shape) @ place.rotation.T + place.translation
            world = local @ rotation.T + position
            faces.append(world)
            colors.append(shaded(np.array(geometry.color or (0.6, 0.65, 0.7, 1.0)), world))
    faces, colors = np.concatenate(faces), np.concatenate(colors)
    figure = plt.figure(figsize=(6, 8), dpi=150)
    axes = figure.add_subplot(projection="3d", computed_zorder=False)
    axes.add_collection3d(Poly3DCollection(faces, facecolors=colors, edgecolors=colors, linewidths=0.2))
    low, high = faces.reshape(-1, 3).min(axis=0), faces.reshape(-1, 3).max(axis=0)
    ground = low[2]
    center, reach = (low + high) / 2, (high - low).max() / 2
    floor(axes, center, 0.45 * reach, ground)
    axes.set(
        xlim=(center[0] - reach / 2, center[0] + reach / 2),
        ylim=(center[1] - reach / 2, center[1] + reach / 2),
        zlim=(ground, ground + 2 * reach),
    )
    axes.set_box_aspect((1, 1, 2), zoom=1.15)
    axes.view_init(elev=12, azim=38)
    axes.set_axis_off()
    figure.savefig(path, bbox_inches="tight", pad_inches=0.0)
    plt.close(figure)


def floor(axes, center, reach, height):
    """Square tiles under the robot."""
    edges = np.linspace(-reach, reach, 7)
    for i, x in enumerate(edges[:-1]):
        for j, y in enumerate(edges[:-1]):
            width = edges[1] - edges[0]
            corners = [(x, y), (x + width, y), (x + width, y + width), (x, y + width)]
            tile = [(center[0] + a, center[1] + b, height) for a, b in corners]
            tone = "#e8eaed" if (i + j) % 2 else "#f6f7f8"
            axes.add_collection3d(Poly3DCollection([tile], facecolors=tone, edgecolors="none", zorder=-1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Draw a robot from its shapes.")
    parser.add_argument("robot", help="name of a shipped robot, or a file")
    parser.add_argument("picture", help="file to write, .png say")
    parser.add_argument(
        "configuration", nargs="?", default="idle", help="neutral, if the robot has none of that name"
    )
    given = parser.parse_args()
    robot = footfall.load(given.robot)
    known = given.configuration in robot.configurations
    q = robot.configuration(given.configuration) if known else footfall.neutral(robot)
    draw(robot, q, given.picture)
    print(f"{robot}\ndrawn to {given.picture}")

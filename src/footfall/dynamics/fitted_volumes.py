"""Volumes for any robot, fitted around the shapes or meshes of its bodies, with the pairs of them that can meet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.compiler import cache
from footfall.dynamics.volume_pairs import choose_volume_pairs
from footfall.errors import RobotError
from footfall.geometry.solid import Solid
from footfall.geometry.swept_sphere import SweptSphere, SweptVolume
from footfall.robot.model import Body, Robot
from footfall.robot.volume_fitting import Held, body_solid, fit_body, shared_volume
from footfall.robot.volumes import BodyVolume

_VERSION = "8"  # of the method; others do not use what it kept
_ROW = 11  # numbers of an element that is kept: corners, radius, how many corners count


def fit_volumes(
    robot: Robot,
    *,
    bodies: Sequence[str] | None = None,
    most: int = 8,
    visuals: bool = False,
    pairs: bool = True,
    seed: int = 0,
    progress: Callable[[float, str], None] | None = None,
) -> Robot:
    """The robot with a volume around each body that has a shape, under the body's name, and with the pairs of volumes
    that can meet; other volumes stay as they are.

    bodies: only these. most: elements a body; more than one only where they pay. Nothing of a shape sticks out. Shapes
    for contact count, or what is seen if there are none. visuals: what is seen counts in any case. Bodies of the same
    shape, or mirrored ones, share their volume. pairs: choose them anew (`choose_volume_pairs`). seed: of the places
    that elements start from. progress: called with how many bodies are done, and the name of the next. Volumes are kept
    on disk and found again. `volume_coverage` says how tight they are.
    """
    wanted = [robot.body(name) for name in bodies] if bodies is not None else list(robot.bodies)
    fitted: dict[str, Held] = {}
    for done, body in enumerate(wanted):
        if progress is not None:
            progress(done, body.name)
        solid = body_solid(body, visuals=visuals)
        volume = None
        if solid is not None:
            volume = shared_volume(solid, fitted.values())
            volume = volume or _volume_of(body, solid, most=most, visuals=visuals, seed=seed)
        if solid is not None and volume is not None:
            fitted[body.name] = Held(solid, volume)
        elif bodies is not None:
            raise RobotError("has no shape to fit a volume to", subject=("body", body.name))
    kept = tuple(volume for volume in robot.volumes if volume.name not in fitted)
    made = tuple(BodyVolume(name, name, held.volume) for name, held in fitted.items())
    names = {volume.name for volume in (*kept, *made)}
    named = tuple(pair for pair in robot.volume_pairs if set(pair) <= names)
    result = replace(robot, volumes=(*kept, *made), volume_pairs=named)
    if not pairs or len(result.volumes) < 2:
        return result
    return replace(result, volume_pairs=choose_volume_pairs(result, seed=seed).pairs)


def _volume_of(body: Body, solid: Solid, *, most: int, visuals: bool, seed: int) -> SweptVolume | None:
    """A volume that was kept on disk, or a new one."""
    geometries = (*body.collisions, *body.visuals) if visuals else body.collisions or body.visuals
    kinds = repr([type(geometry.shape).__name__ for geometry in geometries])
    key = cache.key_of("swept volume", _VERSION, kinds, solid.triangles.tobytes().hex(), repr((most, seed)))
    entry = cache.read(key)
    if entry is not None and len(entry.code) % (8 * _ROW) == 0 and entry.code:
        return _unpacked(np.frombuffer(entry.code).reshape(-1, _ROW))
    volume = fit_body(body, most=most, visuals=visuals, seed=seed)
    if volume is not None:
        cache.write(key, cache.Entry({"kind": "swept volume"}, _packed(volume).tobytes()))
    return volume


def _packed(volume: SweptVolume) -> Array:
    rows = np.zeros((len(volume), _ROW))
    for row, element in zip(rows, volume.elements, strict=True):
        corners = element.corners
        row[: corners.size] = corners.ravel()
        row[9:] = element.radius, len(corners)
    return rows


def _unpacked(rows: Array) -> SweptVolume:
    return SweptVolume(tuple(SweptSphere(row[:9].reshape(3, 3)[: int(row[10])], row[9]) for row in rows))

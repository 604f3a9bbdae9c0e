"""One HTML file that plays recordings without a network: bodies, forces, plots and what happened, on one time.

Numbers are whole numbers of 16 bits with a scale, packed: positions to a part in 65535 of the way, so 0.2 mm on 10 m.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import InvalidInput
from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_matrix
from footfall.recording.reader import Recording
from footfall.viewer.drawing import forces_by_body, ground_height
from footfall.viewer.event_marks import recorded_marks
from footfall.viewer.signal_groups import SignalGroup, signal_groups
from footfall.viewer.surfaces import Surface, object_surface, robot_surfaces
from footfall.viewer.timeline import latest_row
from footfall.whole_file import written_whole

_USUAL = ("zmp", "dcm", "center", "tilt", "right_foot", "left_foot")
_NONE = 65535  # no number
_CAMERA = (-0.64, 0.26, 1.5)  # azimuth and elevation, rad, and distance in heights of the robot
_LENGTH_OF_WEIGHT = 0.5  # of the robot's size


class _Store:
    """Arrays one after the other, each at a multiple of four bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, values: Any, kind: str) -> tuple[str, int, int]:
        content = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()
        place = (kind, self._size, len(content) // np.dtype(kind).itemsize)
        content += bytes(-len(content) % 4)
        self._parts.append(content)
        self._size += len(content)
        return place

    def packed(self) -> str:
        return base64.b64encode(zlib.compress(b"".join(self._parts), 9)).decode()


def write_shared(
    recordings: Sequence[Recording],
    path: Path | str,
    *,
    title: str | None = None,
    chosen: Sequence[str] = (),
    rate: float = 50.0,
    bodies: bool = True,
) -> int:
    """Write recordings as one page, the first as it is and others as ghosts beside it; gives its size in bytes.

    chosen: signals that are plotted at first. rate: instants a second that are kept. bodies: whether robots are in it;
    else it has plots only.
    """
    text = shared_page(recordings, title=title, chosen=chosen, rate=rate, bodies=bodies)
    with written_whole(Path(path)) as file:
        file.write(text.encode())
    return len(text.encode())


def shared_page(
    recordings: Sequence[Recording],
    *,
    title: str | None = None,
    chosen: Sequence[str] = (),
    rate: float = 50.0,
    bodies: bool = True,
    pixels: tuple[int, int] | None = None,
) -> str:
    """The text of such a page. pixels: size of the view, for programs that take pictures of it."""
    if not recordings or not all(len(each.time) for each in recordings):
        raise InvalidInput("there is no recording with a state to show")
    store, meshes = _Store(), list[dict[str, Any]]()
    groups = [signal_groups(each) for each in recordings]
    instants = [_instants(each, rate) for each in recordings]
    first = recordings[0]
    begin, end = (float(pick(times[k] for times in instants)) for pick, k in ((min, 0), (max, -1)))
    runs = [
        _run(recording, times, store, meshes, bodies=bodies, scene=number == 0)
        for number, (recording, times) in enumerate(zip(recordings, instants, strict=True))
    ]
    usual = [name for name in _USUAL if name in groups[0]] or list(groups[0])[:4]
    head: dict[str, Any] = {
        "title": title or f"{first.robot.name}: {first.path.stem}",
        "begin": begin,
        "end": max(end, begin + 1e-3),
        "play": pixels is None and bodies,
        "loop": False,
        "pixels": pixels,
        "chosen": list(chosen) or usual,
        "runs": runs,
        "meshes": meshes,
        "signals": [
            _signal(number, group, times, store)
            for number, (known, times) in enumerate(zip(groups, instants, strict=True))
            for group in known.values()
        ],
        "events": recorded_marks(first),
        **(
            _framing(first)
            if bodies
            else {"focus": [0, 0, 0], "offset": [0, 0], "root": 0, "ground": 0, "camera": [0, 0, 1]}
        ),
    }
    return _page(head, store, flat=not bodies)


def _page(head: Mapping[str, Any], store: _Store, *, flat: bool) -> str:
    def read(name: str) -> str:
        return (files("footfall.viewer") / "page" / name).read_text(encoding="utf-8")

    scripts = "".join(f"<script>{read(name)}</script>" for name in ("render.js", "plots.js"))
    said = json.dumps(head, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    data = (
        f'<script id="head" type="application/json">{said}</script>'
        f'<script id="data" type="text/plain">{store.packed()}</script>'
        f"{scripts}<script>{read('player.js')}</script></body>"
    )
    page = read("player.html").replace("</body>", data)
    if flat:
        page = page.replace("<body>", '<body class="flat">')
    return page.replace("<title>footfall</title>", f"<title>{escape(str(head['title']))}</title>")


def _instants(recording: Recording, rate: float) -> Array:
    """Times that are kept, s: rows of the recording, thinned out."""
    time = recording.time[np.isfinite(recording.time) & np.isfinite(recording.q).all(axis=1)]
    if not len(time):
        raise InvalidInput(f"{str(recording.path)!r} has no state to show")
    count = int((time[-1] - time[0]) * rate) + 1
    wanted = time[0] + np.arange(count) / rate
    kept = np.unique(np.searchsorted(time, wanted - 1e-9).clip(max=len(time) - 1))
    return np.unique(np.append(time[kept], time[-1]))


def _run(
    recording: Recording,
    times: Array,
    store: _Store,
    meshes: list[dict[str, Any]],
    *,
    bodies: bool,
    scene: bool,
) -> dict[str, Any]:
    """Of one recording: poses of what moves at each instant, and contact forces."""
    run: dict[str, Any] = {"name": recording.path.stem, "time": store.add(times, "f4")}
    if not bodies:
        return run
    rows = np.searchsorted(recording.time, times).clip(max=len(recording.time) - 1)
    poses = forward_kinematics(recording.robot, np.ascontiguousarray(recording.q[rows]))
    positions, quaternions = [np.array(poses.position)], [quaternion_from_matrix(np.array(poses.rotation))]
    listed = [{"parts": _parts(each, store, meshes)} for each in robot_surfaces(recording.robot)]
    things = recording.scene.fixed_objects if recording.scene is not None and scene else ()
    for each in things:
        if not each.visible or isinstance(each.shape, Plane):
            continue
        parts = _parts([object_surface(each.shape, each.color)], store, meshes)
        if each.motion is None:
            turn = quaternion_from_matrix(each.placement.rotation)
            listed.append({"parts": parts, "still": [*each.placement.translation.tolist(), *turn.tolist()]})
        else:
            moved = [each.motion.pose(time) for time in times.tolist()]
            positions.append(np.array([pose.translation for pose in moved])[:, None])
            turns = np.array([quaternion_from_matrix(pose.rotation) for pose in moved])
            quaternions.append(turns[:, None])
            listed.append({"parts": parts})
    place, turn = np.concatenate(positions, axis=1), np.concatenate(quaternions, axis=1)
    low = place.reshape(-1, 3).min(axis=0)
    step = np.maximum(np.ptp(place.reshape(-1, 3), axis=0), 1e-6) / 65534.0
    whole = np.concatenate([(place - low) / step, (turn + 1.0) * 32767.0], axis=2)
    size = _size(recording)
    return run | {
        "bodies": listed,
        "moving": place.shape[1],
        "low": low.tolist(),
        "step": step.tolist(),
        "poses": store.add(np.rint(whole), "u2"),
        "size": size,
        "perNewton": _LENGTH_OF_WEIGHT * size / max(recording.robot.mass * 9.81, 1e-6),
        **_forces(recording, times, store),
    }


def _parts(surfaces: Sequence[Surface], store: _Store, meshes: list[dict[str, Any]]) -> list[Any]:
    parts = []
    for vertices, triangles, color in surfaces:
        low = vertices.min(axis=0)
        unit = max(float(np.ptp(vertices, axis=0).max()), 1e-6) / 65535.0
        kind = "u2" if len(vertices) < 65536 else "u4"
        meshes.append(
            {
                "vertices": store.add(np.rint((vertices - low) / unit), "u2"),
                "triangles": store.add(triangles, kind),
                "unit": unit,
                "base": low.tolist(),
            }
        )
        parts.append([len(meshes) - 1, [round(float(each), 4) for each in color]])
    return parts


def _forces(recording: Recording, times: Array, store: _Store) -> dict[str, Any]:
    contacts = recording.contacts
    if not len(contacts.time):
        return {}
    counts, rows = [], []
    for time in times.tolist():
        instant = latest_row(contacts.time, time + 1e-9)
        part = contacts.at(instant) if instant >= 0 else slice(0, 0)
        places, forces = forces_by_body(contacts.position[part], contacts.force[part], contacts.body[part])
        known = np.isfinite(places).all(axis=1) & np.isfinite(forces).all(axis=1)
        counts.append(int(known.sum()))
        rows.append(np.concatenate([places[known], forces[known]], axis=1))
    return {"counts": store.add(counts, "u2"), "forces": store.add(np.concatenate(rows), "f4")}


def _signal(run: int, group: SignalGroup, times: Array, store: _Store) -> dict[str, Any]:
    rows = np.searchsorted(group.time, times + 1e-9, side="right") - 1
    values = (
        group.values[rows.clip(min=0)]
        if len(group.time)
        else np.full((len(times), len(group.labels)), np.nan)
    )
    known = np.isfinite(values) & (rows >= 0)[:, None]
    low, high = (
        np.where(known.any(axis=0), pick, 0.0) for pick in (_least(values, known), -_least(-values, known))
    )
    scale = np.maximum(high - low, 1e-12) / (_NONE - 1.0)
    with np.errstate(invalid="ignore"):
        whole = np.where(known, np.rint((values - low) / scale), _NONE)
    return {
        "run": run,
        "name": group.name,
        "unit": group.unit,
        "labels": list(group.labels),
        "low": low.tolist(),
        "scale": scale.tolist(),
        "data": store.add(whole, "u2"),
    }


def _least(values: Array, known: Array) -> Array:
    least: Array = np.where(known, values, np.inf).min(axis=0, initial=np.inf)
    return np.where(np.isfinite(least), least, 0.0)


def _bounds(recording: Recording) -> tuple[Array, Array]:
    """Least and greatest coordinates (2, 3) of the robot as it begins, and where its root is (3,), m."""
    poses = forward_kinematics(recording.robot, np.ascontiguousarray(recording.q[0]))
    corners = [np.array(poses.position)]
    for position, rotation, surfaces in zip(*poses, robot_surfaces(recording.robot), strict=True):
        corners += [each.vertices @ rotation.T + position for each in surfaces]
    points = np.concatenate(corners)
    return np.array([points.min(axis=0), points.max(axis=0)]), np.array(poses.position[0])


def _size(recording: Recording) -> float:
    bounds, _ = _bounds(recording)
    return float(np.clip(np.linalg.norm(bounds[1] - bounds[0]), 0.05, 2.5))


def _framing(recording: Recording) -> dict[str, Any]:
    """Where the camera looks: at the middle of the robot, which it follows."""
    bounds, root = _bounds(recording)
    middle = bounds.mean(axis=0)
    azimuth, elevation, heights = _CAMERA
    size = float(np.linalg.norm(bounds[1] - bounds[0]))
    return {
        "focus": middle.tolist(),
        "offset": (middle - root)[:2].tolist(),
        "root": float(root[2]),
        "ground": ground_height(recording.scene, bounds),
        "camera": [azimuth, elevation, heights * size],
    }

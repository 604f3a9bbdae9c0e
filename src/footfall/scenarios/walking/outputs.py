"""Files of a walk: the recording, all signals, the request that replays it, the summary, and a page of plots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.poses import HANDS
from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.recording.writer import RecordingWriter
from footfall.scenarios.walking.plots import plot_walk
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Scene, SceneObject
from footfall.walking.body import FEET
from footfall.walking.request import request_text, write_request
from footfall.walking.walk import Walk
from footfall.whole_file import write_text, written_whole

_RATE = 100.0  # Hz of a recording
_MOMENT = 1e-3  # s, in which things that are moved come to their new place
_HIDDEN = Transform(np.eye(3), np.array([0.0, 0.0, -50.0]))  # where things are before they come
UNITS = {  # of signals and readings; others are counts, parts and flags
    **dict.fromkeys(
        ("planned_center", "estimated_center", "center", "dcm_error", "planned_zmp", "zmp", "height"), "m"
    ),
    "clearance": "m",
    **dict.fromkeys(("right_hold", "left_hold", "hand_offsets"), "m"),
    **dict.fromkeys(("tilt", "right_turn", "left_turn", "tracking"), "rad"),
    **dict.fromkeys(("right_foot", "left_foot", "right_hand", "left_hand"), "N, N m"),
    **dict.fromkeys(("wanted_right_foot", "wanted_left_foot"), "N, N m"),
    **dict.fromkeys(("wanted_right_hand", "wanted_left_hand", "other"), "N"),
    **dict.fromkeys(("measured_right_foot", "measured_left_foot"), "N, N m"),
    **dict.fromkeys(("measured_right_hand", "measured_left_hand"), "N"),
    **dict.fromkeys(("measured_turning", "measured_joint_rates"), "rad/s"),
    "measured_joints": "rad",
    "missed": "N or N m",
    "task_error": "m or rad",
}
_PARTS = ("right_foot", "left_foot", "right_hand", "left_hand")


def write_walk(done: Walk, folder: Path, *, name: str, plots: bool = True) -> list[Path]:
    """Write all of a walk into a folder; gives the files, the recording first."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {
        ending: folder / f"{name}{ending}" for ending in (".mcap", ".npz", ".walk.json", ".json", ".png")
    }
    # The smallest first: on a disk that is nearly full they still fit, and the request makes all the rest again.
    write_request(done.session.request, paths[".walk.json"])
    write_text(paths[".json"], summary_text(done) + "\n")
    write_recording(done, paths[".mcap"])
    with written_whole(paths[".npz"]) as file:
        np.savez_compressed(file, **{"time": done.signals["time"], **named_signals(done)})
    if not plots:
        return list(paths.values())[:-1]
    plot_walk(done, paths[".png"], title=name)
    return list(paths.values())


def summary_text(done: Walk) -> str:
    """The summary as one JSON object; numbers that are none become null."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        return None if isinstance(value, float) and not np.isfinite(value) else value

    return json.dumps(plain(asdict(done.summary)), indent=2)


def write_recording(done: Walk, path: Path) -> None:
    """Write states and contact forces, thinned out, with all that was told, planned and seen."""
    walker = done.walker
    log, whole, body = walker.log, walker.engine.setting.robot, walker.code.body
    every = max(1, round(1.0 / (_RATE * walker.gains.period)))
    rows = slice(every - 1, None, every)
    times = walker.gains.period * (np.arange(len(log.q)) + 1.0)
    centres = _pressures(done, rows)
    names = [each.name for each in whole.bodies]
    prefix = next(
        (name[: -len(body.body_of("RF"))] for name in names if name.endswith(body.body_of("RF"))), ""
    )
    carriers = [names.index(prefix + body.body_of(landmark)) for landmark in (*FEET, *HANDS)]
    with RecordingWriter(
        path,
        whole,
        scene=scene_over_time(done.session.scenes),
        dt=walker.gains.period,
        seed=done.request.seed,
        metadata={"scene": done.request.scene, "request": request_text(done.session.request)},
        overwrite=True,
    ) as writer:
        for time, name, data in done.session.happened:
            writer.event(time, name, data)
        writer.states(times[rows], log.q[rows], log.v[rows])
        named = {name: values[rows] for name, values in named_signals(done).items()}
        writer.signals(times[rows], named, {name: UNITS.get(name, "") for name in named})
        forces = np.stack([done.signals[part][rows][:, :3] for part in _PARTS], axis=1)
        for k, time in enumerate(times[rows].tolist()):
            pushing = np.linalg.norm(forces[k], axis=1) > 1.0
            writer.contacts(
                time,
                centres[k, pushing],
                forces[k, pushing],
                bodies=[carrier for carrier, pushes in zip(carriers, pushing, strict=True) if pushes],
            )
        if done.summary.cause is not None:
            writer.event(float(times[-1]), "fallen", {"cause": done.summary.cause})


def named_signals(done: Walk) -> dict[str, Array]:
    """All that is known of every period (n, ...): signals, the plan that was followed, and what sensors told. Rotations
    are those of the upper body, row by row; pads are switches, right foot first."""
    sensors, signals = done.walker.log.sensors, done.signals
    plans = [(time, data["version"]) for time, name, data in done.session.happened if name == "plan"]
    begins, versions = (np.array(each) for each in zip(*plans, strict=True))
    followed = versions[np.searchsorted(begins, signals["time"] + 1e-9, side="right") - 1]
    count = len(followed)
    return {
        **{name: signals[name] for name in signals.dtype.names if name != "time"},
        "plan": followed,
        "measured_right_foot": sensors.feet[:, 0],
        "measured_left_foot": sensors.feet[:, 1],
        "measured_right_hand": sensors.hands[:, 0],
        "measured_left_hand": sensors.hands[:, 1],
        "measured_rotation": sensors.orientation.reshape(count, 9),
        "measured_turning": sensors.turning,
        "measured_joints": sensors.joints,
        "measured_joint_rates": sensors.joint_rates,
        "measured_pads": sensors.pads.reshape(count, 8),
    }


def scene_over_time(scenes: Sequence[tuple[float, Scene]]) -> Scene:
    """One scene for a recording of a walk in which objects came, went or moved: those have paths. What is not there
    is far below the ground."""
    last = scenes[-1][1]
    if len(scenes) == 1:
        return last
    names = list(dict.fromkeys(each.name for _, scene in scenes for each in scene.objects))
    objects = []
    for name in names:
        shown = [(time, _named(scene, name)) for time, scene in scenes]
        latest = next(each for _, each in reversed(shown) if each is not None)
        poses = [(time, _HIDDEN if each is None else each.placement) for time, each in shown]
        if any(not _same(pose, poses[0][1]) for _, pose in poses) and not isinstance(latest.shape, Plane):
            latest = replace(latest, motion=_path(poses))
        objects.append(latest)
    return replace(last, objects=tuple(objects))


def _named(scene: Scene, name: str) -> SceneObject | None:
    return next((each for each in scene.objects if each.name == name), None)


def _same(one: Transform, other: Transform) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def _path(poses: Sequence[tuple[float, Transform]]) -> GivenMotion:
    """At rest in each pose from its time on; ways between them take a moment."""
    times, shown = [-1.0], [poses[0][1]]
    for (time, after), (_, before) in zip(poses[1:], poses, strict=False):
        if time - 2 * _MOMENT > times[-1]:
            times += [time - 2 * _MOMENT, time - _MOMENT, time, time + _MOMENT]
            shown += [before, before, after, after]
        else:  # two changes at once
            shown[-1] = shown[-2] = after
    quaternions = np.array([quaternion_from_matrix(pose.rotation) for pose in shown])
    return GivenMotion(np.array(times), np.array([pose.translation for pose in shown]), quaternions)


def _pressures(done: Walk, rows: slice) -> Array:
    """Where feet and hands are pushed (n, 4, 3), m: centres of pressure of feet, frames of hands."""
    body, log = done.walker.code.body, done.walker.log
    q = np.ascontiguousarray(log.q[rows][:, : body.robot.nq])
    places = []
    for landmark, part in zip((*FEET, *HANDS), _PARTS, strict=True):
        place = np.array(frame_pose(body.robot, q, body.model.frames[landmark]).translation)
        wrench = done.signals[part][rows]
        if landmark in FEET:
            load = np.maximum(wrench[:, 2], 1.0)
            place[:, 0] -= wrench[:, 4] / load
            place[:, 1] += wrench[:, 3] / load
        places.append(place)
    return np.stack(places, axis=1)

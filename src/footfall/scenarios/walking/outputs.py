"""Files of a walk: the recording, all signals, the request that replays it, the summary, and a page of plots."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.poses import HANDS
from footfall.recording.writer import RecordingWriter
from footfall.scenarios.walking.plots import plot_walk
from footfall.walking.body import FEET
from footfall.walking.request import write_request
from footfall.walking.walk import Walk
from footfall.whole_file import write_text, written_whole

_RATE = 100.0  # Hz of a recording
_PARTS = ("right_foot", "left_foot", "right_hand", "left_hand")


def write_walk(done: Walk, folder: Path, *, name: str, plots: bool = True) -> list[Path]:
    """Write all of a walk into a folder; gives the files, the recording first."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {
        ending: folder / f"{name}{ending}" for ending in (".mcap", ".npz", ".walk.json", ".json", ".png")
    }
    # The smallest first: on a disk that is nearly full they still fit, and the request makes all the rest again.
    write_request(done.request, paths[".walk.json"])
    write_text(paths[".json"], summary_text(done) + "\n")
    write_recording(done, paths[".mcap"])
    signals = done.signals
    with written_whole(paths[".npz"]) as file:
        np.savez_compressed(file, **{field: signals[field] for field in signals.dtype.names})
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
    """Write states and contact forces, thinned out."""
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
        scene=walker.scene,
        dt=walker.gains.period,
        seed=done.request.seed,
        metadata={"scene": done.request.scene},
        overwrite=True,
    ) as writer:
        writer.states(times[rows], log.q[rows], log.v[rows])
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

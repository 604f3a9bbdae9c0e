"""Files of a walk: recording and journal, written as it goes; all signals, the request that replays it, the summary,
and a page of plots.

The page of plots of a walk: where it went, how it balanced, what it pushed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.poses import HANDS
from footfall.geometry.plane import Plane
from footfall.math.rotations import quaternion_from_matrix
from footfall.math.transform import Transform
from footfall.recording.writer import RecordingWriter
from footfall.scenarios.pyplot import load_pyplot, save_figure
from footfall.scene.given_motion import GivenMotion
from footfall.scene.model import Scene, SceneObject
from footfall.walking.body import FEET, WalkingBody
from footfall.walking.journal import ENDING, Journal
from footfall.walking.log import CHUNK, cut
from footfall.walking.loop import WalkLog
from footfall.walking.recorded import belief_map
from footfall.walking.request import request_text, write_request
from footfall.walking.session import WalkSession
from footfall.walking.walk import Walk, cause_of_fall
from footfall.walking.walker import Walker
from footfall.whole_file import write_text, written_whole

_RATE = 100.0  # Hz of a recording
_AMENDING = 1.0  # s, simulated, between two scenes that are written while things come and go
_MOMENT = 1e-3  # s, in which things that are moved come to their new place
_BASE = 7  # numbers of a floating base in q
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
    "wanted_base": "m, quaternion",
    "wanted_joints": "rad",
    "missed": "N or N m",
    "task_error": "m or rad",
}
_PARTS = ("right_foot", "left_foot", "right_hand", "left_hand")


class WalkRecorder:
    """Follows a session and writes its recording and its journal as it goes; use it as a context manager.

    Whatever ends the walk, the files hold what happened until half a second of simulated time before. `finish` writes
    all other files of a walk that has ended.
    """

    def __init__(self, session: WalkSession, folder: Path, *, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.session, self.folder, self.name = session, folder, name
        self.recording = folder / f"{name}.mcap"
        self._row = self._events = 0  # that have been written
        self._closed = False
        self._scenes, self._amended = len(session.scenes), session.time
        self._believed = (0, -_AMENDING)  # version of the map that has been written, and when, s
        walker = session.walker
        self._every = max(1, round(1.0 / (_RATE * walker.row_time)))
        self._carriers = _carriers(walker)
        self._writer = RecordingWriter(
            self.recording,
            walker.engine.setting.robot,
            scene=scene_over_time(session.scenes),
            dt=walker.gains.period,
            seed=session.asked.seed,
            metadata={"scene": session.asked.scene, "request": request_text(session.asked)},
            overwrite=True,
        )
        self.journal = Journal(_free_place(folder, name))
        session.follow(self)

    def __enter__(self) -> WalkRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def follow(self, session: WalkSession) -> None:
        """Write what is new."""
        if self._closed:
            return
        self.journal.follow(session)
        for time, name, data in session.happened[self._events :]:
            self._writer.event(time, name, data)
        self._events = len(session.happened)
        self._write_beliefs()
        if len(session.scenes) > self._scenes and session.time >= self._amended + _AMENDING:
            self._write_scene()
        complete = session.walker.period // session.walker.options.log_every
        if complete >= self._row + CHUNK / session.walker.row_time:
            self._write_rows(complete)

    def close(self) -> None:
        """Write the rest of the recording, with all that replays it."""
        session = self.session
        if self._closed:
            return
        self._closed = True
        self.journal.close()
        if len(session.scenes) > self._scenes:
            self._write_scene()
        self._write_rows(session.walker.period // session.walker.options.log_every)
        cause = cause_of_fall(session.walker) if session.fallen else None
        if cause is not None:
            self._writer.event(session.time, "fallen", {"cause": cause})
        self._writer.amend(metadata={"request": request_text(session.request)})
        self._writer.close()

    def finish(self, done: Walk, *, plots: bool = True) -> list[Path]:
        """Write all other files of a walk that has ended; gives the files, the recording first."""
        paths = [self.folder / f"{self.name}{ending}" for ending in (".npz", ".walk.json", ".json", ".png")]
        signals, request, summary, picture = paths
        # The smallest first: on a disk that is nearly full they still fit, and the request makes all the rest again.
        write_request(done.session.request, request)
        self.journal.remove()
        write_text(summary, summary_text(done) + "\n")
        self.close()
        with written_whole(signals) as file:
            log = done.walker.log
            np.savez_compressed(file, **{"time": log.signals["time"], **named_signals(self.session, log)})
        if plots:
            plot_walk(done, picture, title=self.name)
        return [self.recording, *(paths if plots else paths[:-1])]

    def _write_beliefs(self) -> None:
        """The map that the robot has now, if it is a new one; not too often."""
        session, environment = self.session, self.session.pilot.environment
        if environment.version == self._believed[0] or session.time < self._believed[1] + _AMENDING:
            return
        self._believed = (environment.version, session.time)
        known = belief_map(environment)
        if known is not None:
            self._writer.event(session.time, "belief", known)

    def _write_scene(self) -> None:
        self._writer.amend(scene=scene_over_time(self.session.scenes))
        self._scenes, self._amended = len(self.session.scenes), self.session.time

    def _write_rows(self, end: int) -> None:
        """Write states, signals and contact forces of rows to before one, thinned out."""
        walker = self.session.walker
        log = cut(walker.log_from(self._row), self._row, end)
        rows = np.arange(len(log.q))
        rows = rows[(rows + log.first + 1) % self._every == 0]
        self._row = end
        if not len(rows):
            return
        times = walker.row_time * (rows + log.first + 1.0)
        self._writer.states(times, log.q[rows], log.v[rows])
        named = {name: values[rows] for name, values in named_signals(self.session, log).items()}
        self._writer.signals(times, named, {name: UNITS.get(name, "") for name in named})
        signals: Any = log.signals[rows]
        forces = np.stack([signals[part][:, :3] for part in _PARTS], axis=1)
        pushing = np.linalg.norm(forces, axis=2) > 1.0
        centres = _pressures(walker.code.body, log.q[rows], signals)
        carriers = np.broadcast_to(self._carriers, pushing.shape)[pushing].tolist()
        self._writer.contacts_at(
            times, pushing.sum(axis=1), centres[pushing], forces[pushing], bodies=carriers
        )


def write_walk(done: Walk, folder: Path, *, name: str, plots: bool = True) -> list[Path]:
    """Write all of a walk that has ended into a folder, as far as its log is kept; gives the files, the recording
    first."""
    with WalkRecorder(done.session, folder, name=name) as recorder:
        return recorder.finish(done, plots=plots)


def summary_text(done: Walk) -> str:
    """The summary as one JSON object; numbers that are none become null."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items()}
        return None if isinstance(value, float) and not np.isfinite(value) else value

    return json.dumps(plain(asdict(done.summary)), indent=2)


def named_signals(session: WalkSession, log: WalkLog) -> dict[str, Array]:
    """All that is known of the rows of a log (n, ...): signals, the plan that was followed, and sensor readings.
    Rotations are those of the upper body, row by row; pads are switches, right foot first. wanted_base and
    wanted_joints are where the controller wants the robot to be: its configuration (nq,), in two parts."""
    sensors, signals = log.sensors, cast(Any, log.signals)
    begins, versions = _plans_since(session, signals["time"][0] if len(signals) else 0.0)
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
        "wanted_base": log.wanted[:, :_BASE],
        "wanted_joints": log.wanted[:, _BASE:],
    }


def _plans_since(session: WalkSession, time: float) -> tuple[Array, Array]:
    """When plans were taken up, s, and their numbers: the one that is followed at a time, and all later ones."""
    plans = []
    for when, name, data in reversed(session.happened):
        if name == "plan":
            plans.append((when, data["version"]))
            if when <= time:
                break
    begins, versions = zip(*reversed(plans), strict=True)
    return np.array(begins), np.array(versions)


def _carriers(walker: Walker) -> list[int]:
    """Bodies of feet and hands, among all that move."""
    body, names = walker.code.body, [each.name for each in walker.engine.setting.robot.bodies]
    prefix = next(
        (name[: -len(body.body_of("RF"))] for name in names if name.endswith(body.body_of("RF"))), ""
    )
    return [names.index(prefix + body.body_of(landmark)) for landmark in (*FEET, *HANDS)]


def _free_place(folder: Path, name: str) -> Path:
    """A journal of this name, or of the next one if that of a walk that was killed is still there."""
    places = (folder / f"{name}{number}{ENDING}" for number in ("", *(f".{k}" for k in range(2, 10_000))))
    return next(place for place in places if not place.exists())


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


def _pressures(body: WalkingBody, q: Array, signals: Any) -> Array:
    """Where feet and hands are pushed (n, 4, 3), m: centres of pressure of feet, frames of hands."""
    q = np.ascontiguousarray(q[:, : body.robot.nq])
    places = []
    for landmark, part in zip((*FEET, *HANDS), _PARTS, strict=True):
        place = np.array(frame_pose(body.robot, q, body.model.frames[landmark]).translation)
        wrench = signals[part]
        if landmark in FEET:
            load = np.maximum(wrench[:, 2], 1.0)
            place[:, 0] -= wrench[:, 4] / load
            place[:, 1] += wrench[:, 3] / load
        places.append(place)
    return np.stack(places, axis=1)


_RIGHT, _LEFT, _THIRD = "#0066bd", "#d95f02", "#1b9e77"


def plot_walk(done: Walk, path: Path, *, title: str = "") -> Path:
    """Draw a walk into a PNG file."""
    plt = load_pyplot()
    figure, axes = plt.subplots(4, 2, figsize=(13, 13))
    signals, every = done.signals, 4
    rows = signals[::every]
    time = rows["time"]
    _plan_view(axes[0, 0], rows)
    _curves(axes[0, 1], time, "tilt of the upper body, degrees", {
        "roll": np.rad2deg(rows["tilt"][:, 0]), "pitch": np.rad2deg(rows["tilt"][:, 1])})  # fmt: skip
    _curves(axes[1, 0], time, "force on feet, N", {
        "right": rows["right_foot"][:, 2], "left": rows["left_foot"][:, 2]})  # fmt: skip
    _curves(axes[1, 1], time, "error of the divergent component, mm", {
        "ahead": 1e3 * rows["dcm_error"][:, 0], "aside": 1e3 * rows["dcm_error"][:, 1]})  # fmt: skip
    _curves(axes[2, 0], time, "force on hands, N", {
        "right": np.linalg.norm(rows["right_hand"][:, :3], axis=1),
        "left": np.linalg.norm(rows["left_hand"][:, :3], axis=1)})  # fmt: skip
    off = 1e3 * (rows["zmp"] - rows["planned_zmp"])
    _curves(
        axes[2, 1], time, "zero-moment point against its plan, mm", {"ahead": off[:, 0], "aside": off[:, 1]}
    )
    _curves(axes[3, 0], time, "centre of mass, height, m", {
        "true": rows["center"][:, 2], "planned": rows["planned_center"][:, 2],
        "estimated": rows["estimated_center"][:, 2]})  # fmt: skip
    _curves(axes[3, 1], time, "feet against their plan, height, mm", {
        "right": 1e3 * rows["right_hold"][:, 2], "left": 1e3 * rows["left_hold"][:, 2]})  # fmt: skip
    ending = done.summary.cause or ("goal reached" if done.summary.reached else "goal missed")
    figure.suptitle(f"{title}: {ending}", fontsize=12)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 0.98))
    save_figure(figure, path, dpi=100)
    plt.close(figure)
    return path


def _plan_view(panel: Any, rows: Any) -> None:
    """From above."""
    for name, color in (
        ("planned_zmp", "0.7"),
        ("zmp", _THIRD),
        ("planned_center", "0.4"),
        ("center", _RIGHT),
    ):
        panel.plot(
            rows[name][:, 0], rows[name][:, 1], color=color, linewidth=0.8, label=name.replace("_", " ")
        )
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_title("from above, m", fontsize=9)
    panel.legend(fontsize=7, loc="upper right")
    panel.grid(alpha=0.3, linewidth=0.5)


def _curves(panel: Any, time: Any, title: str, curves: dict[str, Any]) -> None:
    for (name, values), color in zip(curves.items(), (_RIGHT, _LEFT, _THIRD), strict=False):
        panel.plot(time, values, color=color, linewidth=0.7, label=name)
    panel.set_title(title, fontsize=9)
    panel.set_xlabel("time, s", fontsize=8)
    panel.legend(fontsize=7, loc="upper right")
    panel.grid(alpha=0.3, linewidth=0.5)

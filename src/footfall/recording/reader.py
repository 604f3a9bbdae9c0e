"""Recordings as NumPy arrays."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import FootfallError, MissingPackage, RecordingError, RobotWarning
from footfall.recording import format as form
from footfall.recording.contacts import ContactTable, Instant, joined
from footfall.recording.meshes import is_mesh, robot_with_paths, scene_with_paths, unpacked_mesh
from footfall.recording.scan import Message, Scan
from footfall.recording.signals import NO_SIGNALS, SignalTable, joined_signals
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.html_table import html_table
from footfall.robot.model import Robot
from footfall.robot.toml import parse_toml
from footfall.scene.model import Scene
from footfall.scene.toml import parse_scene

_LIMIT = 512 * 2**20  # bytes after decompression; twice that is needed to put them together
_TEXT_LIMIT = 32 * 2**20  # bytes of a description
_EVENT_SIZE = 30  # bytes that a byte of an event's data may need


@dataclass(frozen=True)
class Event:
    """Something that happened at an instant, s."""

    time: float
    name: str
    data: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Recording:
    """What was recorded of a robot.

    time (n,) in s, q (n, nq), v (n, nv), tau (n, nv) in N m and N, currents (n, motors) in A of the motors of
    `robot.drives`; tau and currents are NaN in rows where none were given. metadata: versions, settings and what the
    writer was given, as text. meshes: files of the meshes that it holds, by their names in it. damage: why the file
    could not be read to its end, None if it is whole; all that stands before the damage is there. signals: numbers by
    name, with their units and times of their own.
    """

    path: Path
    robot: Robot
    scene_text: str | None
    metadata: Mapping[str, str]
    time: Array
    q: Array
    v: Array
    tau: Array
    currents: Array
    contacts: ContactTable
    events: tuple[Event, ...]
    damage: str | None
    meshes: Mapping[str, str] = field(default_factory=dict)
    signals: SignalTable = NO_SIGNALS

    @property
    def complete(self) -> bool:
        """Whether the file was closed by its writer and is whole."""
        return self.damage is None

    @property
    def dt(self) -> float | None:
        """Step of the simulation, s, if it was given."""
        return float(self.metadata["dt"]) if "dt" in self.metadata else None

    @property
    def seed(self) -> int | None:
        """Seed of what was random, if it was given."""
        return int(self.metadata["seed"]) if "seed" in self.metadata else None

    @cached_property
    def scene(self) -> Scene | None:
        """The scene, read from its text on first use."""
        if self.scene_text is None:
            return None
        scene = parse_scene(self.scene_text, source=f"{self.path}:{form.SCENE_FILE}")
        return scene_with_paths(scene, self.meshes) if self.meshes else scene

    def to_pandas(self, table: str = "states") -> Any:
        """A table as pandas.DataFrame, by time: "states" (named after joints), "contacts" or "events".

        It needs the package pandas.
        """
        from footfall.recording.export import checked_table, table_columns

        chosen = checked_table(table)
        try:
            import pandas
        except ImportError:
            raise MissingPackage("to_pandas needs pandas: pip install 'footfall[pandas]'") from None
        return pandas.DataFrame(table_columns(self, chosen)).set_index("time")

    def __repr__(self) -> str:
        duration = float(self.time[-1] - self.time[0]) if len(self.time) else 0.0
        return (
            f"Recording of {self.robot.name!r}: {len(self.time)} states over {duration:.6g} s, "
            f"{len(self.contacts.body)} contacts, {len(self.events)} events"
            + ("" if self.complete else f", damaged ({self.damage})")
        )

    def _repr_html_(self) -> str:
        """For notebooks: what can be read from it."""
        rows = [
            (name, str(getattr(self, name).shape), unit)
            for name, unit in (("time", "s"), ("q", "rad, m"), ("v", "rad/s, m/s"), ("tau", "N m, N"))
        ]
        rows += [
            ("contacts.force", str(self.contacts.force.shape), "N"),
            ("events", str(len(self.events)), ", ".join(sorted({event.name for event in self.events}))),
            ("robot", "", repr(self.robot)),
            ("scene", "", "none" if self.scene is None else repr(self.scene)),
            *(("metadata", key, value) for key, value in self.metadata.items()),
        ]
        return html_table(repr(self), ("of a recording", "shape", ""), rows)


def read_recording(path: str | os.PathLike[str], *, limit: int = _LIMIT) -> Recording:
    """Read a recording, also one whose writer was killed: then up to what was written last.

    limit: most bytes, after decompression, that are read; a state of LOLA has a thousand. Twice as much memory is
    needed.
    """
    reading = _Reading(str(path))
    scan = Scan(Path(path), limit=limit, wanted=reading.wants)
    for record in scan.records():
        reading.take(record, scan)
    return reading.recording(scan)


@dataclass
class _Reading:
    """What has been read so far."""

    source: str
    metadata: dict[str, str] | None = None
    texts: dict[str, str] = field(default_factory=dict)
    robot: Robot | None = None
    meshes: dict[str, str] = field(default_factory=dict)
    topics: dict[int, str] = field(default_factory=dict)
    states: list[tuple[Array, ...]] = field(default_factory=list)
    times: list[Array] = field(default_factory=list)
    counts: list[Integers] = field(default_factory=list)
    contacts: list[Instant] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    signals: list[form.SignalBlock] = field(default_factory=list)
    _shapes: dict[str, tuple[int, ...]] | None = None

    def wants(self, channel: int) -> bool:
        """Whether messages of a channel are read."""
        return self.topics.get(channel) in form.MESSAGES

    def take(self, record: Any, scan: Scan) -> None:
        from mcap.records import Attachment, Channel, Metadata

        match record:
            case Message(channel=number, data=data):
                self._take_message(self.topics[number], data, scan)
            case Metadata(name=form.METADATA, metadata=settings):
                self.metadata = _checked_settings(settings, self.source)
            case Attachment(name=(form.ROBOT_FILE | form.SCENE_FILE) as name, data=data):
                text = _decoded_text(data, f"{self.source}: {name}")
                if name == form.ROBOT_FILE and self.texts.get(name, text) != text:
                    raise RecordingError(f"{self.source}: there are two different {name} in it")
                self.texts[name] = text  # the last scene counts, see `RecordingWriter.amend`
                if name == form.ROBOT_FILE and self.robot is None:
                    self.robot = _robot(text, self.source)
            case Attachment(name=name, data=data) if is_mesh(name):
                self.meshes[name] = unpacked_mesh(name, data, self.source, scan.account)
            case Channel(id=number, topic=topic):
                self.topics[number] = topic

    def _take_message(self, topic: str, data: bytes, scan: Scan) -> None:
        robot = self._known_robot()
        if topic == form.EVENTS:
            scan.account(_EVENT_SIZE * len(data), f"an event of {len(data)} bytes")
        try:
            message = msgspec.json.decode(data, type=form.MESSAGES[topic][1])
        except (ValueError, RecursionError) as problem:  # not JSON, not of that form, not UTF-8
            raise RecordingError(f"{self.source}: a message of {topic}: {problem}") from None
        match message:
            case form.StateBlock():
                self.states.append(self._taken_states(message, robot))
            case form.ContactBlock():
                self._take_contacts(message, len(robot.bodies))
            case form.EventMessage(time=time, name=name, data=values):
                self.events.append(Event(time, name, values))
            case form.SignalBlock():
                scan.account(len(data), f"signals of {len(data)} bytes")
                self.signals.append(message)

    def _taken_states(self, block: form.StateBlock, robot: Robot) -> tuple[Array, ...]:
        """The arrays of a block; their lengths are compared before any is made."""
        arrays = []
        for name, shape in self._state_shapes(robot).items():
            if name == "currents" and not block.currents:
                arrays.append(np.full((block.rows, *shape), np.nan))
                continue
            where = f"{self.source}: {form.STATES} {name}"
            arrays.append(form.unpacked(getattr(block, name), (block.rows, *shape), where))
        return tuple(arrays)

    def _take_contacts(self, block: form.ContactBlock, bodies: int) -> None:
        where = f"{self.source}: {form.CONTACTS}"
        count = form.unpacked_indices(block.count, (block.rows,), f"{where} count")
        if (count < 0).any() or sum(count.tolist()) != block.contacts:
            raise RecordingError(f"{where}: counts do not add up to {block.contacts} contacts")
        self.times.append(form.unpacked(block.time, (block.rows,), f"{where} time"))
        self.counts.append(count)
        position, normal, force = (
            form.unpacked(getattr(block, name), (block.contacts, 3), f"{where} {name}")
            for name in ("position", "normal", "force")
        )
        body = form.unpacked_indices(block.body, (block.contacts,), f"{where} body")
        if ((body < -1) | (body >= bodies)).any():
            raise RecordingError(f"{where}: a body outside 0 to {bodies - 1}")
        self.contacts.append((position, normal, force, body))

    def _state_shapes(self, robot: Robot) -> dict[str, tuple[int, ...]]:
        """The arrays of a block of states, with the shapes of their rows."""
        if self._shapes is None:
            motors = DriveSet(robot, robot.drives).motors
            sizes = {"q": robot.nq, "v": robot.nv, "tau": robot.nv, "currents": motors}
            self._shapes = {"time": (), **{name: (size,) for name, size in sizes.items()}}
        return self._shapes

    def _known_robot(self) -> Robot:
        if self.robot is None or self.metadata is None:
            raise RecordingError(f"{self.source!r} is no recording of footfall: messages before the robot")
        return self.robot

    def recording(self, scan: Scan) -> Recording:
        """All that was read, put together."""
        if self.robot is None or self.metadata is None:
            reason = f" ({scan.damage})" if scan.damage else ""
            raise RecordingError(f"{self.source!r} has no robot{reason}; it is no recording of footfall")
        robot = robot_with_paths(self.robot, self.meshes)
        time, q, v, tau, currents = (
            _concatenated((block[index] for block in self.states), (0, *shape))
            for index, shape in enumerate(self._state_shapes(robot).values())
        )
        counts = np.concatenate([np.zeros(0, dtype=np.int64), *self.counts])
        return Recording(
            scan.path,
            robot,
            self.texts.get(form.SCENE_FILE),
            self.metadata,
            time,
            q,
            v,
            tau,
            currents,
            joined(_concatenated(self.times, (0,)), counts, self.contacts),
            tuple(self.events),
            scan.damage,
            self.meshes,
            joined_signals(self.signals, self.source),
        )


def _concatenated(parts: Iterable[Array], empty: tuple[int, ...]) -> Array:
    return np.concatenate([np.zeros(empty), *parts])


def _checked_settings(settings: dict[str, str], source: str) -> dict[str, str]:
    if settings.get("format") != form.FORMAT:
        raise RecordingError(
            f"{source!r} has format {settings.get('format')!r}; this footfall reads format {form.FORMAT!r}"
        )
    for name, kind in (("dt", float), ("seed", int)):
        try:
            kind(settings.get(name, "0"))
        except ValueError:
            raise RecordingError(f"{source!r}: {name} is {settings[name]!r}, no number") from None
    return settings


def _decoded_text(data: bytes, what: str) -> str:
    if len(data) > _TEXT_LIMIT:
        raise RecordingError(f"{what} has {len(data)} bytes; at most {_TEXT_LIMIT} are read")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise RecordingError(f"{what} is not UTF-8 text") from None


def _robot(text: str, source: str) -> Robot:
    """Not strict: what was simulated is shown, whatever its inertias are."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RobotWarning)
            return parse_toml(text, source=f"{source}:{form.ROBOT_FILE}", strict=False)
    except FootfallError as problem:
        raise RecordingError(f"{source!r}: its robot cannot be read: {problem}") from problem

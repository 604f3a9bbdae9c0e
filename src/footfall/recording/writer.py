"""Writer of recordings: an append-only file that stays readable when the process is killed.

Rows are collected and written in blocks. A thread writes what has been collected at least once a second, so that
no more than that is lost; what has been written is never changed.
"""

from __future__ import annotations

import atexit
import itertools
import os
import platform
import sys
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.errors import ClosedRecording, ExistingFile, InvalidRow, MissingFile
from footfall.recording import format as form
from footfall.recording.contacts import ContactBuffer
from footfall.recording.preview import Preview
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.model import Robot
from footfall.robot.toml_writer import toml_text
from footfall.scene.model import Scene
from footfall.scene.toml_writer import scene_text
from footfall.version import __version__

_ROWS = 256  # states in a block
_ARRAYS = ("q", "v", "tau", "currents")  # of a state; the last two may be missing
_LATEST = 1e9  # s; some thirty years, far inside MCAP's 64 bits of nanoseconds


class RecordingWriter:
    """Writes a recording; use it as a context manager.

    robot, scene: stored as text, so that the recording needs nothing else. dt: step in s. seed: of what was random.
    metadata: more names and values to keep. preview_rate: Hz of the messages that Foxglove draws; 0 leaves them out.
    flush_interval: longest wall time, s, that a row waits. overwrite: replace a file that exists.
    May be used from several threads.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        robot: Robot,
        *,
        scene: Scene | None = None,
        dt: float | None = None,
        seed: int | None = None,
        metadata: Mapping[str, str] | None = None,
        preview_rate: float = 50.0,
        flush_interval: float = 0.5,
        overwrite: bool = False,
    ) -> None:
        self.path = Path(path)
        self.robot = robot
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._failure: BaseException | None = None
        edges = np.cumsum([1, robot.nq, robot.nv, robot.nv, DriveSet(robot, robot.drives).motors]).tolist()
        self._columns = [slice(*pair) for pair in itertools.pairwise(edges)]  # of _ARRAYS in the rows
        self._rows = np.empty((_ROWS, edges[-1]))
        self._count = 0
        self._contacts = ContactBuffer(len(robot.bodies))
        self._latest = {form.STATES: 0.0, form.CONTACTS: 0.0}
        self._unflushed = False
        self._preview = Preview(robot, scene, preview_rate) if preview_rate > 0 else None
        settings = _settings(robot, dt, seed, metadata)
        texts = {form.ROBOT_FILE: toml_text(robot)}
        texts |= {} if scene is None else {form.SCENE_FILE: scene_text(scene)}
        if not self.path.parent.is_dir():
            raise MissingFile(f"no folder {str(self.path.parent)!r} to write {self.path.name!r} into")
        if self.path.exists() and not self.path.is_file():
            raise ExistingFile(f"{str(self.path)!r} exists and is no file; name another")
        if overwrite:
            self.path.unlink(missing_ok=True)  # a reader that has it open keeps the old one
        try:
            self._stream = open(self.path, "xb")  # noqa: SIM115  closed by close()
        except FileExistsError:
            raise ExistingFile(f"{str(self.path)!r} exists; overwrite=True replaces it") from None
        self._writer = self._begin(settings, texts)
        self._flusher = threading.Thread(
            target=self._keep_flushed, args=(flush_interval,), name=f"flush {self.path.name}", daemon=True
        )
        self._flusher.start()
        atexit.register(self.close)

    def __enter__(self) -> RecordingWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def state(self, time: float, q: Any, v: Any, tau: Any = None, *, currents: Any = None) -> None:
        """Record a state: time in s, q (nq,), v (nv,), joint torques and forces tau (nv,) in N m and N, currents
        (motors,) in A of the motors of `robot.drives`."""
        row = np.empty(self._rows.shape[1])
        for name, values, place in zip(_ARRAYS, (q, v, tau, currents), self._columns, strict=True):
            if values is None and name in _ARRAYS[2:]:
                row[place] = np.nan
                continue
            array = np.asarray(values, dtype=np.float64)
            if array.shape != (place.stop - place.start,):
                raise self._wrong_shape(name, array.shape, (place.stop - place.start,))
            row[place] = array
        row[0] = time = float(time)
        with self._lock:
            self._check_open()
            self._check_time(form.STATES, time)
            self._rows[self._count] = row
            self._count += 1
            if self._count == _ROWS:
                self._write_states()

    def states(self, times: Any, q: Any, v: Any, tau: Any = None, *, currents: Any = None) -> None:
        """Record states: times (n,) in s, q (n, nq), v (n, nv), tau (n, nv) in N m and N, currents (n, motors) in A."""
        times = np.asarray(times, dtype=np.float64)
        rows = self._checked_rows(times, q, v, tau, currents)
        with self._lock:
            self._check_open()
            latest = self._latest[form.STATES]
            try:
                for time in times.tolist():
                    self._check_time(form.STATES, time)
            except InvalidRow:
                self._latest[form.STATES] = latest  # nothing of a refused batch is recorded
                raise
            start = 0
            while start < len(rows):
                stop = min(len(rows), start + _ROWS - self._count)
                self._rows[self._count : self._count + stop - start] = rows[start:stop]
                self._count += stop - start
                start = stop
                if self._count == _ROWS:
                    self._write_states()

    def contacts(
        self,
        time: float,
        positions: Any,
        forces: Any,
        *,
        normals: Any = None,
        bodies: Sequence[int] | None = None,
    ) -> None:
        """Record the contacts at an instant, s.

        positions (n, 3) in m and forces on the robot (n, 3) in N, world axes; normals (n, 3) towards the robot;
        bodies: (n,) indices into `robot.bodies` of the bodies that are touched.
        """
        time = float(time)
        instant = self._contacts.checked(positions, forces, normals, bodies)
        with self._lock:
            self._check_open()
            self._check_time(form.CONTACTS, time)
            self._contacts.add(time, *instant)
            if self._contacts.is_full:
                self._write_contacts()

    def event(self, time: float, name: str, data: Mapping[str, Any] | None = None) -> None:
        """Record that something happened at an instant, s; data: anything that JSON holds."""
        time = float(time)
        _check_range(time, form.EVENTS)
        try:
            message = msgspec.json.encode(form.EventMessage(time, name, dict(data or {})))
        except (TypeError, ValueError) as problem:
            raise InvalidRow(f"event {name!r}: data that JSON does not hold: {problem}") from None
        with self._lock:
            self._check_open()
            self._add(form.EVENTS, time, message)

    def flush(self) -> None:
        """Hand all that was recorded to the operating system."""
        with self._lock:
            self._check_open()
            self._write_out()

    def close(self) -> None:
        """Write the rest and the index, and close the file. Closing twice does nothing."""
        if self._closing.is_set():
            return
        self._closing.set()
        atexit.unregister(self.close)
        self._flusher.join()
        with self._lock:
            try:
                if self._failure is None:
                    self._write_out()
                    self._writer.finish()
                    self._stream.flush()
                    os.fsync(self._stream.fileno())
            finally:
                self._stream.close()
        if self._failure is not None:
            raise self._failure

    def _begin(self, settings: dict[str, str], texts: dict[str, str]) -> Any:
        from mcap.writer import Writer

        writer: Any = Writer(self._stream)  # its methods have no types
        writer.start(profile=form.PROFILE, library=f"footfall {__version__}")
        writer.add_metadata(form.METADATA, settings)
        for name, text in texts.items():
            writer.add_attachment(0, 0, name, form.TOML, text.encode())
        messages = dict(form.MESSAGES)
        if self._preview is not None:
            messages |= self._preview.messages
        schemas: dict[str, int] = {}
        self._channels: dict[str, int] = {}
        for topic, (name, message) in messages.items():
            if name not in schemas:
                schema = msgspec.json.encode(form.json_schema(message))
                schemas[name] = writer.register_schema(name, "jsonschema", schema)
            self._channels[topic] = writer.register_channel(topic, "json", schemas[name])
        self._stream.flush()
        return writer

    def _checked_rows(self, times: Array, *arrays: Any) -> Array:
        """All columns side by side."""
        if times.ndim != 1:
            raise InvalidRow(f"times have shape {times.shape}; they must be (n,)")
        rows = np.full((len(times), self._rows.shape[1]), np.nan)
        rows[:, 0] = times
        for name, values, place in zip(_ARRAYS, arrays, self._columns, strict=True):
            if values is None and name in _ARRAYS[2:]:
                continue
            array = np.asarray(values, dtype=np.float64)
            if array.shape != (len(times), place.stop - place.start):
                raise self._wrong_shape(name, array.shape, (len(times), place.stop - place.start))
            rows[:, place] = array
        return rows

    def _wrong_shape(self, name: str, shape: tuple[int, ...], right: tuple[int, ...]) -> InvalidRow:
        return InvalidRow(f"{name} of robot {self.robot.name!r} has shape {shape}; it must be {right}")

    def _check_time(self, topic: str, time: float) -> None:
        """Refuse instants that come before those recorded."""
        _check_range(time, topic)
        if time < self._latest[topic]:
            raise InvalidRow(
                f"{topic}: time {time!r} s comes after {self._latest[topic]!r} s; times must not decrease"
            )
        self._latest[topic] = time

    def _check_open(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._closing.is_set():
            raise ClosedRecording(f"recording {str(self.path)!r} is closed")

    def _keep_flushed(self, interval: float) -> None:
        while not self._closing.wait(interval):
            try:
                with self._lock:
                    written = self._write_out()
                if written:
                    os.fsync(self._stream.fileno())  # outside the lock: it may take long
            except BaseException as failure:
                self._failure = failure  # the next call raises it
                return

    def _write_out(self) -> bool:
        """Write all that waits; whether there was anything."""
        if self._count:
            self._write_states()
        if self._contacts.rows:
            self._write_contacts()
        written = self._unflushed
        if written:
            self._writer.flush()
            self._unflushed = False
        return written

    def _write_states(self) -> None:
        rows = self._rows[: self._count]
        times, (q, v, tau, currents) = rows[:, 0], (rows[:, place] for place in self._columns)
        self._count = 0
        kept = (times, q, v, tau) if np.isnan(currents).all() else (times, q, v, tau, currents)
        block = form.StateBlock(len(rows), *(form.packed(part) for part in kept))
        self._add(form.STATES, float(times[-1]), msgspec.json.encode(block))
        if self._preview is not None:
            for topic, time, message in self._preview.of_states(times, q, v, tau):
                self._add(topic, time, msgspec.json.encode(message))

    def _write_contacts(self) -> None:
        instants = self._contacts.take()
        self._add(form.CONTACTS, instants.time[-1], msgspec.json.encode(instants.block()))
        if self._preview is not None:
            for topic, time, message in self._preview.of_contacts(instants):
                self._add(topic, time, msgspec.json.encode(message))

    def _add(self, topic: str, time: float, message: bytes) -> None:
        stamp = form.nanoseconds(time)
        self._writer.add_message(self._channels[topic], stamp, message, stamp)
        self._unflushed = True


def _check_range(time: float, topic: str) -> None:
    if not 0.0 <= time <= _LATEST:  # NaN neither
        raise InvalidRow(f"{topic}: time {time!r} s; it must be from 0 to {_LATEST:g} s")


def _settings(
    robot: Robot, dt: float | None, seed: int | None, metadata: Mapping[str, str] | None
) -> dict[str, str]:
    """The metadata record; own names win over those given."""
    settings = {str(name): str(value) for name, value in (metadata or {}).items()}
    settings |= {
        "format": form.FORMAT,
        "robot": robot.name,
        "nq": str(robot.nq),
        "nv": str(robot.nv),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "footfall": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform} {platform.machine()}",
    }
    settings |= {} if dt is None else {"dt": repr(float(dt))}
    settings |= {} if seed is None else {"seed": str(int(seed))}
    return settings

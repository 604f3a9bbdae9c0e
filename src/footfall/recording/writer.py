"""Writer of recordings: an append-only file that stays readable when the process is killed.

Rows are collected in blocks, which a thread writes as soon as they are full, and otherwise at least once a second: no
more than that is lost, and what has been written is never changed. The thread alone writes, so that Ctrl-C cannot
interrupt it in the middle of a block. When it fails, the file stays as it is, and every call from then on says so.

What of a recording is drawn in Foxglove, at a rate that it can draw.
"""

from __future__ import annotations

import atexit
import itertools
import math
import os
import platform
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic
from types import TracebackType
from typing import Any

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.compiler.threads import Gate
from footfall.dynamics.kinematics import forward_kinematics
from footfall.errors import CannotWrite, InvalidInput, TooLate
from footfall.output_file import OutputFile
from footfall.recording import format as form
from footfall.recording import foxglove
from footfall.recording.contacts import ContactTable, checked_instant, contact_blocks, split_instants
from footfall.recording.meshes import KIND, MeshFiles, mesh_files, robot_with_paths, scene_with_paths
from footfall.recording.signals import SignalKinds, kinds_of, signal_blocks
from footfall.robot.drives.drive_set import DriveSet
from footfall.robot.model import Robot
from footfall.robot.required import require_robot
from footfall.robot.toml_writer import toml_text
from footfall.scene.model import Scene
from footfall.scene.toml_writer import scene_text
from footfall.version import __version__

Stamped = tuple[str, float, msgspec.Struct]  # topic, time in s, message


class Preview:
    """Picks rows at a rate in Hz of recorded time and turns them into messages that Foxglove knows."""

    messages = foxglove.FOXGLOVE_MESSAGES

    def __init__(self, robot: Robot, scene: Scene | None, rate: float) -> None:
        self._robot = robot
        self._scene = scene
        self._names = [body.name for body in robot.bodies]
        self._period = 1.0 / rate
        self._next_state = self._next_contact = 0.0
        self._shapes_sent = False
        forward_kinematics.kernel(robot)  # compiled here and not in the thread that writes

    def of_states(self, times: Array, q: Array, v: Array, tau: Array) -> Iterator[Stamped]:
        """Frames and joints of some of the states (n,), (n, nq), (n, nv), (n, nv)."""
        chosen = []
        for row, time in enumerate(times):
            if time >= self._next_state and np.isfinite(q[row]).all():
                chosen.append(row)
                self._next_state = self._after(float(time))
        if not chosen:
            return
        if not self._shapes_sent:
            self._shapes_sent = True
            first = float(times[chosen[0]])
            yield foxglove.BODIES, first, foxglove.robot_shapes(first, self._robot)
            if self._scene is not None:
                yield foxglove.OBJECTS, first, foxglove.scene_shapes(first, self._scene)
        poses = forward_kinematics(self._robot, np.ascontiguousarray(q[chosen]))
        for row, position, rotation in zip(chosen, poses.position, poses.rotation, strict=True):
            time = float(times[row])
            yield foxglove.TRANSFORMS, time, foxglove.frame_transforms(time, self._names, position, rotation)
            yield foxglove.JOINTS, time, foxglove.joint_states(time, self._robot, q[row], v[row], tau[row])

    def of_contacts(self, table: ContactTable) -> Iterator[Stamped]:
        """Arrows of some of the instants."""
        for instant, time in enumerate(table.time.tolist()):
            if time >= self._next_contact:
                self._next_contact = self._after(time)
                rows = table.at(instant)
                yield (
                    foxglove.FORCES,
                    time,
                    foxglove.force_arrows(time, table.position[rows], table.force[rows]),
                )

    def _after(self, time: float) -> float:
        """The next instant to draw; a hair early, so that rounding of times skips none."""
        return (math.floor(time / self._period + 1e-6) + 1.0 - 1e-6) * self._period


_ROWS = 256  # states in a block
_MOST_WAITING = 16 * 1024  # states and instants, before a call waits for them to be written
_ARRAYS = ("q", "v", "tau", "currents")  # of a state; the last two may be missing
_AMENDMENT = "amendment"  # takes the place of a topic
_FLOATS = np.dtype(np.float64)
_EVENT_LIMIT = 2**20  # bytes; what is large belongs into files of its own
_LATEST = 1e9  # s; some thirty years, far inside MCAP's 64 bits of nanoseconds


class RecordingWriter:
    """Writes a recording; use it as a context manager.

    robot, scene: stored as text, so that the recording needs nothing else. dt: step in s. seed: of what was random.
    metadata: more names and values to keep. preview_rate: Hz of the messages that Foxglove draws; 0 leaves them out.
    flush_interval: longest wall time, s, that a row waits. overwrite: replace a file that exists, once the new one is
    whole; until then that has a name of its own beside it. meshes: whether the files of meshes are put into it, packed;
    `writer.meshes.size` says how many bytes they take.
    May be used from several threads. It belongs to the process that opened it: a forked one cannot write to it.
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
        meshes: bool = True,
    ) -> None:
        require_robot("RecordingWriter", robot, place="second")
        self.path = Path(path)
        self.robot = robot
        edges = np.cumsum([1, robot.nq, robot.nv, robot.nv, DriveSet(robot, robot.drives).motors]).tolist()
        self._columns = [slice(*pair) for pair in itertools.pairwise(edges)]  # of _ARRAYS in the rows
        self._sizes = [(place.stop - place.start,) for place in self._columns]
        self._empty_row = np.full((1, self._columns[-1].stop), np.nan)
        self._lock = threading.Lock()  # of the order in which rows come
        self._latest = {form.STATES: 0.0, form.CONTACTS: 0.0, form.SIGNALS: 0.0}
        self._signal_kinds: SignalKinds | None = None  # those of the first signals
        # One append is all that a call does to it: Ctrl-C comes before or after that.
        self._waiting: deque[tuple[str, int, Any]] = deque()
        self._taken = self._written = 0  # rows, by callers and by the thread
        self._requests: SimpleQueue[Gate | None] = SimpleQueue()  # to write all that waits, and open the gate
        self._closing = False
        self._ended = Gate()
        self._failure: Exception | None = None
        self._unflushed = False
        self._last_state = self._kept_state = -1.0  # s, of those written, and of those that are on the disk
        self._preview = Preview(robot, scene, preview_rate) if preview_rate > 0 else None
        self._settings = settings = _settings(robot, dt, seed, metadata)
        self.meshes = mesh_files(robot, scene) if meshes else MeshFiles({}, {})
        if self.meshes.contents:
            settings["meshes"] = f"{len(self.meshes.contents)} files, {self.meshes.size} bytes"
        texts = {form.ROBOT_FILE: toml_text(robot_with_paths(robot, self.meshes.names))}
        if scene is not None:
            texts[form.SCENE_FILE] = scene_text(scene_with_paths(scene, self.meshes.names))
        self._file = OutputFile(self.path, overwrite=overwrite)
        try:
            self._writer = self._begin(settings, texts)
        except BaseException as problem:
            self._file.remove()
            if isinstance(problem, OSError):
                raise CannotWrite(
                    f"recording {str(self.path)!r} cannot be begun: {problem.strerror}; nothing of it is kept"
                ) from problem
            raise
        self._thread = threading.Thread(
            target=self._keep_written, args=(flush_interval,), name=f"write {self.path.name}", daemon=True
        )
        self._thread.start()
        self._reported = False  # of what went wrong
        atexit.register(self._close_at_exit)

    def __enter__(self) -> RecordingWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def state(self, time: float, q: Any, v: Any, tau: Any = None, *, currents: Any = None) -> None:
        """Record a state: time in s, q (nq,), v (nv,), joint torques and forces tau (nv,) in N m and N, currents
        (motors,) in A of the motors of `robot.drives`."""
        time = _number("time", time)
        row = self._empty_row.copy()  # with time, tau and currents NaN
        row[0, 0] = time
        for name, values, size, place in zip(
            _ARRAYS, (q, v, tau, currents), self._sizes, self._columns, strict=True
        ):
            if values is None and name in _ARRAYS[2:]:
                continue
            if type(values) is not np.ndarray or values.dtype is not _FLOATS or values.shape != size:
                values = self._checked(name, values, size)
            row[0, place] = values
        self._record(form.STATES, time, row)

    def states(self, times: Any, q: Any, v: Any, tau: Any = None, *, currents: Any = None) -> None:
        """Record states: times (n,) in s, q (n, nq), v (n, nv), tau (n, nv) in N m and N, currents (n, motors) in A."""
        times = _increasing(form.STATES, times)
        rows = np.empty((len(times), self._columns[-1].stop))
        rows[:, 0] = times
        for name, values, place in zip(_ARRAYS, (q, v, tau, currents), self._columns, strict=True):
            self._fill(rows[:, place], name, values)
        if len(rows):
            self._record(form.STATES, float(times[0]), rows, last=float(times[-1]), rows=len(rows))

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
        time = _number("time", time)
        instant = checked_instant(len(self.robot.bodies), positions, forces, normals, bodies)
        self._record(form.CONTACTS, time, ((time, instant),))

    def contacts_at(
        self,
        times: Any,
        counts: Any,
        positions: Any,
        forces: Any,
        *,
        normals: Any = None,
        bodies: Sequence[int] | None = None,
    ) -> None:
        """Record the contacts at many instants: times (n,) in s, counts (n,) of contacts at each; then those of all
        instants, one after the other, as `contacts` takes them."""
        times = _increasing(form.CONTACTS, times)
        table = checked_instant(len(self.robot.bodies), positions, forces, normals, bodies)
        instants = split_instants(times.tolist(), counts, table)
        if instants:
            self._record(form.CONTACTS, instants[0][0], instants, last=instants[-1][0], rows=len(instants))

    def signals(self, times: Any, values: Mapping[str, Any], units: Mapping[str, str]) -> None:
        """Record named signals: times (n,) in s, values by name (n,) or (n, size), and the unit of each. All that a
        recording has are given in every call, in the same order."""
        for block in signal_blocks(times, values, units):
            kinds = kinds_of(block)
            if self._signal_kinds not in (None, kinds):
                raise InvalidInput(
                    "signals have other names, sizes or units than before; give the same in every call"
                )
            time = form.unpacked(block.time, (block.rows,), "time")
            first, last = float(time[0]), float(time[-1])
            _check_time(form.SIGNALS, last, first)
            self._record(form.SIGNALS, first, (last, msgspec.json.encode(block)), last=last)
            self._signal_kinds = kinds

    def event(self, time: float, name: str, data: Mapping[str, Any] | None = None) -> None:
        """Record that something happened at an instant, s; data: anything that JSON holds."""
        time = _number("time", time)
        _check_time(form.EVENTS, time, 0.0)
        try:
            message = msgspec.json.encode(form.EventMessage(time, name, dict(data or {})))
            msgspec.json.decode(message, type=form.EventMessage)  # as it will be read
        except (TypeError, ValueError, RecursionError) as problem:
            raise InvalidInput(f"event {name!r}: it must be what JSON holds: {problem}") from None
        if len(message) > _EVENT_LIMIT:
            raise InvalidInput(
                f"event {name!r} has {len(message)} bytes; at most {_EVENT_LIMIT} are recorded"
            )
        self._record(form.EVENTS, time, (time, message))

    def amend(self, *, scene: Scene | None = None, metadata: Mapping[str, str] | None = None) -> None:
        """Write another scene, or more metadata, which count instead of what was written before: when things came and
        went while it was recorded, say. Meshes that the first scene had not are left where their files are."""
        texts, settings = {}, None
        if scene is not None:
            texts[form.SCENE_FILE] = scene_text(scene_with_paths(scene, self.meshes.names))
        if metadata is not None:
            settings = self._settings | {str(name): str(value) for name, value in metadata.items()}
            self._settings = settings
        self._record(_AMENDMENT, 0.0, (settings, texts))

    def flush(self) -> None:
        """Hand all that was recorded to the operating system."""
        self._check_owner()
        self._check_open()
        written = Gate()
        self._requests.put(written)
        written.wait(self._ended)
        self._raise_failure()

    def close(self) -> None:
        """Write the rest and the index, and close the file. Closing again does nothing, unless writing has failed."""
        if self._file.foreign:
            return
        with self._lock:  # all that has been taken is written
            self._closing = True
        self._requests.put(None)
        self._ended.wait()
        self._thread.join()
        atexit.unregister(self._close_at_exit)
        self._raise_failure()

    def _close_at_exit(self) -> None:
        """Close it; an error is raised once, not again with a trace when the program ends."""
        reported = self._reported
        try:
            self.close()
        except CannotWrite:
            if not reported:
                raise

    def _begin(self, settings: dict[str, str], texts: dict[str, str]) -> Any:
        from mcap.writer import Writer

        writer: Any = Writer(self._file.stream)  # its methods have no types
        writer.start(profile=form.PROFILE, library=f"footfall {__version__}")
        _add_texts(writer, settings, texts)
        for name, content in self.meshes.contents.items():
            writer.add_attachment(0, 0, name, KIND, content)
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
        self._file.stream.flush()
        return writer

    # What callers do

    def _record(
        self, topic: str, time: float, content: Any, *, last: float | None = None, rows: int = 1
    ) -> None:
        """Take something to be written, if its time does not come before those of its kind. last: its last time."""
        if self._file.foreign:
            self._check_owner()
        latest = self._latest
        with self._lock:
            if self._closing or self._failure is not None:
                self._check_open()
            if topic in latest:
                if not latest[topic] <= time <= _LATEST:  # NaN neither
                    _check_time(topic, time, latest[topic])
                latest[topic] = time if last is None else last
            self._waiting.append((topic, rows, content))
            block, self._taken = self._taken // _ROWS, self._taken + rows
        if self._taken - self._written >= _MOST_WAITING:
            self.flush()
        elif self._taken // _ROWS > block:
            self._requests.put(None)

    def _check_owner(self) -> None:
        if self._file.foreign:
            raise TooLate(f"recording {str(self.path)!r} belongs to the process that opened it")

    def _check_open(self) -> None:
        self._raise_failure()
        if self._closing:
            raise TooLate(f"recording {str(self.path)!r} is closed")

    def _fill(self, place: Array, name: str, values: Any) -> None:
        """Put an array into its columns."""
        missing = values is None and name in _ARRAYS[2:]
        place[...] = np.nan if missing else self._checked(name, values, place.shape)

    def _checked(self, name: str, values: Any, shape: tuple[int, ...]) -> Array:
        array = _numbers(name, values)
        if array.shape != shape:
            raise InvalidInput(
                f"{name} of robot {self.robot.name!r} has shape {array.shape}; it must be {shape}"
            )
        return array

    def _raise_failure(self) -> None:
        if self._failure is not None:
            self._reported = True
            kept = f"states to {self._kept_state:g} s" if self._kept_state >= 0.0 else "no states"
            raise CannotWrite(
                f"recording {str(self._file.place)!r} could not be written any further: {self._failure}; "
                f"it has {kept}, and nothing more is taken"
            ) from self._failure

    # What the thread does

    def _keep_written(self, interval: float) -> None:
        """Write blocks that are full, all that waits when asked to and at intervals, until it is closed."""
        try:
            due = monotonic() + interval
            while not self._closing:
                try:
                    request = self._requests.get(timeout=max(due - monotonic(), 0.0))
                except Empty:
                    request = None
                self._write_waiting()
                if request is not None or monotonic() >= due:
                    self._hand_over()
                    due = monotonic() + interval
                if request is not None:
                    request.open()
            self._write_waiting()
            self._writer.finish()
            self._file.finish()
        except BaseException as failure:  # no disk, no memory: the next call tells
            self._failure = failure if isinstance(failure, Exception) else RuntimeError(repr(failure))
            self._file.leave()
        self._ended.open()

    def _write_waiting(self) -> None:
        """Write all that waits, in blocks of one kind."""
        by_topic: dict[str, list[Any]] = {topic: [] for topic in (*form.MESSAGES, _AMENDMENT)}
        taken = 0
        for _ in range(len(self._waiting)):
            topic, rows, content = self._waiting.popleft()
            by_topic[topic].append(content)
            taken += rows
        if by_topic[form.STATES]:
            states = np.concatenate(by_topic[form.STATES])
            for start in range(0, len(states), _ROWS):
                self._write_states(states[start : start + _ROWS])
        for block in contact_blocks(list(itertools.chain.from_iterable(by_topic[form.CONTACTS]))):
            self._write_contacts(block)
        for topic in (form.EVENTS, form.SIGNALS):
            for stamp, message in by_topic[topic]:
                self._add(topic, stamp, message)
        for settings, texts in by_topic[_AMENDMENT]:
            _add_texts(self._writer, settings, texts)
            self._unflushed = True
        self._written += taken

    def _hand_over(self) -> None:
        """Give what has been written to the disk."""
        if self._unflushed:
            self._writer.flush()
            os.fsync(self._file.stream.fileno())
            self._unflushed, self._kept_state = False, self._last_state

    def _write_states(self, rows: Array) -> None:
        times, (q, v, tau, currents) = rows[:, 0], (rows[:, place] for place in self._columns)
        kept = (times, q, v, tau) if np.isnan(currents).all() else (times, q, v, tau, currents)
        block = form.StateBlock(len(rows), *(form.packed(part) for part in kept))
        self._last_state = float(times[-1])
        self._add(form.STATES, self._last_state, msgspec.json.encode(block))
        if self._preview is not None:
            for topic, time, message in self._preview.of_states(times, q, v, tau):
                self._add(topic, time, msgspec.json.encode(message))

    def _write_contacts(self, instants: ContactTable) -> None:
        self._add(form.CONTACTS, instants.time[-1], msgspec.json.encode(instants.block()))
        if self._preview is not None:
            for topic, time, message in self._preview.of_contacts(instants):
                self._add(topic, time, msgspec.json.encode(message))

    def _add(self, topic: str, time: float, message: bytes) -> None:
        stamp = form.nanoseconds(time)
        self._writer.add_message(self._channels[topic], stamp, message, stamp)
        self._unflushed = True


def _add_texts(writer: Any, settings: dict[str, str] | None, texts: Mapping[str, str]) -> None:
    """Add metadata, and descriptions in TOML."""
    if settings is not None:
        writer.add_metadata(form.METADATA, settings)
    for name, text in texts.items():
        writer.add_attachment(0, 0, name, form.TOML, text.encode())


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{name} is {value!r}; it must be a number") from None


def _numbers(name: str, values: Any) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as problem:
        raise InvalidInput(f"{name} must be numbers: {problem}") from None


def _increasing(topic: str, times: Any) -> Array:
    """Times (n,) in s that do not decrease."""
    array = _numbers("times", times)
    if array.ndim != 1:
        raise InvalidInput(f"times have shape {array.shape}; they must be (n,)")
    if not (array[1:] >= array[:-1]).all():  # NaN neither
        for before, time in itertools.pairwise(array.tolist()):
            _check_time(topic, time, before)
    return array


def _check_time(topic: str, time: float, latest: float) -> None:
    if not 0.0 <= time <= _LATEST:  # NaN neither
        raise InvalidInput(f"{topic}: time {time!r} s; it must be from 0 to {_LATEST:g} s")
    if time < latest:
        raise InvalidInput(f"{topic}: time {time!r} s comes after {latest!r} s; times must not decrease")


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

"""Recordings come back bit for bit, and survive what happens to processes and files."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import struct
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer

import footfall
from footfall.errors import CannotWrite, ExistingFile, InvalidInput, MissingFile, RecordingError, TooLate
from footfall.recording.format import METADATA, ROBOT_FILE, STATES
from footfall.recording.reader import Recording, read_recording
from footfall.recording.writer import RecordingWriter
from footfall.scene.load import load_scene
from footfall.scene.toml_writer import scene_text
from tests.eventually import eventually
from tests.recording.recordings import Numbers, random_numbers, write_example


@pytest.fixture(scope="module")
def robot() -> footfall.Robot:
    return footfall.load("point-foot-quadruped")


@pytest.fixture(scope="module")
def numbers(robot: footfall.Robot) -> Numbers:
    return random_numbers(robot, 700)  # more than two blocks


@pytest.fixture(scope="module")
def example(robot: footfall.Robot, numbers: Numbers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recording") / "example.mcap"
    write_example(path, robot, numbers, dt=0.01, seed=3, metadata={"scenario": "test"})
    return path


def assert_prefix(recording: Recording, numbers: Numbers) -> None:
    count = len(recording.time)
    for name in ("time", "q", "v", "tau"):
        np.testing.assert_array_equal(getattr(recording, name), getattr(numbers, name)[:count], err_msg=name)


def test_round_trip_is_exact(example: Path, robot: footfall.Robot, numbers: Numbers) -> None:
    recording = read_recording(example)
    assert recording.complete
    assert len(recording.time) == len(numbers.time)
    assert_prefix(recording, numbers)
    assert recording.dt == 0.01
    assert recording.seed == 3
    assert recording.metadata["scenario"] == "test"
    assert recording.metadata["footfall"] == footfall.__version__
    assert [(event.time, event.name, dict(event.data)) for event in recording.events] == [
        (numbers.time[-1], "landed", {"foot": "left", "height": 0.1})
    ]
    assert recording.scene_text is None
    assert recording.scene is None


def test_contacts_come_back_at_their_instants(example: Path, numbers: Numbers) -> None:
    contacts = read_recording(example).contacts
    np.testing.assert_array_equal(contacts.time, numbers.time)
    np.testing.assert_array_equal(contacts.count, np.arange(len(numbers.time)) % 3)
    rows = contacts.at(5)
    np.testing.assert_array_equal(contacts.position[rows], np.full((2, 3), 5.0))
    np.testing.assert_array_equal(contacts.force[rows], np.full((2, 3), 10.0))
    np.testing.assert_array_equal(contacts.normal[rows], np.full((2, 3), 6.0))
    np.testing.assert_array_equal(contacts.body[rows], [1, 1])


def test_robot_comes_back_with_the_same_dynamics(
    example: Path, robot: footfall.Robot, numbers: Numbers
) -> None:
    recorded = read_recording(example).robot
    assert [joint.name for joint in recorded.joints] == [joint.name for joint in robot.joints]
    q, v = numbers.q[0], np.linspace(-1.0, 1.0, robot.nv)
    expected = footfall.inverse_dynamics.textbook(robot, q, v, v)
    np.testing.assert_array_equal(footfall.inverse_dynamics.textbook(recorded, q, v, v), expected)


def test_scene_comes_back_and_is_drawn_in_foxglove(robot: footfall.Robot, tmp_path: Path) -> None:
    scene = load_scene("stairs")
    path = tmp_path / "stairs.mcap"
    with RecordingWriter(path, robot, scene=scene) as writer:
        writer.state(0.0, robot.configuration("stand"), np.zeros(robot.nv))
    recording = read_recording(path)
    assert recording.scene is not None
    assert recording.scene_text == scene_text(scene)
    assert [each.name for each in recording.scene.objects] == [each.name for each in scene.objects]
    with path.open("rb") as file:
        _, _, message = next(iter(make_reader(file).iter_messages(topics=["/objects"])))
    entities = {entity["id"]: entity for entity in json.loads(message.data)["entities"]}
    assert entities.keys() == {each.name for each in scene.objects}
    for each in scene.objects:
        (cube,) = entities[each.name]["cubes"]
        if isinstance(each.shape, footfall.Box):
            assert tuple(cube["size"][axis] for axis in "xyz") == each.shape.size
            position = [cube["pose"]["position"][axis] for axis in "xyz"]
            np.testing.assert_array_equal(position, each.placement.translation)


def test_batch_of_states_equals_single_states(
    robot: footfall.Robot, numbers: Numbers, tmp_path: Path
) -> None:
    with RecordingWriter(tmp_path / "batch.mcap", robot, preview_rate=0.0) as writer:
        writer.states(numbers.time[:300], numbers.q[:300], numbers.v[:300], numbers.tau[:300])
        writer.states(numbers.time[300:], numbers.q[300:], numbers.v[300:], numbers.tau[300:])
    recording = read_recording(tmp_path / "batch.mcap")
    assert len(recording.time) == len(numbers.time)
    assert_prefix(recording, numbers)


def test_empty_recording(robot: footfall.Robot, tmp_path: Path) -> None:
    RecordingWriter(tmp_path / "empty.mcap", robot).close()
    recording = read_recording(tmp_path / "empty.mcap")
    assert recording.complete
    assert recording.q.shape == (0, robot.nq)
    assert recording.contacts.offset.tolist() == [0]
    assert recording.dt is None


def test_foreign_reader_finds_index_and_schemas(example: Path, robot: footfall.Robot) -> None:
    """What Foxglove needs: the summary, JSON schemas, frames and shapes of the bodies."""
    with example.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.chunk_count >= 1
        schemas = {schema.name: schema for schema in summary.schemas.values()}
        assert schemas.keys() >= {"foxglove.FrameTransforms", "foxglove.SceneUpdate", "footfall.StateBlock"}
        assert all(schema.encoding == "jsonschema" for schema in schemas.values())
        assert "$ref" not in schemas["foxglove.SceneUpdate"].data.decode()
        messages: dict[str, list[dict]] = {}
        for _, channel, message in reader.iter_messages():
            messages.setdefault(channel.topic, []).append(json.loads(message.data))
    transforms = messages["/tf"]
    assert 345 <= len(transforms) <= 355  # 50 Hz over 7 s
    assert [each["child_frame_id"] for each in transforms[0]["transforms"]] == [b.name for b in robot.bodies]
    entities = messages["/bodies"][0]["entities"]
    assert {entity["id"] for entity in entities} == {
        b.name for b in robot.bodies if b.visuals or b.collisions
    }
    assert len(messages["/bodies"]) == 1
    assert messages["/joints"][0]["position"].keys() == {j.name for j in robot.joints if j.type == "revolute"}


def test_frames_for_foxglove_are_the_kinematics(
    example: Path, robot: footfall.Robot, numbers: Numbers
) -> None:
    with example.open("rb") as file:
        _, _, message = next(iter(make_reader(file).iter_messages(topics=["/tf"])))
    poses = footfall.forward_kinematics.textbook(robot, numbers.q[0])
    for transform, position, rotation in zip(
        json.loads(message.data)["transforms"], poses.position, poses.rotation, strict=True
    ):
        np.testing.assert_allclose([transform["translation"][axis] for axis in "xyz"], position, atol=1e-12)
        quaternion = np.array([transform["rotation"][axis] for axis in "wxyz"])
        found = footfall.math.matrix_from_quaternion(quaternion)
        np.testing.assert_allclose(found, rotation, atol=1e-12)


_KILLED = """
import sys, time
import numpy as np
import footfall
from footfall.recording.writer import RecordingWriter
robot = footfall.load("point-foot-quadruped")
q, v = robot.configuration("stand"), np.zeros(robot.nv)
writer = RecordingWriter(sys.argv[1], robot, flush_interval=0.1, preview_rate=0.0)
for k in range(10**9):
    writer.state(k * 1e-3, q, v + k)
    if k % 100 == 0:
        print(k, flush=True)
    time.sleep(1e-4)
"""


def test_killed_process_leaves_all_but_the_last_moment(tmp_path: Path) -> None:
    path = tmp_path / "killed.mcap"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(_KILLED), str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for _ in range(10):
        written = int(process.stdout.readline())
    # It comes into the file while the process goes on to write.
    arrived = eventually(lambda: len(read_recording(path).time) > written)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert arrived
    recording = read_recording(path)
    assert not recording.complete
    np.testing.assert_array_equal(recording.v[:, 0], np.arange(len(recording.time)))
    assert len(recording.time) > written


def test_rows_are_flushed_while_the_writer_idles(
    robot: footfall.Robot, numbers: Numbers, tmp_path: Path
) -> None:
    path = tmp_path / "idle.mcap"
    with RecordingWriter(path, robot, flush_interval=0.02, preview_rate=0.0) as writer:
        writer.state(0.0, numbers.q[0], numbers.v[0])
        assert eventually(lambda: len(read_recording(path).time))
        recording = read_recording(path)
        assert len(recording.time) == 1
        assert not recording.complete


def test_truncated_anywhere_gives_a_prefix_or_a_named_error(tmp_path: Path) -> None:
    robot = footfall.load("double-pendulum")
    numbers = random_numbers(robot, 1500)
    path = tmp_path / "truncated.mcap"
    with RecordingWriter(path, robot) as writer:
        for k in range(0, 1500, 100):
            part = slice(k, k + 100)
            writer.states(numbers.time[part], numbers.q[part], numbers.v[part], numbers.tau[part])
            writer.flush()
    content = path.read_bytes()
    lengths = []
    for size in [*range(0, len(content), 1000), *range(40), *range(len(content) - 40, len(content))]:
        path.write_bytes(content[:size])
        try:
            recording = read_recording(path)
        except RecordingError:
            lengths.append((size, -1))
            continue
        assert_prefix(recording, numbers)
        assert not recording.complete or size >= len(content) - 8  # only the closing magic may be missing
        lengths.append((size, len(recording.time)))
    counts = [count for _, count in sorted(lengths)]
    assert counts == sorted(counts)
    assert {-1, 100, 700, 1500} <= set(counts)


def test_flipped_bytes_give_a_prefix_or_a_named_error(
    example: Path, numbers: Numbers, tmp_path: Path
) -> None:
    content = bytearray(example.read_bytes())
    rng = np.random.default_rng(1)
    path = tmp_path / "flipped.mcap"
    damaged = 0
    places = np.concatenate([rng.integers(0, len(content), 60), rng.integers(0, 20_000, 60)])
    for place in places.tolist():
        flipped = content.copy()
        flipped[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(flipped)
        try:
            recording = read_recording(path)
        except (RecordingError, footfall.errors.FootfallError):
            damaged += 1
            continue
        assert_prefix(recording, numbers)
        damaged += not recording.complete
    assert damaged > 40


def test_limit_is_kept(example: Path) -> None:
    with pytest.raises(RecordingError, match="limit"):
        read_recording(example, limit=100_000)


def _foreign(path: Path, *, metadata: dict[str, str] | None, robot: str | None, state: bytes | None) -> None:
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.NONE)
        writer.start()
        if metadata is not None:
            writer.add_metadata(METADATA, metadata)
        if robot is not None:
            writer.add_attachment(0, 0, ROBOT_FILE, "application/toml", robot.encode())
        if state is not None:
            schema = writer.register_schema("x", "jsonschema", b"{}")
            channel = writer.register_channel(STATES, "json", schema)
            writer.add_message(channel, 0, state, 0)
        writer.finish()


_PENDULUM = """
name = "pendulum"
[[body]]
name = "bob"
mass = 1.0
[body.joint]
type = "revolute"
"""


@pytest.mark.parametrize(
    ("metadata", "robot", "state", "error", "words"),
    [
        (None, None, None, RecordingError, "no robot"),
        ({"format": "99"}, None, None, RecordingError, "'99'.*'1'"),
        ({"format": "1", "dt": "soon"}, None, None, RecordingError, "dt is 'soon'"),
        ({"format": "1"}, "name = ", None, RecordingError, "robot cannot be read"),
        ({"format": "1"}, None, b"{}", RecordingError, "before the robot"),
        ({"format": "1"}, _PENDULUM, b"{}", RecordingError, "/states.*required field"),
        ({"format": "1"}, _PENDULUM, b"[" * 5000, RecordingError, "/states"),
        (
            {"format": "1"},
            _PENDULUM,
            b'{"rows":-1,"time":"","q":"","v":"","tau":""}',
            RecordingError,
            ">= 0",
        ),
        (
            {"format": "1"},
            _PENDULUM,
            b'{"rows":1,"time":"AAAAAAAAAAA=","q":"AAAA","v":"","tau":""}',
            RecordingError,
            r"q has 3 bytes; shape \(1, 1\) has 8",
        ),
        (
            {"format": "1"},
            _PENDULUM,
            b'{"rows":2147483648,"time":"","q":"","v":"","tau":""}',
            RecordingError,
            "time has 0 bytes",
        ),
    ],
)
def test_bad_content_is_named(
    metadata: dict[str, str] | None,
    robot: str | None,
    state: bytes | None,
    error: type[RecordingError],
    words: str,
    tmp_path: Path,
) -> None:
    path = tmp_path / "bad.mcap"
    _foreign(path, metadata=metadata, robot=robot, state=state)
    with pytest.raises(error, match=words):
        read_recording(path)


def test_chunk_that_unpacks_to_more_than_it_says_is_refused(tmp_path: Path) -> None:
    import zstandard

    bomb = zstandard.compress(bytes(50_000_000))
    content = struct.pack("<QQQI", 0, 0, 1000, 0) + struct.pack("<I4sQ", 4, b"zstd", len(bomb)) + bomb
    path = tmp_path / "bomb.mcap"
    path.write_bytes(b"\x89MCAP0\r\n" + struct.pack("<BQ", 6, len(content)) + content)
    with pytest.raises(RecordingError, match="unpacks to 50000000"):
        read_recording(path)


def test_no_recording_at_all(tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match=r"nothing\.mcap"):
        read_recording(tmp_path / "nothing.mcap")
    (tmp_path / "text.mcap").write_text("not MCAP")
    with pytest.raises(RecordingError, match="no MCAP file"):
        read_recording(tmp_path / "text.mcap")


def test_writer_refuses_what_does_not_fit(robot: footfall.Robot, tmp_path: Path) -> None:
    q, v = np.zeros(robot.nq), np.zeros(robot.nv)
    with RecordingWriter(tmp_path / "a.mcap", robot, preview_rate=0.0) as writer:
        writer.state(1.0, q, v)
        with pytest.raises(InvalidInput, match=r"q of robot .* shape \(18,\); it must be \(19,\)"):
            writer.state(1.0, v, v)
        with pytest.raises(InvalidInput, match=r"0\.5 s comes after 1\.0 s"):
            writer.state(0.5, q, v)
        with pytest.raises(InvalidInput, match=r"0\.5 s comes after 2\.0 s"):
            writer.states([2.0, 0.5], [q, q], [v, v])
        with pytest.raises(InvalidInput, match="time nan s"):
            writer.state(float("nan"), q, v)
        with pytest.raises(InvalidInput, match=r"time -1\.0 s"):
            writer.event(-1.0, "early")
        with pytest.raises(InvalidInput, match=r"forces have shape \(2, 3\); for 1 contacts"):
            writer.contacts(1.0, np.zeros((1, 3)), np.zeros((2, 3)))
        with pytest.raises(InvalidInput, match="body 13 of a contact; the robot has bodies 0 to 12"):
            writer.contacts(1.0, np.zeros((1, 3)), np.zeros((1, 3)), bodies=[13])
        with pytest.raises(InvalidInput, match="event 'odd'"):
            writer.event(1.0, "odd", {"what": object()})
        with pytest.raises(InvalidInput, match="event 5"):
            writer.event(1.0, 5)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="event 'list'"):
            writer.event(1.0, "list", [1, 2])  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="event 'deep'"):
            writer.event(1.0, "deep", {"a": _nested(10_000)})
        with pytest.raises(InvalidInput, match="time is None"):
            writer.state(None, q, v)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="q must be numbers"):
            writer.state(1.0, ["a"] * robot.nq, v)
        with pytest.raises(InvalidInput, match="contacts must be arrays"):
            writer.contacts(1.0, np.zeros(4), np.zeros(4))
        writer.state(1.5, q, v)
    with pytest.raises(TooLate):
        writer.state(2.0, q, v)
    assert read_recording(tmp_path / "a.mcap").time.tolist() == [1.0, 1.5]


def _nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_existing_file_is_kept_unless_told(robot: footfall.Robot, tmp_path: Path) -> None:
    path = tmp_path / "kept.mcap"
    path.write_text("precious")
    with pytest.raises(ExistingFile, match="overwrite=True"):
        RecordingWriter(path, robot)
    assert path.read_text() == "precious"
    with RecordingWriter(path, robot, overwrite=True):
        assert path.read_text() == "precious"  # until the new one is whole
    assert read_recording(path).complete
    assert list(tmp_path.iterdir()) == [path]


def test_folders_are_named(robot: footfall.Robot, tmp_path: Path) -> None:
    with pytest.raises(MissingFile, match="no folder"):
        RecordingWriter(tmp_path / "nowhere" / "stand.mcap", robot)
    with pytest.raises(ExistingFile, match="is no file"):
        RecordingWriter(tmp_path, robot, overwrite=True)
    assert tmp_path.is_dir()


def test_a_recording_that_cannot_begin_names_its_file(
    robot: footfall.Robot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("footfall.recording.writer._add_texts", full)
    with pytest.raises(
        CannotWrite, match=r"full.mcap' cannot be begun: No space left .*; nothing of it is kept"
    ):
        RecordingWriter(tmp_path / "full.mcap", robot)
    assert list(tmp_path.iterdir()) == []


def test_full_disk_is_reported_to_the_caller(robot: footfall.Robot, tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full on this system")
    writer = RecordingWriter(tmp_path / "full.mcap", robot, flush_interval=0.01, preview_rate=0.0)
    with open("/dev/full", "wb") as full:
        os.dup2(full.fileno(), writer._file.stream.fileno())

    def record() -> None:
        for k in range(50_000):
            writer.state(k * 1e-3, np.zeros(robot.nq), np.zeros(robot.nv))
            time.sleep(0.005)

    with pytest.raises(CannotWrite, match="No space left"):
        record()
    for call in (lambda: writer.event(9.0, "late"), writer.flush, writer.close, writer.close):
        with pytest.raises(CannotWrite, match="No space left"):
            call()


def test_interrupts_lose_nothing(robot: footfall.Robot, tmp_path: Path) -> None:
    """A signal handler raises in the middle of whatever the recording does: what was accepted is written."""
    path, accepted = tmp_path / "interrupted.mcap", list[int]()
    q, v = np.zeros(robot.nq), np.zeros(robot.nv)

    inside = False

    def interrupt(*_: object) -> None:
        nonlocal inside
        if inside:
            inside = False  # once a call
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with RecordingWriter(path, robot, flush_interval=0.01, preview_rate=0.0) as writer:
            signal.setitimer(signal.ITIMER_REAL, 0.002, 0.0023)
            for k in range(3000):
                with contextlib.suppress(KeyboardInterrupt):
                    inside = True
                    writer.state(1e-3 * k, q, v + k)
                    inside = False
                    accepted.append(k)
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    found = read_recording(path)
    assert found.complete
    assert set(accepted) <= set(found.v[:, 0].astype(int).tolist())
    assert (np.diff(found.v[:, 0]) > 0).all()


def test_error_in_the_block_still_closes_the_recording(robot: footfall.Robot, tmp_path: Path) -> None:
    path = tmp_path / "raised.mcap"

    def record() -> None:
        with RecordingWriter(path, robot) as writer:
            writer.state(0.0, robot.configuration("stand"), np.zeros(robot.nv))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        record()
    assert read_recording(path).complete
    assert len(read_recording(path).time) == 1


def test_lengths_that_no_integer_holds_are_damage(tmp_path: Path) -> None:
    """A chunk whose content says that it is longer than any file: what stands before it is read."""
    robot = footfall.load("double-pendulum")
    path = tmp_path / "run.mcap"
    with RecordingWriter(path, robot, preview_rate=0.0) as writer:
        writer.state(0.0, np.zeros(robot.nq), np.zeros(robot.nv))
    content = path.read_bytes()
    at = 8
    while content[at] != 6:  # the first chunk
        at += 9 + struct.unpack_from("<Q", content, at + 1)[0]
    (name,) = struct.unpack_from("<I", content, at + 9 + 28)
    place = at + 9 + 32 + name
    path.write_bytes(content[:place] + struct.pack("<Q", 2**64 - 1) + content[place + 8 :])
    recording = read_recording(path)
    assert recording.damage is not None
    assert len(recording.time) == 0


def test_a_full_disk_is_told_once(tmp_path: Path) -> None:
    """A program whose recording no longer fits: one message with the file and what it has, no trace when it ends."""
    program = f"""
import resource, signal, numpy as np, footfall
from footfall import RecordingWriter
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
robot = footfall.load("quadruped")
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
try:
    with RecordingWriter({str(tmp_path / "run.mcap")!r}, robot, flush_interval=0.01) as writer:
        for k in range(20_000):
            writer.state(1e-3 * k, np.random.default_rng(k).normal(size=robot.nq), np.zeros(robot.nv))
except footfall.errors.CannotWrite as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "run.mcap' could not be written any further" in done.stdout
    assert "it has states to" in done.stdout or "it has no states" in done.stdout
    assert "Traceback" not in done.stderr

"""Frames, connections, signals, channels and logs: round trips, bad peers, overflow that is counted."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import multiprocessing
import os
import signal
import socket
import struct
import threading
import time
import warnings
import zlib
from collections.abc import Iterator
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from footfall.errors import CannotWrite, DroppedSamples, InvalidInput, InvalidMessage, PeerGone, UnknownName
from footfall.messages import (
    Channel,
    Connection,
    LinkOptions,
    Listener,
    Message,
    SignalBroker,
    StreamLog,
    connect,
    join_signals,
    read_log,
    share_signals,
)
from footfall.messages.content import PackedArray, packed, read_record, record_bytes, unpacked
from footfall.messages.frames import MARK, MessageReader, message_bytes
from tests.eventually import eventually
from tests.refusals import is_refused

HOUR = 3600.0  # s: what takes so long never is, however busy the machine
QUICK = LinkOptions(patience=0.4, first=HOUR)


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "footfall.messages")


# Frames


@pytest.mark.parametrize("compressed", [True, False])
def test_messages_come_in_pieces(compressed: bool) -> None:
    rng = np.random.default_rng(0)
    sizes = (0, 1, 5000, 70_000)
    sent = [Message(7 * k, bytes(rng.integers(0, 4, size, dtype=np.uint8))) for k, size in enumerate(sizes)]
    stream = b"".join(message_bytes(message, compressed=compressed) for message in sent)
    for size in (1, 7, 1000, len(stream)):
        reader = MessageReader()
        came = [m for k in range(0, len(stream), size) for m in reader.feed(stream[k : k + size])]
        assert came == sent
        assert reader.waiting == 0


def test_nonsense_is_refused() -> None:
    good = message_bytes(Message(1, bytes(2000)))
    header = struct.Struct("<4sBBBBII")
    bomb = zlib.compress(bytes(10**6))
    wrong = [
        (b"GET / HTTP/1.1\r\n", "begins with"),
        (header.pack(MARK, 9, 1, 0, 0, 0, 0), "version 9"),
        (header.pack(MARK, 1, 1, 4, 0, 0, 0), "flags"),
        (header.pack(MARK, 1, 1, 0, 0, 2**31, 0), "says to have"),
        (good[:-1] + bytes([good[-1] ^ 1]), "checksum"),
        (header.pack(MARK, 1, 1, 1, 0, 3, zlib.crc32(b"abc")) + b"abc", "decompressed"),
        (header.pack(MARK, 1, 1, 1, 0, len(bomb), zlib.crc32(bomb)) + bomb, "more than 1000 bytes"),
    ]
    for content, message in wrong:
        with pytest.raises(InvalidMessage, match=message):
            list(MessageReader(unpacked=1000).feed(content))
    with pytest.raises(InvalidMessage, match="kind"):
        message_bytes(Message(300, b""))


def test_mutated_streams_are_refused_with_our_errors() -> None:
    rng = np.random.default_rng(0)
    good = message_bytes(Message(1, bytes(rng.integers(0, 5, 900, dtype=np.uint8))))
    refused = 0
    for _ in range(20_000):
        data = bytearray(good)
        for _ in range(rng.integers(1, 4)):
            data[rng.integers(len(data))] = rng.integers(256)
        refused += is_refused(
            InvalidMessage, lambda data=bytes(data): list(MessageReader(unpacked=10**5).feed(data))
        )
    assert 100 < refused < 20_000


# Content


class Nested(msgspec.Struct):
    name: str
    numbers: list[float]
    table: PackedArray
    inner: dict[str, tuple[int, str]]


def test_nested_records_round_trip() -> None:
    rng = np.random.default_rng(0)
    for kind in (np.float64, np.float32, np.int64, np.int32, np.int16, np.uint8, np.bool_):
        table = rng.integers(0, 2, (3, 4)).astype(kind)
        sent = Nested("ü", [1.5, -0.0, 1e300], packed(table), {"a": (-(2**40), "b")})
        came = read_record(record_bytes(sent), Nested)
        assert (came.name, came.numbers, came.inner) == (sent.name, sent.numbers, sent.inner)
        back = unpacked(came.table, kind, (None, 4))
        assert back.dtype == kind
        assert (back == table).all()
    big = packed(np.arange(4, dtype=">f8"))
    assert unpacked(big, np.float64, (4,)).tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "given",
    [
        PackedArray("<f8", (2, 3), bytes(47)),
        PackedArray("<f8", (2,), bytes(16)),
        PackedArray("|O", (2, 3), bytes(48)),
        PackedArray("<f8", (2, -3), b""),
        PackedArray("<f8", (2**40, 2**40), b""),
    ],
)
def test_wrong_arrays_are_refused(given: PackedArray) -> None:
    with pytest.raises(InvalidMessage):
        unpacked(given, np.float64, (2, 3))
    with pytest.raises(InvalidMessage, match="must be of"):
        packed(np.array([object()]))
    with pytest.raises(InvalidMessage, match="is no Nested"):
        read_record(b"\x93\x01", Nested)


# Connections


def test_messages_go_both_ways() -> None:
    heard: list[Message] = []

    def echo(peer: Connection, message: Message) -> None:
        peer.send(message._replace(kind=message.kind + 1))

    with Listener(echo) as listener, connect(listener.address, lambda _, m: heard.append(m)) as link:
        assert listener.address[0] == "127.0.0.1"
        for k in range(10):
            link.send(Message(k, bytes([k]) * (1 + 10_000 * k)))
            assert link.flush(HOUR)
        assert eventually(lambda: len(heard) == 10)
    assert [m.kind for m in heard] == list(range(1, 11))
    assert [len(m.content) for m in heard] == [1 + 10_000 * k for k in range(10)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"nonsense", "begins with"), (MARK + b"\x01\x00\x00", "middle of a message"), (b"", "closed")],
)
def test_bad_peers_are_left_and_good_ones_stay(content: bytes, reason: str) -> None:
    heard: list[Message] = []
    with (
        Listener(lambda _, m: heard.append(m), options=QUICK) as listener,
        connect(listener.address, lambda *_: None) as good,
    ):
        bad = socket.create_connection(listener.address)
        assert eventually(lambda: len(listener.peers) == 2)
        bad.sendall(content)
        if not content:
            bad.close()
        assert eventually(lambda: any(reason in text for text in listener.left)), listener.left
        good.send(Message(5, b"still here"))
        assert eventually(lambda: bool(heard))
        bad.close()
    assert heard[0].content == b"still here"


@contextlib.contextmanager
def taking_nothing(patience: float) -> Iterator[tuple[Listener, Connection]]:
    """A listener, and a connection whose other end never reads."""
    options = LinkOptions(patience=patience, first=HOUR, waiting=4, compressed=False)
    with Listener(lambda *_: None, options=options) as listener:
        slow = socket.create_connection(listener.address)
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        assert eventually(lambda: listener.peers)
        (peer,) = listener.peers
        yield listener, peer
        slow.close()


def test_nobody_waits_for_a_peer_that_takes_nothing() -> None:
    """Whoever waited would drop nothing, or be held up for an hour."""
    with taking_nothing(patience=HOUR) as (listener, peer):
        for _ in range(50):
            listener.send(Message(1, bytes(2**20)))
        assert peer.counts.dropped >= 40


def test_a_peer_that_takes_nothing_is_left() -> None:
    with taking_nothing(patience=0.3) as (listener, peer):
        for _ in range(50):  # more than fits between two sockets
            listener.send(Message(1, bytes(2**20)))
        assert eventually(lambda: not peer.open)
        assert isinstance(peer.problem, PeerGone)
        with pytest.raises(PeerGone, match="took nothing"):
            peer.send(Message(1, b""))


def test_a_receiver_that_fails_ends_its_connection_only() -> None:
    def fail(peer: Connection, message: Message) -> None:
        raise RuntimeError("a fault of ours")

    with Listener(fail) as listener, connect(listener.address, lambda *_: None) as link:
        link.send(Message(1, b""))
        assert eventually(lambda: not link.open)
        with connect(listener.address, lambda *_: None) as other:
            assert other.open


def test_peers_come_back_and_too_many_are_turned_away() -> None:
    with Listener(lambda *_: None, most=2) as listener:
        links = [connect(listener.address, lambda *_: None) for _ in range(3)]
        assert eventually(lambda: sum(link.open for link in links) == 2)
        for link in links:
            link.close()
        assert eventually(lambda: not listener.peers)
        with connect(listener.address, lambda *_: None) as again:
            assert eventually(lambda: len(listener.peers) == 1)
            assert again.open
    with pytest.raises(PeerGone, match="no listener"):
        connect(listener.address, lambda *_: None, timeout=0.2)


# Signals


def test_signals_are_typed() -> None:
    broker = SignalBroker({"reset": None, "step height": float, "action": str})
    heard: list[Any] = []
    end = broker.listen(heard.append)
    box = broker.mailbox("step height", most=2)
    broker.publish("reset")
    for height in (1, 2.5, 3.5):
        broker.publish("step height", height)
    assert [signal.payload for signal in heard] == [None, 1.0, 2.5, 3.5]
    assert [signal.payload for signal in box.take()] == [2.5, 3.5]
    assert box.dropped == 1
    assert box.take() == []
    end()
    broker.publish("reset")
    assert len(heard) == 4
    for name, payload in (
        ("reset", 1),
        ("step height", "high"),
        ("step height", float("nan")),
        ("action", "x" * 999),
    ):
        with pytest.raises(InvalidInput, match=name):
            broker.publish(name, payload)
    with pytest.raises(UnknownName, match="step height"):
        broker.publish("step heigth", 1.0)
    with pytest.raises(InvalidInput, match="declared with float"):
        broker.declare("step height", str)
    with pytest.raises(InvalidInput, match="payloads are"):
        broker.declare("list", list)


KINDS: dict[str, type | None] = {"go": None, "speed": float}


def test_linked_brokers_hear_everything_once() -> None:
    brokers = [SignalBroker(KINDS) for _ in range(3)]
    heard: list[list[Any]] = [[], [], []]
    for broker, box in zip(brokers, heard, strict=True):
        broker.listen(box.append)
    with share_signals(brokers[0]) as shared:
        links = [join_signals(broker, shared.address) for broker in brokers[1:]]
        assert eventually(lambda: len(shared.peers) == 2)
        for k, broker in enumerate(brokers):
            broker.publish("speed", float(k))
        assert eventually(lambda: all(len(box) == 3 for box in heard))
        time.sleep(0.05)
        assert [sorted(signal.payload for signal in box) for box in heard] == [[0.0, 1.0, 2.0]] * 3
        for link in links:
            link.close()


def test_a_peer_with_unknown_signals_is_left() -> None:
    with share_signals(SignalBroker(KINDS)) as shared:
        other = SignalBroker({**KINDS, "more": None})
        with join_signals(other, shared.address) as link:
            other.publish("more")
            assert eventually(lambda: not link.open)
            assert eventually(lambda: any("more" in text for text in shared.left))


# Deadlines and tokens


def test_silent_peers_give_their_places_up() -> None:
    """Eight that say nothing held all places for ever."""
    heard: list[Message] = []
    options = LinkOptions(first=1.0)
    with Listener(lambda _, message: heard.append(message), options=options, most=8) as listener:
        silent = [socket.create_connection(listener.address) for _ in range(8)]
        assert eventually(lambda: any("introduce itself" in text for text in listener.left))
        assert eventually(lambda: not listener.peers)

        def is_heard() -> bool:
            # Who does not come to its turn within a second counts as silent too, and comes again.
            with connect(listener.address, lambda *_: None) as peer, contextlib.suppress(PeerGone):
                peer.send(Message(3, b"here"))
                eventually(lambda: heard or not peer.open)
            return bool(heard)

        assert eventually(is_heard)
        assert heard == [Message(3, b"here")]
        for each in silent:
            each.close()


def test_a_message_that_drips_is_ended() -> None:
    options = LinkOptions(whole=0.5, first=HOUR, patience=HOUR)
    data = message_bytes(Message(1, bytes(1000)), compressed=False)
    with Listener(lambda *_: None, options=options) as listener:
        with socket.create_connection(listener.address) as link, contextlib.suppress(OSError):
            for k in range(200):  # a byte now and then, never longer than patience
                link.sendall(data[k : k + 1])
                time.sleep(0.02)
                if listener.left:
                    break
        assert eventually(lambda: any("for a message" in text for text in listener.left))


def test_peers_without_the_token_hear_and_say_nothing() -> None:
    heard: list[Message] = []
    news: list[Message] = []
    with Listener(
        lambda _, message: heard.append(message), options=LinkOptions(token="open sesame", first=HOUR)
    ) as listener:
        for token in ("", "wrong", "open sesam"):
            with connect(listener.address, lambda *_: None, LinkOptions(token=token)) as stranger:
                with contextlib.suppress(PeerGone):
                    stranger.send(Message(3, b"let me in"))
                assert eventually(lambda stranger=stranger: not stranger.open)
        with socket.create_connection(listener.address) as quiet:
            assert eventually(lambda: bool(listener.peers))
            assert listener.send(Message(4, b"secret")) == 0
            quiet.close()
        friend_options = LinkOptions(token="open sesame")
        with connect(listener.address, lambda _, message: news.append(message), friend_options) as friend:
            friend.send(Message(3, b"it is me"))
            assert eventually(lambda: heard == [Message(3, b"it is me")])
            assert listener.send(Message(4, b"secret")) == 1
            assert eventually(lambda: news == [Message(4, b"secret")])
        assert eventually(lambda: sum("does not show the token" in text for text in listener.left) == 3)
        assert "sesame" not in repr(friend_options)


# Channels


def test_the_newest_sample_is_read() -> None:
    with Channel.create((2, 3), np.float32) as channel:
        assert channel.read() is None
        for k in range(10):
            assert channel.write(np.full((2, 3), k)) == k + 1
        with Channel.open(channel.name) as reader:
            newest = reader.read()
            assert newest is not None
            assert newest[0] == 10
            assert (newest[1] == 9).all()
            assert newest[1].dtype == np.float32
            assert reader.read(after=10) is None
        with pytest.raises(InvalidMessage, match="shape"):
            channel.write(np.zeros(3))
    with pytest.raises(InvalidMessage, match="no channel"):
        Channel.open(channel.name)


def write_samples(name: str, ended: Event) -> None:
    """In a process of its own, as long as somebody reads: samples whose entries are all alike."""
    channel, count = Channel.open(name, write=True), 0
    while not ended.is_set():
        channel.write(np.full(channel.shape, float(count)))
        count += 1
    channel.close()


def test_processes_never_see_half_a_sample() -> None:
    with Channel.create((4000,)) as channel:
        context = multiprocessing.get_context("spawn")
        ended = context.Event()
        process = context.Process(target=write_samples, args=(channel.name, ended), daemon=True)
        process.start()
        last, seen = 0, 0
        try:
            while seen < 1000:
                assert process.is_alive()
                sample = channel.read(after=last)
                if sample is not None:
                    assert sample[0] > last
                    assert (sample[1] == sample[1][0]).all()
                    assert sample[1][0] == sample[0] - 1
                    last, seen = sample[0], seen + 1
        finally:
            ended.set()
            process.join()
        assert process.exitcode == 0
        assert channel.count >= last


@pytest.mark.parametrize(("shape", "kind"), [((), object), ((0,), float), ((2**40,), float), ((1.5,), float)])
def test_wrong_channels_are_refused(shape: Any, kind: Any) -> None:
    with pytest.raises(InvalidMessage):
        Channel.create(shape, kind)


def sealed_memory(content: bytes, size: int = 4096) -> tuple[int, str]:
    """Memory that looks like a channel from outside, and the name by which it would be opened."""
    descriptor = os.memfd_create("attack", os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    os.pwrite(descriptor, content[:size], 0)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    return descriptor, f"{os.getpid()}-{descriptor}-{content[8:16].hex()}"


def header_of(channel: Channel) -> bytearray:
    return bytearray(channel._memory[:128])


def test_other_memory_is_no_channel() -> None:
    rng = np.random.default_rng(0)
    with Channel.create((3,)) as good:
        header = header_of(good)
    refused = 0
    for _ in range(300):
        data = bytearray(header if rng.uniform() < 0.7 else rng.bytes(128))
        data[rng.integers(96)] = rng.integers(256)
        descriptor, name = sealed_memory(bytes(data))
        refused += is_refused(InvalidMessage, lambda name=name: Channel.open(name).close())
        os.close(descriptor)
    assert refused > 100


@pytest.mark.parametrize(
    "kind", [b"|O8", b"O", b"<M8[ns]", b"<U4", b"<f16", b"", b"f8,f8", b"<f8\0\0x", b">f8"]
)
def test_a_header_that_names_another_type_is_refused(kind: bytes) -> None:
    """Objects would be pointers of the writer, which crash the reader."""
    with Channel.create((3,)) as good:
        header = header_of(good)
    header[16:32] = kind.ljust(16, b"\0")
    descriptor, name = sealed_memory(bytes(header))
    with pytest.raises(InvalidMessage, match="type"):
        Channel.open(name)
    os.close(descriptor)


@pytest.mark.parametrize("lengths", [(2**62, 2**62), (2**31, 2**31, 4), (-1,), (0,), (10**6,), (2**63 - 1,)])
def test_lengths_that_do_not_fit_are_refused(lengths: tuple[int, ...]) -> None:
    """Products of 64 bits would overflow to something small."""
    with Channel.create((3,)) as good:
        header = header_of(good)
    struct.pack_into("<8q", header, 32, len(lengths), *lengths, *([0] * (7 - len(lengths))))
    descriptor, name = sealed_memory(bytes(header))
    with pytest.raises(InvalidMessage):
        Channel.open(name)
    os.close(descriptor)


def test_memory_that_can_be_cut_off_is_refused_and_channels_cannot_be_cut() -> None:
    """A reader of memory that is gone is ended by SIGBUS."""
    with Channel.create((3,)) as channel:
        header = bytes(header_of(channel))
        cut = os.open(f"/proc/self/fd/{channel.name.split('-')[1]}", os.O_RDWR)
        with pytest.raises(PermissionError):
            os.ftruncate(cut, 10)
        os.close(cut)
    descriptor = os.memfd_create("attack", os.MFD_ALLOW_SEALING)
    os.pwrite(descriptor, header.ljust(4096, b"\0"), 0)
    with pytest.raises(InvalidMessage, match="cut off"):
        Channel.open(f"{os.getpid()}-{descriptor}-{header[8:16].hex()}")
    os.close(descriptor)


def test_other_descriptors_and_old_names_are_refused(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        with pytest.raises(InvalidMessage, match="no channel"):
            Channel.open(f"{os.getpid()}-{file.fileno()}-{'0' * 16}")
        with pytest.raises(InvalidMessage, match="no channel"):
            Channel.open("../../etc/passwd")
    with Channel.create((3,)) as first:
        name = first.name
    with Channel.create((3,)) as second:
        assert second.name.split("-")[1] == name.split("-")[1]  # the same descriptor once more
        with pytest.raises(InvalidMessage, match="gone"):
            Channel.open(name)


def make_and_wait(pipe: Any) -> None:
    with Channel.create((3,)) as channel:
        channel.write([1.0, 2.0, 3.0])
        pipe.send(channel.name)
        pipe.recv()


def test_a_writer_that_is_killed_leaves_nothing_and_its_readers_go_on() -> None:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=make_and_wait, args=(there,), daemon=True)
    process.start()
    before = set(os.listdir("/dev/shm"))
    reader = Channel.open(here.recv())
    os.kill(process.pid or 0, signal.SIGKILL)
    process.join()
    sample = reader.read()
    assert sample is not None
    assert sample[1].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(InvalidMessage, match="no channel"):
        Channel.open(reader.name)
    reader.close()
    assert {name for name in set(os.listdir("/dev/shm")) - before if "footfall" in name} == set()


def test_readers_cannot_write() -> None:
    with Channel.create((3,)) as channel, Channel.open(channel.name) as reader:
        with pytest.raises(InvalidMessage, match="write=True"):
            reader.write([1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match="read-only"):
            reader._samples[0][0] = 1.0


# Logs


def test_logs_read_back(tmp_path: Path) -> None:
    path = tmp_path / "log.mcap"
    with StreamLog(path, {"joints": ("hip", "knee"), "quiet": ("x",)}) as log:
        log.streams["quiet"].enabled = False
        for k in range(1000):
            assert log.put("joints", 0.001 * k, (k, -k))
            log.put("quiet", 0.001 * k, k)
    assert log.streams["joints"].written == 1000
    found = read_log(path)
    assert found["joints"].columns == ("hip", "knee")
    assert found["joints"].time == pytest.approx(0.001 * np.arange(1000), abs=0)
    assert (found["joints"].rows[:, 1] == -np.arange(1000)).all()
    assert len(found["quiet"].time) == 0
    with pytest.raises(FileExistsError):
        StreamLog(path, {"a": ("b",)})


def test_a_full_log_drops_and_counts_and_never_waits(tmp_path: Path) -> None:
    log = StreamLog(tmp_path / "log.mcap", {"a": ("x",)}, room=10, interval=60.0)
    kept = [log.put("a", float(k), k) for k in range(100)]
    assert kept == [True] * 10 + [False] * 90
    assert log.dropped == 90
    with pytest.warns(DroppedSamples, match="90 of 'a'"):
        log.close()
    assert (read_log(tmp_path / "log.mcap")["a"].rows[:, 0] == np.arange(10)).all()


def test_rows_survive_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "log.mcap"
    with StreamLog(path, {"a": ("x",)}, compressed=False) as log:
        for k in range(20_000):
            while not log.put("a", float(k), k):
                time.sleep(0.001)
        log.streams["a"].dropped = 0
    content = path.read_bytes()
    (tmp_path / "cut.mcap").write_bytes(content[: len(content) * 2 // 3])
    rows = read_log(tmp_path / "cut.mcap")["a"].rows[:, 0]
    assert len(rows) > 1000
    assert (rows == np.arange(len(rows))).all()
    (tmp_path / "none.mcap").write_bytes(b"nothing of the kind")
    with pytest.raises(InvalidMessage, match="no stream log"):
        read_log(tmp_path / "none.mcap")


def test_a_log_that_fails_says_so_to_the_end(tmp_path: Path) -> None:
    """Once something could not be written, rows are dropped and counted, and closing tells of it."""
    log = StreamLog(tmp_path / "log.mcap", {"a": ("x",)}, interval=60.0)
    assert log.put("a", 0.0, 1.0)
    log._fail(OSError(28, "No space left on device"))
    assert not log.put("a", 1.0, 2.0)
    assert log.dropped == 1
    for _ in range(2):
        with pytest.raises(CannotWrite, match="No space left"):
            log.close()


def test_many_threads_log_at_once(tmp_path: Path) -> None:
    names = [f"s{k}" for k in range(4)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with StreamLog(tmp_path / "log.mcap", dict.fromkeys(names, ("x",)), room=10_000) as log:

            def work(name: str) -> None:
                for k in range(2000):
                    log.put(name, float(k), k)

            threads = [threading.Thread(target=work, args=(name,)) for name in names]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    found = read_log(tmp_path / "log.mcap")
    assert all((found[name].rows[:, 0] == np.arange(2000)).all() for name in names)

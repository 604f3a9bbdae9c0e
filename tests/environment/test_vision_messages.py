"""Messages of vision that are cut off, resized, filled with numbers that are none, or announce more than they hold."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.environment import Environment, PerceptionRecorder, VisionToControl, read_perception
from footfall.environment.vision.codec import container_message, read_container
from footfall.errors import FootfallError, InvalidMessage
from footfall.messages import Message
from footfall.messages.frames import MessageReader, message_bytes
from tests.environment.test_model import random_environment
from tests.environment.test_vision import random_control, random_vision

VISION = 17


@cache
def small() -> VisionToControl:
    whole = random_environment(0)
    few = dict(list(whole.terrain.patches.items())[:1])
    objects = dict(list(whole.objects.items())[:1])
    return random_vision(0, Environment(type(whole.terrain)(few), objects))


@cache
def content() -> bytes:
    return container_message(small()).content


def fields() -> Any:
    """The record of a container, to be changed."""
    return msgspec.msgpack.decode(content())


def refused(record: Any) -> str:
    with pytest.raises(FootfallError) as problem:
        read_container(Message(VISION, msgspec.msgpack.encode(record)))
    return str(problem.value)


def test_the_record_as_it_is_passes() -> None:
    """What the others change is refused for their change, not for something else."""
    found = read_container(Message(VISION, msgspec.msgpack.encode(fields())))
    assert isinstance(found, VisionToControl)
    assert found.acquired == small().acquired


@given(st.integers(0, 10**9))
def test_what_is_cut_off_is_refused(at: int) -> None:
    with pytest.raises(InvalidMessage):
        read_container(Message(VISION, content()[: at % len(content())]))


@given(st.binary(max_size=400))
def test_any_bytes_are_refused(data: bytes) -> None:
    for kind in (16, 17, 18):
        with pytest.raises(InvalidMessage):
            read_container(Message(kind, data))


@given(
    st.sampled_from(["planning_camera", "vision_camera"]),
    st.integers(0, 6),
    st.sampled_from(["nan", "inf", "-inf", "1e300"]),
)
def test_poses_that_are_none(name: str, place: int, number: str) -> None:
    record = fields()
    part, index = divmod(place, 3) if place < 3 else (1, place - 3)
    record[name][part][index] = float(number)
    assert "must" in refused(record)


@given(st.sampled_from(["nan", "inf", "-inf"]))
def test_times_that_are_none(number: str) -> None:
    record = fields()
    record["acquired"] = float(number)
    assert "a time is" in refused(record)


@given(
    st.sampled_from([0, 1]),
    st.lists(st.integers(-(2**40), 2**40), max_size=6).filter(lambda shape: shape != [64, 64]),
)
def test_patches_of_another_shape(array: int, shape: list[int]) -> None:
    record = fields()
    record["update"]["patches"][0][1 + array][1] = shape
    assert "an array" in refused(record)


@given(st.integers(0, 20_000).filter(lambda size: size != 2 * 64 * 64))
def test_patches_with_another_number_of_bytes(size: int) -> None:
    record = fields()
    record["update"]["patches"][0][1][2] = bytes(size)
    assert "bytes" in refused(record)


@pytest.mark.parametrize("index", [[2**14 + 1, 0], [0, -(2**62)], [1], [1, 2, 3], ["a", 0]])
def test_patches_elsewhere(index: list[Any]) -> None:
    record = fields()
    record["update"]["patches"][0][0] = index
    refused(record)


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e300])
@pytest.mark.parametrize("name", ["vertices", "normals"])
def test_objects_with_numbers_that_are_none(name: str, number: float) -> None:
    record = fields()
    packed = record["update"]["objects"][0][name]
    values = np.frombuffer(packed[2], "<f8").copy()
    values[3] = number
    packed[2] = values.tobytes()
    refused(record)


def test_triangles_of_vertices_that_are_not_there() -> None:
    record = fields()
    packed = record["update"]["objects"][0]["triangles"]
    values = np.frombuffer(packed[2], "<i4").copy()
    for wrong in (-1, 2**31 - 1):
        values[0] = wrong
        packed[2] = values.tobytes()
        refused(record)


@pytest.mark.parametrize(
    ("where", "values", "most"),
    [
        ("reset", [[0, 0]] * (2**17 + 1), "patches"),
        ("remove", ["a"] * 10_001, "objects"),
    ],
)
def test_lists_that_are_too_long(where: str, values: list[Any], most: str) -> None:
    record = fields()
    record["update"][where] = values
    assert most in refused(record)


def test_signals_that_are_too_long_or_many() -> None:
    for signals in ([["a" * 5000, None]], [["a", "b" * 5000]], [["a", None]] * 10_001):
        record = fields()
        record["signals"] = signals
        assert "at most" in refused(record)


@pytest.mark.parametrize("head", [b"\xdd", b"\xdf", b"\xc6", b"\xdb"])
def test_counts_that_are_announced_and_not_there(head: bytes) -> None:
    """Lists, maps, bytes and texts of 2^32 - 1 entries in a message of a few bytes."""
    data = head + struct.pack(">I", 2**32 - 1) + b"\x00" * 20
    for kind in (16, 17, 18):
        with pytest.raises(InvalidMessage):
            read_container(Message(kind, data))


def test_frames_that_announce_too_much() -> None:
    frame = bytearray(message_bytes(container_message(random_control(0)), compressed=False))
    frame[8:12] = struct.pack("<I", 2**31)
    with pytest.raises(InvalidMessage, match="at most"):
        list(MessageReader(most=2**20).feed(bytes(frame)))
    bomb = message_bytes(Message(VISION, bytes(10_000_000)))
    assert len(bomb) < 100_000
    with pytest.raises(InvalidMessage, match="when decompressed"):
        list(MessageReader(unpacked=2**20).feed(bomb))


@given(st.integers(0, 10**9), st.integers(0, 255))
def test_recordings_with_a_wrong_byte_or_cut_off(place: int, value: int) -> None:
    """Whatever is read of them are whole containers, or it is refused by our errors."""
    data = bytearray(recording())
    data[place % len(data)] = value
    for changed in (bytes(data), recording()[: place % len(data)]):
        path = _folder() / "seen.mcap"
        path.write_bytes(changed)
        try:
            found = list(read_perception(path))
        except FootfallError:
            continue
        assert 1 <= len(found) <= 3
        assert all(isinstance(each, VisionToControl) for each in found)


@cache
def _folder() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp())


@cache
def recording() -> bytes:
    path = _folder() / "whole.mcap"
    with PerceptionRecorder(path, overwrite=True) as recorder:
        for arrived in (1.0, 2.0, 3.0):
            recorder.add(small(), arrived=arrived)
    return path.read_bytes()

"""Mutations of binary files that know their structure: recordings, arrays, meshes, pictures.

Checksums are made right again, so that it is the readers' own limits that are met, and not the checksum.
"""

from __future__ import annotations

import base64
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import zstandard

from benchmarks.attack import mutations
from benchmarks.attack.mutations import LARGEST, mutated_text, times

_MAGIC = b"\x89MCAP0\r\n"
_SIZES = (
    0,
    1,
    2,
    7,
    255,
    256,
    65_535,
    2**20,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**40,
    2**62,
    2**63 - 1,
    2**64 - 1,
)
_CHUNK, _MESSAGE, _ATTACHMENT, _METADATA = 0x06, 0x05, 0x09, 0x0C

Records = list[tuple[int, bytes]]


def flipped(content: bytes, rng: random.Random) -> bytes:
    """Some bytes changed, left out, repeated, or made a length that is none."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        place = rng.randrange(len(data) + 1)
        match rng.randrange(6):
            case 0:
                data[place : place + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[place : place + rng.choice((1, 4, 100))]
            case 2:
                data[place:place] = data[place : place + 100] * min(times(rng), LARGEST // 100)
            case 3:
                data[place : place + 8] = struct.pack("<Q", rng.choice(_SIZES))
            case 4:
                data[place : place + 4] = struct.pack("<I", rng.choice(_SIZES) % 2**32)
            case _:
                del data[place:]
    return bytes(data)


# Recordings


def mutated_recording(content: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.2:
        return flipped(content, rng)
    records = _records(content[len(_MAGIC) :])
    for _ in range(rng.choice((1, 1, 2))):
        _change_records(records, rng, depth=0)
    return _MAGIC + _joined(records) + _MAGIC


def _records(content: bytes) -> Records:
    found, at = [], 0
    while at + 9 <= len(content):
        opcode, length = struct.unpack_from("<BQ", content, at)
        if at + 9 + length > len(content):
            break
        found.append((opcode, content[at + 9 : at + 9 + length]))
        at += 9 + length
    return found


def _joined(records: Records) -> bytes:
    return b"".join(struct.pack("<BQ", opcode, len(content)) + content for opcode, content in records)


def _change_records(records: Records, rng: random.Random, *, depth: int) -> None:
    if not records:
        return
    place = rng.randrange(len(records))
    opcode, content = records[place]
    choice = rng.randrange(10)
    if choice == 0:
        records[place:place] = [records[place]] * min(times(rng), LARGEST // (len(content) + 9))
    elif choice == 1:
        del records[place]
    elif choice == 2:
        records.insert(rng.randrange(len(records)), records[place])
    elif choice == 3:
        records[place] = (rng.randrange(256), content)
    elif choice == 4:
        records[place] = (opcode, flipped(content, rng))
    elif opcode == _CHUNK and depth == 0:
        records[place] = (opcode, _changed_chunk(content, rng))
    elif opcode == _MESSAGE and len(content) > 22:
        records[place] = (opcode, content[:22] + _changed_message(content[22:], rng))
    elif opcode == _ATTACHMENT:
        records[place] = (opcode, _changed_attachment(content, rng))
    elif opcode == _METADATA:
        text = content.decode("latin-1")
        changed = rng.choice((mutations.exchange_number, mutations.exchange_word))(text, rng)
        records[place] = (opcode, changed.encode("latin-1", errors="replace"))
    else:
        records[place] = (opcode, flipped(content, rng))


def _changed_chunk(content: bytes, rng: random.Random) -> bytes:
    """A chunk whose records are changed, packed again."""
    start, end, size, crc, name = struct.unpack_from("<QQQII", content)
    compression = content[32 : 32 + name]
    packed = content[32 + name + 8 :]
    try:
        plain = zstandard.ZstdDecompressor().decompress(packed, max_output_size=size) if name else packed
    except (zstandard.ZstdError, MemoryError, OverflowError):  # it was changed before
        return flipped(content, rng)
    records = _records(plain)
    kind = rng.randrange(8)
    if kind == 0:  # tiny records, without number
        opcode = rng.choice((0x04, 0x05, 0x03, 0x80))
        records = [(opcode, b"")] * min(times(rng) * 100, LARGEST)
    elif kind == 1:  # zeros, which pack well
        records.append((0x80, bytes(rng.choice((10**3, 10**6, 10**8)))))
    else:
        _change_records(records, rng, depth=1)
    plain = _joined(records)
    announced = len(plain) if rng.random() < 0.9 else rng.choice(_SIZES)
    packed = zstandard.ZstdCompressor(level=1).compress(plain) if name else plain
    head = struct.pack("<QQQII", start, end, announced, 0 if crc == 0 or rng.random() < 0.5 else crc, name)
    return head + compression + struct.pack("<Q", len(packed)) + packed


def _changed_message(content: bytes, rng: random.Random) -> bytes:
    """JSON with blocks of numbers: their counts, lengths and contents."""
    try:
        document = json.loads(content)
    except ValueError:
        return flipped(content, rng)
    blocks = [name for name, value in document.items() if isinstance(value, str)]
    counts = [name for name in ("rows", "contacts") if name in document]
    match rng.randrange(5):
        case 0 if counts:
            document[rng.choice(counts)] = rng.choice((0, 1, 2, -1, 10**4, 2 * 10**8, 2**31, 2**31 + 1))
        case 1 if blocks:
            document[rng.choice(blocks)] = base64.b64encode(bytes(8 * min(times(rng), 2**18))).decode()
        case 2 if blocks:
            name = rng.choice(blocks)
            data = bytearray(base64.b64decode(document[name]))
            if len(data) >= 8:
                place = rng.randrange(len(data) // 8) * 8
                value = rng.choice((np.nan, np.inf, -1.0, 1e308, 2.0**63))
                data[place : place + 8] = (
                    struct.pack("<d", value)
                    if rng.random() < 0.5
                    else struct.pack("<q", rng.choice((-(2**63), -1, 2**62, 10**9)))
                )
            document[name] = base64.b64encode(bytes(data)).decode()
        case 3 if blocks:
            document.pop(rng.choice(blocks))
        case _:
            return mutated_text("json", json.dumps(document), rng)
    return json.dumps(document).encode()


def _changed_attachment(content: bytes, rng: random.Random) -> bytes:
    """The description of a robot or a scene, changed, with its checksum."""
    at = 16
    (name,) = struct.unpack_from("<I", content, at)
    at += 4 + name
    (kind,) = struct.unpack_from("<I", content, at)
    at += 4 + kind
    (size,) = struct.unpack_from("<Q", content, at)
    text = content[at + 8 : at + 8 + size].decode("utf-8", errors="replace")
    data = mutated_text("toml", text, rng)
    body = content[:at] + struct.pack("<Q", len(data)) + data
    return body + struct.pack("<I", zlib.crc32(body))


# Arrays


def mutated_arrays(content: bytes, rng: random.Random) -> bytes:
    """An NPZ file with other members, shapes and types; headers may announce what is not there."""
    if rng.random() < 0.15:
        return flipped(content, rng)
    with np.load(io.BytesIO(content)) as file:
        arrays: dict[str, Any] = {name: file[name] for name in file.files}
    out = io.BytesIO()
    chosen = rng.choice(list(arrays))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            data = _npy(array)
            if name == chosen:
                changed = _changed_array(array, data, rng)
                if changed is None:
                    continue
                data = changed
            # Without the time of day.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _changed_array(array: Any, data: bytes, rng: random.Random) -> bytes | None:
    match rng.randrange(9):
        case 0:
            return None
        case 1:
            return _npy(array.astype(rng.choice(("<f4", "<i8", "<U8", "|b1", "<c16", "<M8[s]"))))
        case 2:
            return _npy(array.reshape(-1)[: rng.randrange(array.size + 1)])
        case 3:
            return _npy(np.repeat(array, min(times(rng), 1000), axis=0))
        case 4:  # a header that announces more
            shape = rng.choice(
                ("(1000000000000,)", "(-1,)", "(3, 100000000)", "()", "(2147483648,)", "(0, 9)")
            )
            return _with_header(data, f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}")
        case 5:
            kind = rng.choice(("|O", "[('a', '<f8')]", "|V1000000000", "<U999999999", "x"))
            text = kind if kind.startswith("[") else repr(kind)
            return _with_header(data, f"{{'descr': {text}, 'fortran_order': True, 'shape': (4,), }}")
        case 6:  # zeros, which pack well
            return _npy(np.zeros(rng.choice((10**4, 10**6, 5 * 10**7))))
        case 7 if array.size:
            flat = array.reshape(-1).copy()
            flat[rng.randrange(flat.size)] = rng.choice((-1, 0, 2**31, -(2**31), 10**9))
            return _npy(flat.reshape(array.shape))
        case _:
            return flipped(data, rng)


def _npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()


def _with_header(data: bytes, header: str) -> bytes:
    (length,) = struct.unpack_from("<H", data, 8)
    text = header.encode() + b"\n"
    return data[:8] + struct.pack("<H", len(text)) + text + data[10 + length :]


# Meshes and pictures


def mutated_stl(content: bytes, rng: random.Random) -> bytes:
    """A binary STL; its count of triangles among other things."""
    match rng.randrange(4):
        case 0:
            return content[:80] + struct.pack("<I", rng.choice(_SIZES) % 2**32) + content[84:]
        case 1:
            count = min(times(rng), LARGEST // 600)
            body = content[84:] * count
            return content[:80] + struct.pack("<I", len(body) // 50) + body
        case 2:
            data = bytearray(content)
            place = 84 + 50 * rng.randrange(max((len(content) - 84) // 50, 1)) + 4 * rng.randrange(12)
            data[place : place + 4] = struct.pack("<f", rng.choice((np.nan, np.inf, 1e38, -1e38, 1e-40, 0.0)))
            return bytes(data)
        case _:
            return flipped(content, rng)


def mutated_lines(content: bytes, rng: random.Random) -> bytes:
    """A mesh as text: OBJ or PLY."""
    text = content.decode("latin-1")
    for _ in range(rng.choice((1, 1, 2, 4))):
        text = rng.choice(
            (
                *(mutations.exchange_number,) * 6,
                *(mutations.change_lines,) * 3,
                *(mutations.exchange_word, mutations.delete, mutations.truncate, mutations.pad),
            )
        )(text, rng)[: 2 * LARGEST]
    return text.encode("latin-1", errors="replace")


def mutated_xml(content: bytes, rng: random.Random) -> bytes:
    return mutated_text("xml", content.decode("utf-8", errors="replace"), rng)


def png(width: int, height: int, *, real: bool = True) -> bytes:
    """A picture without colours: small, however large it is, as its rows are equal. real: with all of its rows."""

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    row = bytes(width + 1)
    rows = b"".join(packer.compress(row) for _ in range(height if real else 1)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", rows) + part(b"IEND", b"")


def mutated_png(content: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.3:
        size = (rng.choice((1, 3, 300, 5000, 30_000)), rng.choice((1, 2, 300, 5000, 100_000)))
        return png(*size, real=size[0] * size[1] < 2 * 10**7)
    return flipped(content, rng)


BINARY: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "mcap": mutated_recording,
    "npz": mutated_arrays,
    "stl": mutated_stl,
    "lines": mutated_lines,
    "png": mutated_png,
    "bytes": flipped,
}

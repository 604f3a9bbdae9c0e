"""Files that were too much once: small ones that took gigabytes or minutes, or ended in errors without a type."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping

import trimesh
import zstandard

from benchmarks.attack.binary_mutations import png
from benchmarks.attack.readers import READERS

Case = Mapping[str, bytes]


def _seed(reader: str) -> dict[str, bytes]:
    return dict(READERS[reader].seed())


def _changed(reader: str, old: str, new: str, file: str | None = None) -> Callable[[], Case]:
    """The seed of a reader with one text exchanged."""

    def case() -> Case:
        files = _seed(reader)
        name = file or next(iter(files))
        before = files[name]
        files[name] = before.replace(old.encode(), new.encode("utf-8", errors="surrogatepass"), 1)
        assert files[name] != before
        return files

    return case


def _added(reader: str, text: str | Callable[[], str]) -> Callable[[], Case]:
    """The seed of a reader with a text behind it."""

    def case() -> Case:
        files = _seed(reader)
        name = next(iter(files))
        files[name] += (text if isinstance(text, str) else text()).encode("utf-8", errors="surrogatepass")
        return files

    return case


def _record(opcode: int, content: bytes) -> bytes:
    return struct.pack("<BQ", opcode, len(content)) + content


def _chunk(plain: bytes, announced: int | None = None) -> bytes:
    packed = zstandard.ZstdCompressor(level=3).compress(plain)
    head = struct.pack("<QQQI", 0, 0, len(plain) if announced is None else announced, 0)
    return _record(6, head + struct.pack("<I", 4) + b"zstd" + struct.pack("<Q", len(packed)) + packed)


def _with_chunk(chunk: Callable[[], bytes], reader: str = "recording") -> Callable[[], Case]:
    """A recording whose first chunk or message is another one."""

    def case() -> Case:
        ((name, content),) = _seed(reader).items()
        at = 8
        while content[at] not in (5, 6):  # a message where there are no chunks
            at += 9 + struct.unpack_from("<Q", content, at + 1)[0]
        return {name: content[:at] + chunk()}

    return case


def _message(topic: str, document: object) -> bytes:
    """A channel of a topic, and a message in it."""
    names = b"".join(struct.pack("<I", len(text)) + text for text in (topic.encode(), b"json"))
    channel = struct.pack("<HH", 77, 0) + names + struct.pack("<I", 0)
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return _record(4, channel) + _record(5, struct.pack("<HIQQ", 77, 0, 0, 0) + data)


def _another_robot() -> bytes:
    text = b'name = "other"\n[[body]]\nname = "a"\nmass = 1.0\n[body.joint]\ntype = "floating"\n'
    body = struct.pack("<QQ", 0, 0)
    for part in (b"robot.toml", b"application/toml"):
        body += struct.pack("<I", len(part)) + part
    body += struct.pack("<Q", len(text)) + text
    return _record(9, body + struct.pack("<I", zlib.crc32(body)))


def _fan() -> Case:
    """Files that include two others, sixteen deep."""
    files = _seed("mjcf of several files")
    files["parts/leg.xml"] = (
        b"<mujocoinclude><include file='f0.xml'/><include file='f0.xml'/></mujocoinclude>"
    )
    for k in range(16):
        inner = f"<include file='f{k + 1}.xml'/>" * 2 if k < 15 else "<site/>"
        files[f"parts/f{k}.xml"] = f"<mujocoinclude>{inner}</mujocoinclude>".encode()
    return files


def _hidden_texture() -> Case:
    """A large texture in a file that MuJoCo finds beside the one that includes it."""
    files = _seed("mjcf of several files")
    files["parts/leg.xml"] = b"<mujocoinclude><include file='deep.xml'/></mujocoinclude>"
    files["parts/deep.xml"] = (
        b"<mujocoinclude><site name='a'/></mujocoinclude><!--"
        b"<asset><texture builtin='flat' type='cube' width='30000' height='30000'/></asset>-->"
    )
    main = files["robot.xml"].decode().replace("<asset>", "<asset><include file='parts/huge.xml'/>")
    files["parts/huge.xml"] = b"<mujocoinclude><include file='more.xml'/></mujocoinclude>"
    files["parts/more.xml"] = (
        b"<mujocoinclude><texture name='t' builtin='flat' type='cube' width='30000' height='30000'/></mujocoinclude>"
    )
    files["robot.xml"] = main.encode()
    return files


def _picture(width: int, height: int) -> Callable[[], Case]:
    def case() -> Case:
        files = _seed("mjcf of several files")
        files["assets/skin.png"] = png(width, height)
        return files

    return case


def _long_names() -> Case:
    files = _seed("scene")
    files["scene.toml"] = files["scene.toml"].replace(b'"part.stl"', b'"' + b"a" * 5000 + b'.stl"')
    files["scene.toml"] = files["scene.toml"].replace(b'"robot.urdf"', b'"' + b"b" * 5000 + b'.urdf"')
    return files


def _round_shapes() -> Case:
    """A hundred balls of 80,000 triangles each."""
    files = _seed("scene")
    ball = '[[object]]\nname = "{0}"\nshape = "icosphere"\nradius = 0.{0}1\nsubdivisions = 6\nmass = 1.0\n'
    files["scene.toml"] += "".join(ball.format(k) for k in range(100)).encode()
    return files


def _announced_array() -> Case:
    """Half a terabyte, by its header."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in ("sizes", "delassus", "bias", "friction", "extra", "box", "compliance"):
            header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (70000000000,), }\n"
            archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    return {"problems.npz": out.getvalue()}


def _shapes_in_shapes() -> Case:
    """Groups that use each other twice: a million million shapes in two kilobytes."""
    text = (
        "#VRML V2.0 utf8\nDEF g0 "
        + _seed("mesh vrml")["part.wrl"].decode().split("children [", 1)[1].split("    Group")[0]
    )
    levels = [f"DEF g{k} Group {{ children [ USE g{k - 1} USE g{k - 1} ] }}" for k in range(1, 41)]
    return {"part.wrl": "\n".join([text, *levels, ""]).encode()}


def _nodes_in_nodes() -> Case:
    """Nodes that use each other twice: 16 million boxes in eight kilobytes."""
    text = _seed("mesh dae")["part.dae"].decode()
    drawn = "<instance_geometry" + text.split("<instance_geometry", 1)[1].split("</node>", 1)[0]
    twice = [f'<node id="n{k}">{2 * f"""<instance_node url="#n{k - 1}"/>"""}</node>' for k in range(1, 25)]
    nodes = f'<library_nodes><node id="n0">{drawn}</node>{"".join(twice)}</library_nodes>'
    text = text.replace(drawn, drawn + '<instance_node url="#n24"/>', 1)
    return {"part.dae": text.replace("<library_visual_scenes", nodes + "<library_visual_scenes", 1).encode()}


def _drawn_often() -> Case:
    """A sphere of 20,000 triangles, drawn three thousand times by three thousand elements."""
    sphere = trimesh.creation.icosphere(subdivisions=5)
    text = trimesh.exchange.dae.export_collada(sphere).decode()
    drawn = "<instance_geometry" + text.split("<instance_geometry", 1)[1].split("</node>", 1)[0]
    return {"part.dae": text.replace(drawn, 3000 * drawn, 1).encode()}


def _zipped() -> Case:
    """COLLADA may be packed: a hundred megabytes of blanks in a hundred kilobytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("doc.dae", _seed("mesh dae")["part.dae"] + b" " * 10**8)
    return {"part.dae": out.getvalue()}


EXTREMES: dict[str, tuple[str, Callable[[], Case]]] = {
    "a key of 50,000 dots": ("robot toml", _added("robot toml", lambda: "\n" + "a." * 50_000 + "b = 1\n")),
    "brackets in brackets": ("robot toml", _added("robot toml", lambda: "\nnotes = " + "[" * 100_000)),
    "a million values": ("robot toml", _added("robot toml", lambda: "\nx = [" + "1," * 1_000_000 + "]\n")),
    "bad UTF-8": ("robot toml", _added("robot toml", "\n# \ud800\n")),
    "a long name": ("robot toml", _changed("robot toml", 'name = "base"', f'name = "{"x" * 10**6}"')),
    "a long field": (
        "robot with loops and drives",
        _changed("robot with loops and drives", "radius", "radius" + "a" * 400_000),
    ),
    "text between elements": (
        "urdf",
        _changed("urdf", "<link", "x <a/> " * 90_000 + "x" * 13 * 2**20 + "<link"),
    ),
    "short hills": ("scene", _changed("scene", "wavelength = 1.5", "wavelength = 1e-3")),
    "a negative seed": ("scene", _changed("scene", "seed = 3", "seed = -1")),
    "balls of many triangles": ("scene", _round_shapes),
    "names that no file has": ("scene", _long_names),
    "textures in included files": ("mjcf of several files", _hidden_texture),
    "files that include each other": ("mjcf of several files", _fan),
    "a million keys": (
        "mjcf of several files",
        _changed("mjcf of several files", 'nkey="1"', 'nkey="1000000"'),
    ),
    "a picture of 400 megapixels": ("mjcf of several files", _picture(20_000, 20_000)),
    "points every picosecond": (
        "motion parameters",
        _changed("motion parameters", "grid_s = 0.05", "grid_s = 1e-12"),
    ),
    "steps without end": (
        "motion parameters",
        _changed("motion parameters", "transition_s = 0.8", "transition_s = inf"),
    ),
    "thousands of steps": ("plan", _added("plan", '\n[[action]]\nkind = "stamping"\ncount = 1000\n' * 20)),
    "a hand at infinity": (
        "plan",
        _changed("plan", "position = [0.0, 0.7875, 1.25]", "position = [inf, 0.0, 0.0]"),
    ),
    "a step of 1e200 m": ("plan", _changed("plan", "forward = 0.2", "forward = 1e200")),
    "200 million states": (
        "recording",
        _with_chunk(
            lambda: _chunk(_message("/states", {"rows": 2 * 10**8, "time": "", "q": "", "v": "", "tau": ""}))
        ),
    ),
    "tiny records": ("recording", _with_chunk(lambda: _chunk(_record(4, b"") * 5_000_000))),
    "tiny messages": (
        "recording",
        _with_chunk(lambda: _chunk(_record(5, bytes(22)) * 2_000_000)),
    ),
    "a gigabyte of zeros": ("recording", _with_chunk(lambda: _chunk(bytes(10**9)) * 12)),
    "events in events": (
        "recording",
        _with_chunk(
            lambda: _chunk(
                _message("/events", b'{"time":0,"name":"a","data":{"a":[' + b"[]," * 15 * 10**6 + b"1]}}")
            )
        ),
    ),
    "tiny records in a log": (
        "stream log",
        _with_chunk(lambda: _chunk(_record(128, b"") * 5_000_000), "stream log"),
    ),
    "a gigabyte of zeros in a log": (
        "stream log",
        _with_chunk(lambda: _chunk(bytes(10**9)) * 4, "stream log"),
    ),
    "tiny records in perception": (
        "recorded perception",
        _with_chunk(lambda: _chunk(_record(128, b"") * 5_000_000), "recorded perception"),
    ),
    "a gigabyte of zeros in perception": (
        "recorded perception",
        _with_chunk(lambda: _chunk(bytes(10**9)) * 4, "recorded perception"),
    ),
    "two robots": ("recording", _with_chunk(_another_robot)),
    "bad UTF-8 in an event": (
        "recording",
        _with_chunk(lambda: _chunk(_message("/events", b'{"time":0,"name":"\xff\xfe","data":{}}'))),
    ),
    "tasks that are none": ("hybrid tasks", _changed("hybrid tasks", "priority = 1", 'priority = "high"')),
    "normals of 1e300": (
        "hybrid tasks",
        _changed("hybrid tasks", "normal = [-2.0", "normal = [-1e300"),
    ),
    "integers of 400 digits": (
        "hybrid tasks",
        _changed("hybrid tasks", "beyond = 20.0", "beyond = 1" + "0" * 400),
    ),
    "vertices of two numbers": ("mesh obj", lambda: {"part.obj": b"v 0 0\nv 1 0\nv 0 1\nf 1 2 3\n"}),
    "half a terabyte of problems": ("contact problems", _announced_array),
    "shapes in shapes": ("mesh vrml", _shapes_in_shapes),
    "nodes in nodes": ("mesh dae", _nodes_in_nodes),
    "a mesh drawn often": ("mesh dae", _drawn_often),
    "a packed mesh": ("mesh dae", _zipped),
    "many lists of triangles": (
        "mesh dae",
        _changed("mesh dae", "</triangles>", '</triangles><triangles count="0"/>' * 9000),
    ),
    "a number of 400 hexadecimal digits": ("mesh vrml", _changed("mesh vrml", "0x10", "0x" + "f" * 400)),
    "bad UTF-8 in a request": ("walk request", _changed("walk request", '"torso"', '"\ud800"')),
    "a seed of 400 digits": ("walk request", _changed("walk request", '"seed": 3', '"seed": 1' + "0" * 400)),
    "steps of 5 m": (
        "planner parameters",
        _changed("planner parameters", "forward_m = 0.64", "forward_m = 5.0"),
    ),
    "steps to infinity": (
        "planner parameters",
        _changed("planner parameters", "forward_m = 0.64", "forward_m = inf"),
    ),
    "lines without end": ("mesh ply", _added("mesh ply", lambda: "\n" * 4_000_000)),
}

"""Robots that pages send: taken within limits, from their own folder, or refused with the reason."""

from __future__ import annotations

import io
import zipfile

import msgspec
import pytest

import footfall
from footfall.errors import RobotError
from footfall.viewer import uploads
from footfall.viewer.guard import _Listened
from footfall.viewer.uploads import Uploads

URDF = """<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{visual}</link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="tip"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
SOLID = (
    b"solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    b"endsolid s\n"
)


def packed(**files: bytes) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), data)
    return content.getvalue()


def test_a_description_and_a_zip_with_meshes_are_taken() -> None:
    taken = Uploads()
    path = taken.take("../../arm.urdf", URDF.format(visual="").encode())
    assert footfall.load(path).nq == 1
    assert "/../" not in path
    assert taken.has(path)
    assert not taken.has("lola")
    mesh = URDF.format(visual=MESH.format("../meshes/tip.stl")).encode()
    path = taken.take("arm.zip", packed(**{"urdf__arm.urdf": mesh, "meshes__tip.stl": SOLID, "run.sh": b"x"}))
    assert len(footfall.load(path).body("tip").visuals) == 1


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("arm.exe", b"x", "robots are"),
        ("arm.zip", b"no zip", "no zip"),
        ("arm.zip", packed(readme__md=b"x"), "no robot is in it"),
        ("arm.zip", packed(**{"..__arm.urdf": b"x"}), "leads out of it"),
        ("arm.urdf", URDF.format(visual=MESH.format("/etc/passwd")).encode(), "refers to '/etc/passwd'"),
        ("arm.urdf", URDF.format(visual=MESH.format("../tip.stl")).encode(), "refers to '../tip.stl'"),
        ("arm.urdf", URDF.format(visual=MESH.format("http://x/tip.stl")).encode(), "refers to"),
        ("arm.urdf", URDF.format(visual=MESH.format("package://a/../../tip.stl")).encode(), "refers to"),
    ],
)
def test_what_is_no_robot_or_reaches_out_is_refused(name: str, content: bytes, why: str) -> None:
    with pytest.raises(RobotError, match=why):
        Uploads().take(name, content)


def test_bombs_are_refused_before_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "_MOST_UNPACKED", 10_000)
    with pytest.raises(RobotError, match="more than 10000 bytes"):
        Uploads().take("arm.zip", packed(**{"a.urdf": b" " * 6_000, "b.stl": b" " * 6_000}))
    monkeypatch.setattr(uploads, "_MOST_FILES", 1)
    with pytest.raises(RobotError, match="2 files"):
        Uploads().take("arm.zip", packed(**{"a.urdf": b" ", "b.stl": b" "}))


def test_only_one_file_at_a_time_comes_through_the_guard() -> None:
    def start(size: int, parts: int = 1, number: str = "a") -> bytes:
        return msgspec.msgpack.encode(
            {
                "type": "FileTransferStartUpload",
                "source_component_uuid": "x",
                "transfer_uuid": number,
                "filename": "arm.urdf",
                "mime_type": "",
                "part_count": parts,
                "size_bytes": size,
            }
        )

    def piece(size: int, number: str = "a") -> bytes:
        return msgspec.msgpack.encode(
            {
                "type": "FileTransferPart",
                "source_component_uuid": None,
                "transfer_uuid": number,
                "part_index": 0,
                "content": b"x" * size,
            }
        )

    closed = _Listened(None)
    assert not closed._is_of_file(start(5))
    listened = _Listened(None, 100)
    assert not listened._is_of_file(piece(5))  # nothing was begun
    assert not listened._is_of_file(start(101))
    assert not listened._is_of_file(start(50, parts=10**6))
    assert listened._is_of_file(start(50))
    assert listened._is_of_file(piece(40))
    assert not listened._is_of_file(piece(40))  # more than was said
    assert listened._is_of_file(start(50, number="b"))
    assert not listened._is_of_file(piece(10))  # of the file before
    assert not listened._is_of_file(b"nonsense")

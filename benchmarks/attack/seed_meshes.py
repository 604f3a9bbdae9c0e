"""Small meshes in several formats, for attacks on their readers to start from: a tetrahedron, or a box."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping

import numpy as np

from benchmarks.attack.binary_mutations import png


def stl() -> bytes:
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    content = b"a tetrahedron".ljust(80) + struct.pack("<I", len(faces))
    for face in faces:
        content += struct.pack("<12fH", 0.0, 0.0, 0.0, *corners[list(face)].ravel(), 0)
    return content


def obj_files() -> Mapping[str, bytes]:
    lines = [
        "mtllib part.mtl",
        "usemtl skin",
        "v 0 0 0",
        "v 1 0 0",
        "v 0 1 0",
        "v 0 0 1",
        "vt 0 0",
        "vn 0 0 1",
    ]
    lines += ["f 1/1/1 3/1/1 2/1/1", "f 1 2 4", "f 1 4 3", "f 2 3 4", ""]
    return {
        "part.obj": "\n".join(lines).encode(),
        "part.mtl": b"newmtl skin\nKd 1 0 0\nmap_Kd skin.png\n",
        "skin.png": png(4, 4),
    }


def ply_file() -> Mapping[str, bytes]:
    head = ["ply", "format ascii 1.0", "element vertex 4", *(f"property float {axis}" for axis in "xyz")]
    head += ["element face 4", "property list uchar int vertex_indices", "end_header"]
    body = ["0 0 0", "1 0 0", "0 1 0", "0 0 1", "3 0 2 1", "3 0 1 3", "3 0 3 2", "3 1 2 3", ""]
    return {"part.ply": "\n".join([*head, *body]).encode()}


def dae_file() -> Mapping[str, bytes]:
    import trimesh

    out = io.BytesIO()
    box = trimesh.creation.box((1.0, 2.0, 3.0))
    out.write(trimesh.exchange.dae.export_collada(box))
    return {"part.dae": out.getvalue()}

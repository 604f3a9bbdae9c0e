"""Files of workspaces: cells as Parquet or VTK, surfaces as PLY."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, MissingPackage
from footfall.whole_file import is_file, open_file, written_whole
from footfall.workspace.cells import BLOCK, EDGE, cell_places, morton_grid
from footfall.workspace.surface import WorkspaceSurface
from footfall.workspace.workspace import STATISTICS, Description, Workspace

FILE = "workspace.parquet"  # in the folder of the command
_KEY = b"footfall workspace"
_FORMAT = 1
_MOST_BYTES = 2**31  # bytes of a file that is read
_MOST_BLOCKS = 2**27  # that a file may ask room for
# Red to green by blue's absence, as a person expects: bad to good (the source's Fig. 3.6 has such a gradient).
_COLORS = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], dtype=float)


def colors_of(values: Array, low: float | None = None, high: float | None = None) -> Any:
    """(n, 3) of 0 to 255, from dark violet (least) to yellow (greatest), linearly between low and high."""
    finite = values[np.isfinite(values)]
    low = float(finite.min()) if low is None and len(finite) else low or 0.0
    high = float(finite.max()) if high is None and len(finite) else high or 1.0
    share = np.clip((np.nan_to_num(values) - low) / max(high - low, 1e-300), 0.0, 1.0) * (len(_COLORS) - 1)
    return np.stack([np.interp(share, range(len(_COLORS)), _COLORS[:, k]) for k in range(3)], -1).astype(
        np.uint8
    )


def save_workspace(workspace: Workspace, path: Path | str) -> Path:
    """Write a workspace as Parquet: a row for each cell that is reached, with its place, count, directions (a bit
    each), the plane of the border in it, and least, mean and greatest of each index."""
    pa, parquet = _arrow()
    reached = np.flatnonzero(workspace.counts > 0.0)
    places = cell_places(workspace.grid)[reached]
    columns: dict[str, Any] = {axis: places[:, k].astype(np.int32) for k, axis in enumerate("xyz")}
    columns["count"] = workspace.counts[reached].astype(np.int64)
    columns["directions"] = workspace.seen[reached]
    for k, axis in enumerate("xyz"):
        columns[f"border_{axis}"] = workspace.normals[reached, k]
    columns["border_offset"] = workspace.offsets[reached]
    for statistic in STATISTICS:
        for k, name in enumerate(workspace.names):
            columns[f"{name}_{statistic}"] = getattr(workspace, statistic)[reached, k].astype(np.float32)
    about = {
        "format": _FORMAT,
        **workspace.description._asdict(),
        "names": workspace.names,
        "corner": workspace.corner.tolist(),
        "size": workspace.size,
        "blocks": workspace.grid.shape,
        "direction_count": workspace.directions,
        "samples": workspace.samples,
    }
    table = pa.table(columns).replace_schema_metadata({_KEY: json.dumps(about)})
    with written_whole(Path(path)) as file:
        parquet.write_table(table, file, compression="zstd")
    return Path(path)


def is_workspace(path: Any) -> bool:
    """Whether there is a file of a workspace, or a folder with one."""
    path = Path(path)
    return is_file(path) if path.suffix.lower() == ".parquet" else is_file(path / FILE)


def load_workspace(path: Any) -> Workspace:
    """Read what `save_workspace` wrote: a file, or the folder of `footfall workspace`."""
    _, parquet = _arrow()
    path = Path(path)
    path = path / FILE if path.is_dir() else path
    with open_file(path, "workspace") as file:
        if path.stat().st_size > _MOST_BYTES:
            raise InvalidInput(f"{str(path)!r} is larger than {_MOST_BYTES} bytes; it is no workspace")
        try:
            table = parquet.read_table(file)
            about = json.loads((table.schema.metadata or {})[_KEY])
            return _workspace(table, about)
        except InvalidInput:
            raise
        except Exception as error:  # whatever a damaged file makes of Parquet or JSON
            kind = type(error).__name__
            raise InvalidInput(
                f"{str(path)!r} is no workspace: {kind}: {error}; give what `footfall workspace` wrote"
            ) from None


def _workspace(table: Any, about: dict[str, Any]) -> Workspace:
    if about["format"] != _FORMAT:
        raise InvalidInput(f"format is {about['format']}; this version reads {_FORMAT}")
    shape, names = tuple(int(n) for n in about["blocks"]), tuple(str(name) for name in about["names"])
    corner, size = np.array(about["corner"], dtype=float), float(about["size"])
    if len(shape) != 3 or min(shape) < 1 or np.prod(np.array(shape, dtype=float)) > _MOST_BLOCKS:
        raise InvalidInput(f"blocks are {shape}; there must be three numbers, of 1 to {_MOST_BLOCKS} blocks")
    if not (corner.shape == (3,) and np.isfinite(corner).all() and 0.0 < size < np.inf):
        raise InvalidInput(f"corner is {about['corner']}, size {size}; they must be finite, in m")

    def column(name: str, kind: Any) -> Any:
        return table.column(name).to_numpy().astype(kind)

    places = np.stack([column(axis, np.int64) for axis in "xyz"], axis=1)
    if len(places) and ((places < 0) | (places >= EDGE * np.array(shape))).any():
        raise InvalidInput("cells lie outside of the grid")
    grid = np.full(shape, -1, dtype=np.int64)
    blocks: Any = np.unique(np.ravel_multi_index(tuple((places // EDGE).T), shape)) if len(places) else []
    grid.reshape(-1)[blocks] = np.arange(len(blocks))
    inside = morton_grid()[tuple((places % EDGE).T)]
    cells = BLOCK * grid[tuple((places // EDGE).T)] + inside
    count, k = BLOCK * len(blocks), len(names)
    found: dict[str, Any] = {name: np.zeros((count, k)) for name in STATISTICS}
    found["least"][:], found["greatest"][:] = np.inf, -np.inf
    for statistic in STATISTICS:
        for i, name in enumerate(names):
            found[statistic][cells, i] = column(f"{name}_{statistic}", np.float64)
    counts, seen, normals, offsets = (
        np.zeros(count),
        np.zeros(count, np.int64),
        np.zeros((count, 3)),
        np.zeros(count),
    )
    counts[cells], seen[cells] = column("count", np.float64), column("directions", np.int64)
    normals[cells] = np.stack([column(f"border_{axis}", np.float64) for axis in "xyz"], axis=1)
    offsets[cells] = column("border_offset", np.float64)
    description = Description(
        str(about["robot"]), str(about["root"]), str(about["hand"]),
        tuple(about["joints"]), tuple(about["lower"]), tuple(about["upper"]), dict(about["options"]),
    )  # fmt: skip
    return Workspace(
        description, names, corner, size, grid, counts, seen,
        found["least"], found["mean"], found["greatest"], normals, offsets,
        int(about["direction_count"]), int(about["samples"]),
    )  # fmt: skip


def save_surface(surface: WorkspaceSurface, path: Path | str) -> Path:
    """Write a surface as PLY (binary), with a colour and the value of the index for each vertex."""
    vertices = np.empty(
        len(surface.vertices),
        dtype=[(name, "<f4") for name in ("x", "y", "z", "nx", "ny", "nz")]
        + [(name, "u1") for name in ("red", "green", "blue")]
        + [("value", "<f4")],
    )
    for k, axis in enumerate("xyz"):
        vertices[axis], vertices[f"n{axis}"] = surface.vertices[:, k], surface.normals[:, k]
    for k, color in enumerate(("red", "green", "blue")):
        vertices[color] = colors_of(surface.values)[:, k]
    vertices["value"] = surface.values
    faces = np.empty(len(surface.triangles), dtype=[("count", "u1"), ("corners", "<i4", 3)])
    faces["count"], faces["corners"] = 3, surface.triangles
    kinds = {"<f4": "float", "|u1": "uchar"}
    properties = [f"property {kinds[vertices.dtype[name].str]} {name}" for name in vertices.dtype.names or ()]
    header = [
        "ply", "format binary_little_endian 1.0", f"element vertex {len(vertices)}", *properties,
        f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", "",
    ]  # fmt: skip
    with written_whole(Path(path)) as file:
        file.write("\n".join(header).encode() + vertices.tobytes() + faces.tobytes())
    return Path(path)


def save_vtk(workspace: Workspace, path: Path | str, *, statistic: str = "greatest", level: int = 0) -> Path:
    """Write all cells of a level as a VTK file of structured points, for ParaView: the share of each that is reached,
    samples, directions, and every index."""
    shares = workspace.shares.reshape(-1, 8**level).mean(axis=1)
    found = workspace.level(level)
    fields = {"share": shares, "count": found.counts, "reachability": found.directions}
    fields |= {name: workspace.values(name, statistic, level) for name in workspace.names}
    shape = np.array(workspace.grid.shape) * (EDGE >> level)
    origin = workspace.corner + 0.5 * found.size
    header = [
        "# vtk DataFile Version 3.0", f"workspace of {workspace.description.hand}"[:200], "BINARY",
        "DATASET STRUCTURED_POINTS", "DIMENSIONS {} {} {}".format(*shape),
        "ORIGIN {} {} {}".format(*origin), f"SPACING {found.size} {found.size} {found.size}",
        f"POINT_DATA {int(np.prod(shape))}", "",
    ]  # fmt: skip
    with written_whole(Path(path)) as file:
        file.write("\n".join(header).encode())
        for name, values in fields.items():
            there = np.where(found.counts > 0.0, values, 0.0).astype(np.float32)
            file.write(f"SCALARS {name} float 1\nLOOKUP_TABLE default\n".encode())
            # x goes fastest
            file.write(
                workspace.dense(there, np.float32(0.0), level).transpose(2, 1, 0).astype(">f4").tobytes()
            )
            file.write(b"\n")
    return Path(path)


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingPackage("files of workspaces need pyarrow: pip install 'footfall[workspace]'") from None
    return pyarrow, parquet

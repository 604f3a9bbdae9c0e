"""Points and pictures: written by us and by others, read back, made terrain; bad files are named."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest

from footfall.environment import (
    Terrain,
    perceive,
    read_points,
    sample_terrain,
    save_height_image,
    save_points,
    terrain_from_cells,
    terrain_from_image,
    terrain_from_points,
    terrain_points,
)
from footfall.environment.formats.pcd import inflate_lzf, pcd_bytes, read_pcd
from footfall.environment.height_images import colored, write_png
from footfall.environment.perception import EXACT
from footfall.environment.point_clouds import parse_points
from footfall.errors import FootfallError, InvalidEnvironment, MissingFile
from footfall.scene import make_scene
from tests.environment.test_terrain import random_terrain_cells


def random_terrain() -> Terrain:
    heights, confidence = random_terrain_cells(1, (150, 120))
    return terrain_from_cells(heights, confidence, first=(-70, 20))


def same(one: Terrain, other: Terrain) -> bool:
    return set(one.patches) == set(other.patches) and all(
        (patch.heights == other.patches[index].heights).all() for index, patch in one.patches.items()
    )


@pytest.mark.parametrize("suffix", [".ply", ".pcd", ".npy"])
def test_points_are_written_and_read(tmp_path: Path, suffix: str) -> None:
    points, trust = terrain_points(random_terrain())
    path = tmp_path / f"cloud{suffix}"
    save_points(points, path, confidence=trust)
    assert (read_points(path) == points).all()


def test_terrain_makes_points_and_points_make_terrain() -> None:
    terrain = random_terrain()
    points, trust = terrain_points(terrain)
    assert len(points) == sum(int((patch.confidence > 0).sum()) for patch in terrain.patches.values())
    assert trust.min() > 0.0
    again = terrain_from_points(points, full=1, fill=0)
    assert same(terrain, again)


def test_the_highest_point_of_a_cell_counts_and_few_are_less_sure() -> None:
    points = np.array([[0.005, 0.005, 0.1], [0.006, 0.004, 0.3], [0.002, 0.009, 0.2], [0.015, 0.005, 0.5]])
    terrain = terrain_from_points(points, full=3, fill=0)
    patch = terrain.patches[0, 0]
    assert patch.heights[0, 0] == 300
    assert patch.heights[1, 0] == 500
    assert patch.confidence[0, 0] == 255
    assert patch.confidence[1, 0] == 85


def test_thin_clouds_are_filled() -> None:
    """A cloud with a point in every second cell of a plane."""
    i, j = np.meshgrid(np.arange(0, 100, 2), np.arange(0, 100, 2), indexing="ij")
    x, y = (i.ravel() + 0.5) * 0.01, (j.ravel() + 0.5) * 0.01
    points = np.column_stack([x, y, 0.1 + 0.2 * x])
    places = np.array([[0.215, 0.215], [0.205, 0.215], [0.205, 0.205]])
    filled = sample_terrain(terrain_from_points(points, full=1), places)
    assert filled.height == pytest.approx(0.1 + 0.2 * places[:, 0], abs=2e-3)
    assert filled.confidence[2] == 1.0
    assert 0.0 < filled.confidence[0] < 0.5
    assert not sample_terrain(terrain_from_points(points, full=1, fill=0), places[:1]).seen[0]


def test_clouds_of_a_scene_are_its_terrain() -> None:
    terrain = perceive(make_scene("stairs"), EXACT).terrain
    points, _ = terrain_points(terrain)
    assert same(terrain, terrain_from_points(points, full=1, fill=0))


def test_bad_points_are_left_out_or_refused(tmp_path: Path) -> None:
    points = np.array([[0.0, 0.0, 0.0], [np.nan, 0.0, 0.0], [0.0, np.inf, 1.0], [1.0, 1.0, 1.0]])
    path = tmp_path / "c.npy"
    np.save(path, points)
    assert len(read_points(path)) == 2
    for bad in (np.zeros(3), np.zeros((2, 2)), np.array([["a"] * 3]), np.zeros((2, 3), complex)):
        np.save(path, bad)
        with pytest.raises(InvalidEnvironment, match=r"points are numbers \(n, 3\)"):
            read_points(path)
    np.save(path, np.array([[{}] * 3], dtype=object), allow_pickle=True)
    with pytest.raises(InvalidEnvironment):
        read_points(path)  # nothing is unpickled
    with pytest.raises(InvalidEnvironment, match="suffix"):
        read_points(tmp_path / "c.xyz")
    with pytest.raises(MissingFile):
        read_points(tmp_path / "none.ply")
    with pytest.raises(InvalidEnvironment, match="cells"):
        terrain_from_points(np.array([[0.0, 0, 0], [5000.0, 5000.0, 0]]))
    with pytest.raises(InvalidEnvironment, match="suffix"):
        save_points(points, tmp_path / "c.txt")


def lzf(data: bytes) -> bytes:
    """The plainest compressed form: runs of bytes as they are, and one repetition at the end."""
    out = b""
    for k in range(0, len(data), 32):
        part = data[k : k + 32]
        out += bytes([len(part) - 1]) + part
    return out


def test_point_clouds_as_others_write_them() -> None:
    text = b"""# .PCD v.7
VERSION .7
FIELDS x y z normal rgb
SIZE 4 4 4 4 4
TYPE F F F F F
COUNT 1 1 1 3 1
WIDTH 2
HEIGHT 1
POINTS 2
DATA ascii
1 2 3 0 0 1 7
4 5 6 0 1 0 8
"""
    columns = read_pcd(text)
    assert columns["z"].tolist() == [3.0, 6.0]
    assert columns["rgb"].tolist() == [7.0, 8.0]
    assert "normal" not in columns
    points = np.arange(300, dtype=np.float32).reshape(100, 3)
    binary = pcd_bytes(dict(zip("xyz", points.T, strict=True)))
    assert (parse_points(binary, ".pcd") == points).all()
    fields = np.ascontiguousarray(points.T).tobytes()  # field by field
    packed = lzf(fields)
    header = binary[: binary.index(b"DATA")] + b"DATA binary_compressed\n"
    content = header + np.array([len(packed), len(fields)], "<u4").tobytes() + packed
    assert (parse_points(content, ".pcd") == points).all()
    with pytest.raises(InvalidEnvironment, match=r"damaged|hold"):
        parse_points(content[:-5], ".pcd")


def test_repetitions_are_unpacked() -> None:
    # "abc", then 9 bytes from 3 back: length 7 + 2 takes the long form with 0 added
    packed = np.frombuffer(bytes([2]) + b"abc" + bytes([7 << 5, 0, 2]), np.uint8)
    plain = np.zeros(12, np.uint8)
    assert inflate_lzf(packed, plain)
    assert plain.tobytes() == b"abcabcabcabc"
    assert not inflate_lzf(packed, np.zeros(11, np.uint8))
    assert not inflate_lzf(np.frombuffer(bytes([7 << 5, 0, 9]), np.uint8), np.zeros(9, np.uint8))


@pytest.mark.parametrize("suffix", [".ply", ".pcd", ".npy"])
def test_mutated_clouds_are_refused_with_our_errors(tmp_path: Path, suffix: str) -> None:
    rng = np.random.default_rng(0)
    path = tmp_path / f"c{suffix}"
    save_points(rng.normal(size=(5, 3)), path)
    content = path.read_bytes()
    for _ in range(1500):
        changed = bytearray(content)
        for _ in range(rng.integers(1, 5)):
            place = int(rng.integers(len(changed)))
            if rng.uniform() < 0.2:
                del changed[place : place + int(rng.integers(1, 20))]
            else:
                changed[place] = int(rng.integers(256))
        with contextlib.suppress(FootfallError):
            parse_points(bytes(changed), suffix)


# Pictures


def test_pictures_of_terrain_read_back(tmp_path: Path) -> None:
    terrain = random_terrain()
    save_height_image(terrain, tmp_path / "h.png")
    corner = tuple(terrain.bounds[0].tolist())
    assert same(terrain, terrain_from_image(tmp_path / "h.png", corner=corner))
    save_height_image(terrain, tmp_path / "c.png", confidence=True)
    import imageio.v3 as imageio

    trust = imageio.imread(tmp_path / "c.png")[::-1].T
    (i, j), patch = next(iter(terrain.patches.items()))
    row, column = np.array([i, j]) * 64 - np.rint(terrain.bounds[0] / 0.01).astype(int)
    assert (trust[row : row + 64, column : column + 64] == patch.confidence).all()


def test_a_picture_is_a_map(tmp_path: Path) -> None:
    """Grey levels of 1 cm, pixels of 5 cm; the upper left pixel is at the least x and the greatest y."""
    write_png(tmp_path / "m.png", np.array([[10, 20, 30], [0, 40, 50]], np.uint8))
    terrain = terrain_from_image(tmp_path / "m.png", cell=0.05, step=0.01, zero=0.0, corner=(1.0, -1.0))
    samples = sample_terrain(terrain, np.array([[1.025, -0.925], [1.125, -0.975], [1.025, -0.975]]))
    assert samples.height[:2] == pytest.approx([0.1, 0.5], abs=1e-9)
    assert samples.seen.tolist() == [True, True, False]


def test_pictures_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"no picture")
    with pytest.raises(InvalidEnvironment, match="no picture"):
        terrain_from_image(tmp_path / "x.png")
    write_png(tmp_path / "c.png", np.random.default_rng(0).integers(0, 255, (4, 4, 3)).astype(np.uint8))
    with pytest.raises(InvalidEnvironment, match="colours"):
        terrain_from_image(tmp_path / "c.png")
    write_png(tmp_path / "g.png", np.zeros((4, 4), np.uint8))
    with pytest.raises(InvalidEnvironment, match="cell is 0"):
        terrain_from_image(tmp_path / "g.png", cell=0.0)
    with pytest.raises(InvalidEnvironment, match=r"end[s]? in \.png"):
        save_height_image(random_terrain(), tmp_path / "h.jpg")
    with pytest.raises(InvalidEnvironment, match="no bounds"):
        save_height_image(Terrain(), tmp_path / "h.png")


def test_colours_tell_seen_from_unseen() -> None:
    terrain = random_terrain()
    window = terrain.window((-0.7, 0.2), (0.7, 1.3))
    picture = colored(window)
    seen = (window.most > 0).T[::-1]
    assert (picture[~seen] == 255).all()
    assert (picture[seen] != 255).any(axis=-1).all()
    assert picture.shape == (*seen.shape, 3)

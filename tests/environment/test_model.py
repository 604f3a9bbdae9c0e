"""Environments: updates are exact and merge, readers keep what they have, files read back to the bit."""

from __future__ import annotations

import base64
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest

from footfall.environment import (
    Environment,
    EnvironmentManager,
    EnvironmentUpdate,
    Terrain,
    load_environment,
    reset_area,
    sample_terrain,
    save_environment,
    updated,
)
from footfall.environment.files import is_environment, parse_environment, pnm_bytes, read_pnm
from footfall.environment.formats.ply import ply_bytes, read_ply
from footfall.environment.model import difference, whole
from footfall.environment.objects import EnvironmentObject, ObjectSurface
from footfall.environment.patch import SIDE
from footfall.errors import FootfallError, InvalidEnvironment, MissingFile, UnknownName
from tests.environment.test_objects import box_object
from tests.environment.test_terrain import random_patch
from tests.poses import random_pose
from tests.refusals import is_refused


def random_environment(seed: int) -> Environment:
    rng = np.random.default_rng(seed)
    patches = {
        (int(i), int(j)): random_patch(seed + k) for k, (i, j) in enumerate(rng.integers(-9, 9, (5, 2)))
    }
    objects = [box_object(f"o{k}", tuple(rng.uniform(0.1, 2.0, 3)), random_pose(rng)) for k in range(3)]
    mesh = objects[0].surface.mesh
    count = len(mesh.vertices)
    surface = ObjectSurface(
        mesh,
        rng.normal(size=(count, 3)),
        rng.integers(0, 256, (count, 3)),
        rng.uniform(size=count).astype(np.float32),
    )
    first = objects[0]
    objects[0] = EnvironmentObject('a/b ü \\ "', "table", surface, first.volume, first.placement)
    return Environment(Terrain(patches), {each.id: each for each in objects}, version=7)


def assert_same(one: Environment, other: Environment) -> None:
    assert list(one.terrain.patches) == list(other.terrain.patches)
    for index, patch in one.terrain.patches.items():
        assert (patch.heights == other.terrain.patches[index].heights).all()
        assert (patch.confidence == other.terrain.patches[index].confidence).all()
    assert list(one.objects) == list(other.objects)
    for mine, theirs in zip(one.objects.values(), other.objects.values(), strict=True):
        assert (mine.id, mine.category) == (theirs.id, theirs.category)
        for name in ("rotation", "translation"):
            assert (getattr(mine.placement, name) == getattr(theirs.placement, name)).all()
        assert (mine.surface.mesh.vertices == theirs.surface.mesh.vertices).all()
        assert (mine.surface.mesh.triangles == theirs.surface.mesh.triangles).all()
        for name in ("normals", "confidence"):
            assert (getattr(mine.surface, name) == getattr(theirs.surface, name)).all()
        assert (mine.surface.colors is None) == (theirs.surface.colors is None)
        if mine.surface.colors is not None:
            assert (mine.surface.colors == theirs.surface.colors).all()
        for a, b in zip(mine.volume.elements, theirs.volume.elements, strict=True):
            assert (a.corners == b.corners).all()
            assert a.radius == b.radius


# Updates


def test_updates_change_what_they_name() -> None:
    before = random_environment(1)
    index = next(iter(before.terrain.patches))
    patch = random_patch(99)
    update = EnvironmentUpdate(frozenset({index}), {(50, 50): patch}, frozenset({"o1", "unknown"}))
    after = updated(before, update)
    assert after.version == before.version + 1
    assert index not in after.terrain.patches
    assert after.terrain.patches[50, 50] is patch
    assert set(after.objects) == set(before.objects) - {"o1"}
    assert "o1" in before.objects
    with pytest.raises(UnknownName, match="o2"):
        after.object("o1")


@pytest.mark.parametrize("seed", range(20))
def test_merged_updates_do_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    patches = [random_patch(k) for k in range(3)]
    things = [box_object(f"o{k % 3}", (1, 1, 1), random_pose(rng)) for k in range(6)]

    def update() -> EnvironmentUpdate:
        indices = [(int(i), 0) for i in rng.integers(0, 4, 4)]
        return EnvironmentUpdate(
            frozenset(indices[:2]),
            {index: patches[rng.integers(3)] for index in indices[2:]},
            frozenset({f"o{rng.integers(3)}"}),
            (things[rng.integers(6)],),
            everything=bool(rng.uniform() < 0.2),
        )

    updates = [update() for _ in range(5)]
    one = two = random_environment(seed)
    merged = updates[0]
    for each in updates:
        one = updated(one, each)
    for each in updates[1:]:
        merged = merged.then(each)
    two = updated(two, merged)
    assert dict(one.terrain.patches) == dict(two.terrain.patches)
    assert dict(one.objects) == dict(two.objects)


def test_differences_lead_from_one_to_the_other() -> None:
    one, other = random_environment(1), random_environment(2)
    assert dict(updated(one, difference(one, other)).terrain.patches) == dict(other.terrain.patches)
    assert dict(updated(one, difference(one, other)).objects) == dict(other.objects)
    nothing = difference(one, one)
    for part in (nothing.reset, nothing.patches, nothing.remove, nothing.objects):
        assert not part
    assert dict(updated(one, whole(other)).objects) == dict(other.objects)


def test_the_disc_fades_and_keeps_what_is_better_known() -> None:
    start = updated(Environment(), reset_area(Terrain(), (0.3, -0.2), 0.05, radius=0.5, rim=0.2)).terrain
    angle = np.linspace(0, 2 * np.pi, 40)
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    for radius, expected in ((0.0, 1.0), (0.28, 1.0), (0.4, 0.5), (0.52, 0.0)):
        samples = sample_terrain(start, (0.3, -0.2) + radius * around)
        # A cell is 1 cm wide and the rim 20 cm: half a diagonal is 3.5 %, and half a step of rounding.
        assert np.abs(samples.confidence - expected).max() <= 0.0354 + 0.5 / 255
        # Weights that add to 1 but for rounding.
        assert radius > 0.5 or np.abs(samples.height - 0.05).max() < 1e-12
    again = updated(Environment(start), reset_area(start, (0.7, -0.2), 0.1, radius=0.5, rim=0.2)).terrain
    middle = sample_terrain(again, np.array([[0.3, -0.2], [0.7, -0.2]]))
    # The first is fully known, the second was not.
    assert middle.height == pytest.approx([0.05, 0.1], abs=1e-12)
    with pytest.raises(InvalidEnvironment, match="rim from 0 to radius"):
        reset_area(Terrain(), (0.0, 0.0), 0.0, radius=0.1, rim=0.2)


# Threads


def test_readers_keep_their_snapshot_while_writers_write() -> None:
    patches = [random_patch(k) for k in range(4)]
    manager = EnvironmentManager()
    seen: list[str] = []
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            environment = manager.current
            count, version = len(environment.terrain.patches), environment.version
            total = sum(int(patch.confidence.sum()) for patch in environment.terrain.patches.values())
            again = sum(int(patch.confidence.sum()) for patch in environment.terrain.patches.values())
            if count != len(environment.terrain.patches) or version != environment.version or total != again:
                seen.append("a snapshot changed")
            if environment.version and count % 2:
                seen.append("half of an update")

    def write(number: int) -> None:
        for k in range(50):
            pair = {(2 * k, number): patches[k % 4], (2 * k + 1, number): patches[(k + 1) % 4]}
            manager.apply(EnvironmentUpdate(patches=pair))

    threads = [threading.Thread(target=write, args=(k,)) for k in range(4)]
    readers = [threading.Thread(target=read) for _ in range(2)]
    for thread in (*readers, *threads):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert seen == []
    assert manager.current.version == 200
    assert len(manager.current.terrain.patches) == 400


def test_posted_updates_arrive_merged() -> None:
    published: list[int] = []
    gate = threading.Event()

    def changed(environment: Environment) -> None:
        published.append(len(environment.terrain.patches))
        gate.wait(240.0)

    with EnvironmentManager(changed=changed) as manager:
        for k in range(100):
            manager.post(EnvironmentUpdate(patches={(k, 0): random_patch(0)}))
        gate.set()
        assert manager.settle(240.0)
        assert len(manager.current.terrain.patches) == 100
    assert published[-1] == 100
    assert len(published) < 100  # those that waited were made one


def test_a_failing_listener_does_not_end_the_manager() -> None:
    def changed(environment: Environment) -> None:
        if environment.version == 1:
            raise RuntimeError("no")

    with EnvironmentManager(changed=changed) as manager:
        manager.post(EnvironmentUpdate(patches={(0, 0): random_patch(0)}))
        assert manager.settle(240.0)
        assert isinstance(manager.problem, RuntimeError)
        manager.post(EnvironmentUpdate(patches={(1, 0): random_patch(0)}))
        assert manager.settle(240.0)
        assert len(manager.current.terrain.patches) == 2


# Files


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize("compressed", [True, False])
def test_files_read_back_to_the_bit(tmp_path: Path, embedded: bool, compressed: bool) -> None:
    environment = random_environment(3)
    path = tmp_path / "mine.toml"
    save_environment(environment, path, embedded=embedded, compressed=compressed)
    back = load_environment(path)
    assert_same(environment, back)
    assert back.version == 7
    assert is_environment(path)
    assert len(list(tmp_path.iterdir())) == (1 if embedded else 6)
    text = path.read_text()
    save_environment(back, path, embedded=embedded, compressed=compressed)
    assert path.read_text() == text


def test_an_empty_environment_is_written(tmp_path: Path) -> None:
    save_environment(Environment(), tmp_path / "e.toml")
    assert_same(load_environment(tmp_path / "e.toml"), Environment())


def test_other_programs_read_the_meshes(tmp_path: Path) -> None:
    import trimesh

    environment = random_environment(4)
    save_environment(environment, tmp_path / "e.toml", embedded=False, compressed=False)
    for path in tmp_path.glob("*.ply"):
        mesh = trimesh.load(path, process=False)
        assert len(mesh.faces) == 12
        assert "confidence" in mesh.metadata["_ply_raw"]["vertex"]["properties"]
    from PIL import Image

    heights = np.asarray(Image.open(next(tmp_path.glob("*heights*.pgm"))))
    assert heights.shape == (5 * SIDE, SIDE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("environment = 2", "format 2; this version reads 1"),
        ("environment = 1\nbad = 3", "bad"),
        (
            "environment = 1\n[terrain]\nindices = [[0, 0]]\nheights = '../x.pgm'\nconfidence = 'c.pgm'",
            "plain name",
        ),
        (
            "environment = 1\n[terrain]\nindices = [[0, 0]]\nheights = '/etc/passwd'\nconfidence = 'c'",
            "plain name",
        ),
        (
            "environment = 1\n[terrain]\nindices = [[0, 0]]\nheights = 'x.pgm'\nconfidence = 'c.pgm'",
            "not beside",
        ),
        (
            "environment = 1\n[terrain]\nindices = [[0,0],[0,0]]\nheights = 'x.pgm'\nconfidence = 'c.pgm'",
            "each once",
        ),
        (
            "environment = 1\n[terrain]\ncell = 0.02\nindices = []\nheights = 'x'\nconfidence = 'c'",
            "only 0.01 m",
        ),
        (
            "environment = 1\n[[object]]\nid='a'\nsurface={data='!!'}\nvolume=[{corners=[[0,0,0]],radius=1.0}]",
            "no base64",
        ),
        ("environment = 1\n[[object]]\nid='a'\nsurface={data=''}\nvolume=[]", "has no element"),
        (
            "environment = 1\n[[object]]\nid='a'\nrpy=[nan,0,0]\nsurface={data=''}\nvolume=[]",
            "finite",
        ),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InvalidEnvironment, match=message) as caught:
        load_environment(path)
    assert "bad.toml" in str(caught.value)


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = base64.b64encode(zlib.compress(bytes(300 * 2**20), 9)).decode()
    text = (
        f"environment = 1\n[terrain]\nindices = [[0, 0]]\nheights = {{data = '{bomb}', compressed = true}}\n"
    )
    with pytest.raises(InvalidEnvironment, match="more than"):
        parse_environment(text + "confidence = ''")


def test_missing_files_and_suffixes_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFile):
        load_environment(tmp_path / "none.toml")
    with pytest.raises(InvalidEnvironment, match="suffix"):
        save_environment(Environment(), tmp_path / "e.json")


# Formats


@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 3)])
def test_pictures_read_back(kind: type, shape: tuple[int, ...]) -> None:
    pixels = np.random.default_rng(0).integers(0, np.iinfo(kind).max + 1, shape).astype(kind)
    back = read_pnm(pnm_bytes(pixels))
    assert back.dtype == pixels.dtype
    assert (back == pixels).all()


def test_pictures_with_comments_are_read() -> None:
    assert read_pnm(b"P5\n# made by hand\n2 1\n# and more\n255\n\x01\x02").tolist() == [[1, 2]]
    for bad in (
        b"",
        b"P4\n1 1\n255\n",
        b"P5\n99999999 99999999\n255\n",
        b"P5\n2 2\n255\n\x00",
        b"P5 1 1 0 \x00",
    ):
        with pytest.raises(InvalidEnvironment):
            read_pnm(bad)


def test_ply_as_others_write_it() -> None:
    import trimesh

    sphere = trimesh.creation.icosphere(subdivisions=1)
    for encoding in ("ascii", "binary_little_endian"):
        content = sphere.export(file_type="ply", encoding="ascii" if encoding == "ascii" else "binary")
        file = read_ply(content)
        np.testing.assert_allclose(
            np.column_stack([file.columns[axis] for axis in "xyz"]), sphere.vertices, atol=1e-6
        )
        assert (file.triangles == sphere.faces).all()
    big = (
        b"ply\nformat binary_big_endian 1.0\ncomment by hand\nelement vertex 4\nproperty float x\nproperty float y\n"
        b"property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
        + np.arange(12, dtype=">f4").tobytes()
        + b"\x04"
        + np.array([0, 1, 2, 3], ">i4").tobytes()
    )
    file = read_ply(big)
    assert file.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]  # a square is two triangles
    assert file.columns["y"].tolist() == [1.0, 4.0, 7.0, 10.0]


def test_mutated_files_are_refused_with_our_errors() -> None:
    rng = np.random.default_rng(0)
    surface = random_environment(5).objects["o1"].surface
    from footfall.environment.surface_files import read_surface, surface_bytes

    seeds = [surface_bytes(surface), pnm_bytes(np.zeros((4, 4), np.uint16)), ply_bytes({"x": np.zeros(2)})]
    refused = 0
    for _ in range(3000):
        content = bytearray(seeds[rng.integers(3)])
        for _ in range(rng.integers(1, 6)):
            place = int(rng.integers(len(content)))
            if rng.uniform() < 0.3:
                del content[place : place + int(rng.integers(1, 40))]
            else:
                content[place] = int(rng.integers(256))
            if not content:
                break
        refused += is_refused(FootfallError, lambda content=bytes(content): read_surface(content))
        refused += is_refused(FootfallError, lambda content=bytes(content): read_pnm(content))
    assert 3000 < refused < 6000  # each file is of one kind at most

"""The cache never gives a wrong kernel, whatever happens to its files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from footfall.compiler import build_kernel, cache, machine
from footfall.compiler import kernel as kernel_module

X = np.array([2.0, 3.0])


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is really compiled, not loaded."""
    kinds: list[str] = []
    original = kernel_module._compile

    def counting(program, kind):
        kinds.append(kind)
        return original(program, kind)

    monkeypatch.setattr(kernel_module, "_compile", counting)
    return kinds


def build(factor: float = 2.0, **options):
    return build_kernel(lambda x: factor * x, {"x": 2}, name="scaled", **options)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.kernel"))


def test_second_time_it_is_loaded(folder: Path, compiled: list[str]) -> None:
    for _ in range(2):
        kernel = build()
        assert (kernel(X) == 2 * X).all()
        assert (kernel(np.tile(X, (9, 1))) == 2 * X).all()
    assert compiled == ["single", "batch"]
    assert len(files(folder)) == 2


def test_another_graph_is_another_kernel(compiled: list[str]) -> None:
    assert (build(2.0)(X) == 2 * X).all()
    assert (build(3.0)(X) == 3 * X).all()
    assert len(compiled) == 2


def test_a_key_saves_the_trace(compiled: list[str]) -> None:
    traced = []

    def function(x):
        traced.append(1)
        return x * 5.0

    for _ in range(3):
        kernel = build_kernel(function, {"x": 2}, key="times five")
        assert (kernel(X) == 5 * X).all()
    assert len(traced) == 1
    assert (build_kernel(lambda x: x * 6.0, {"x": 2}, name="function", key="times six")(X) == 6 * X).all()


def test_another_key_of_an_equal_graph_needs_no_compiler(compiled: list[str]) -> None:
    """So a change of footfall's source that leaves a kernel as it was costs a trace only."""
    for key in ("first", "second", "first"):
        assert (build(key=key)(X) == 2 * X).all()
    assert (build()(X) == 2 * X).all()
    assert compiled == ["single"]
    assert (build(3.0, key="third")(X) == 3 * X).all()
    assert compiled == ["single", "single"]


def test_a_key_whose_entry_is_gone_is_compiled_again(folder: Path, compiled: list[str]) -> None:
    build(key="first")
    max(files(folder), key=lambda path: path.stat().st_size).unlink()
    assert (build(key="first")(X) == 2 * X).all()
    assert compiled == ["single", "single"]


@pytest.mark.parametrize("part", ["cpu_name", "cpu_features", "llvm", "compiler"])
def test_another_machine_or_compiler_is_another_kernel(
    part: str, compiled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    build()
    if part == "compiler":
        monkeypatch.setattr(kernel_module, "_compiler_source", lambda: "changed")
    else:
        monkeypatch.setattr(machine, "identity", lambda: f"another {part}")
    build()
    assert len(compiled) == 2


def test_identity_names_everything() -> None:
    assert machine.cpu_name() in machine.identity()
    assert machine.cpu_features() in machine.identity()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:10],
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1],
        lambda content: content + b"\0",
        lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
        lambda content: content[:-50] + bytes([content[-50] ^ 255]) + content[-49:],
        lambda content: b"something else entirely" * 100,
    ],
)
def test_damaged_entries_are_built_anew(folder: Path, compiled: list[str], damage) -> None:
    build()
    path = files(folder)[0]
    sound = path.read_bytes()
    path.write_bytes(damage(sound))
    assert (build()(X) == 2 * X).all()
    assert len(compiled) == 2
    assert path.read_bytes() == sound


def test_a_renamed_entry_is_not_taken(folder: Path, compiled: list[str]) -> None:
    build(2.0)
    first = files(folder)[0]
    build(3.0)
    second = next(path for path in files(folder) if path != first)
    second.write_bytes(first.read_bytes())
    assert (build(3.0)(X) == 3 * X).all()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="file ownership is POSIX")
def test_entries_that_others_may_write_are_not_loaded(folder: Path, compiled: list[str]) -> None:
    build()
    files(folder)[0].chmod(0o666)
    build()
    assert len(compiled) == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="file ownership is POSIX")
@pytest.mark.parametrize("whose", ["writable", "another's"])
def test_folders_of_others_are_neither_read_nor_written(
    whose: str,
    folder: Path,
    compiled: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    build()
    if whose == "writable":
        folder.chmod(0o777)
    else:
        monkeypatch.setattr(os, "getuid", lambda: 12345)
    before = files(folder)
    build()
    build(3.0)
    assert len(compiled) == 3
    assert files(folder) == before
    assert "kernels are not kept there" in caplog.text


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="file ownership is POSIX")
def test_links_are_not_followed(folder: Path, compiled: list[str], tmp_path: Path) -> None:
    build()
    path = files(folder)[0]
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    build()
    assert len(compiled) == 2


@pytest.mark.skipif(not cache._BY_DESCRIPTOR, reason="needs descriptors of folders")
def test_a_folder_that_is_exchanged_after_the_look_is_not_used(
    folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What is opened is what was looked at: entries of the folder that takes its place are not loaded."""
    build()
    looked = cache._is_ours

    def exchange(status: os.stat_result) -> bool:
        if folder.exists():
            folder.rename(tmp_path / "old")
            folder.mkdir(mode=0o777)
            (folder / files(tmp_path / "old")[0].name).write_bytes(b"evil")
        return looked(status)

    monkeypatch.setattr(cache, "_is_ours", exchange)
    assert (build()(X) == 2 * X).all()
    assert files(folder)[0].read_bytes() == b"evil"


def test_only_own_files_are_removed(folder: Path) -> None:
    build()
    others = [folder / name for name in ("film.part", "my.kernel", "notes.txt", "a" * 64)]
    for path in others:
        path.write_text("mine")
    assert cache.usage()[0] == 1
    assert cache.clear()[0] == 1
    assert sorted(folder.iterdir()) == sorted(others)


def test_programs_keep_their_random_numbers() -> None:
    random.seed(1)
    wanted = random.random()
    random.seed(1)
    build(7.5)
    assert random.random() == wanted


def test_keys_are_not_ambiguous() -> None:
    assert cache.key_of("a", "bc") != cache.key_of("ab", "c")
    assert cache.key_of("a\0b") != cache.key_of("a", "b")
    first = build_kernel(lambda x: x * 2.0, {"x": 2}, name="a", key="b c")
    second = build_kernel(lambda x: x * 3.0, {"x": 2}, name="a", key="b c")
    assert (first(X) == 2 * X).all()
    assert (second(X) == 3 * X).all()


_SCALE = 2.0


def _scaled(x):
    return sum([_SCALE * each for each in x[:1]]) + x * 0.0


def test_globals_are_part_of_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (build_kernel(_scaled, {"x": 2}, key="scaled")(X) == 2 * X[0]).all()
    monkeypatch.setattr(sys.modules[__name__], "_SCALE", 5.0)
    assert (build_kernel(_scaled, {"x": 2}, key="scaled")(X) == 5 * X[0]).all()


def test_a_folder_that_cannot_be_written_is_no_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(blocked / "cache"))
    assert (build()(X) == 2 * X).all()


def test_size_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(1.5)
    size = files(folder)[0].stat().st_size
    monkeypatch.setattr(cache, "LIMIT", int(3.5 * size))
    for k in range(6):
        build(2.0 + k)
        for path in files(folder):  # make them distinguishable by age
            os.utime(path, (time.time() - 100 + path.stat().st_mtime % 1, path.stat().st_mtime - 10))
    assert len(files(folder)) == 3
    assert cache.usage()[0] == 3
    assert cache.clear()[0] == 3
    assert cache.usage() == (0, 0)


def test_few_writes_look_at_all_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight writes of a thousandth of the limit each, then one of a tenth."""
    looks: list[Path] = []
    monkeypatch.setattr(cache, "_evict", lambda opened: looks.append(opened.path))
    monkeypatch.setattr(cache._CHANCE, "random", lambda: 0.1)
    for k in range(8):
        cache.write(f"{k:064}", cache.Entry({}, bytes(cache.LIMIT // 1000)))
    assert looks == []
    cache.write("9" * 64, cache.Entry({}, bytes(cache.LIMIT // 10)))
    assert looks == [folder]


def test_two_processes_at_once(folder: Path) -> None:
    """Both compile, both write, both succeed."""
    code = (
        "import numpy as np\n"
        "from footfall.compiler import build_kernel\n"
        "k = build_kernel(lambda x: np.sin(x) @ x * np.arange(200.0), {'x': 50}, name='race')\n"
        "print(float(k(np.ones(50)).sum()))\n"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    answers = {process.communicate()[0] for process in processes}
    assert all(process.returncode == 0 for process in processes)
    assert len(answers) == 1
    assert len(files(folder)) == 1
    assert not list(folder.glob("*.part"))

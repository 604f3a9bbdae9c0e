"""A sample of the mutated files, and the files that were too much once: values or typed errors, in little memory."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.attack import files
from benchmarks.attack.extremes import EXTREMES
from benchmarks.attack.files import Job
from benchmarks.attack.readers import READERS, Reader


def test_files_that_were_too_much_are_refused() -> None:
    jobs = [Job(reader, name) for name, (reader, _) in EXTREMES.items()]
    assert files.attack(jobs, seconds=math.inf) == []


def test_mutated_files_give_values_or_typed_errors() -> None:
    jobs = [Job(reader, number) for reader in READERS for number in range(10)]
    assert files.attack(jobs, seed=7, seconds=math.inf) == []


def test_seeds_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise mutations would be tried on what is refused anyway."""
    monkeypatch.chdir(tmp_path)
    for name, reader in READERS.items():
        folder = tmp_path / name.replace(" ", "-")
        assert files.complaint(name, files._seed(name), folder, math.inf) == ""
        reader.read(folder / next(iter(files._seed(name))))


def test_what_is_wrong_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def untyped(path: Path) -> object:
        raise IndexError("list index out of range")

    def large(path: Path) -> object:
        return bytearray(files.BYTES + 2**27)

    for read, words in ((untyped, "IndexError"), (large, "MiB")):
        monkeypatch.setitem(READERS, "broken", Reader(lambda: {"a.toml": b""}, read))
        assert words in files.complaint("broken", {"a.toml": b""}, tmp_path)
    monkeypatch.setitem(READERS, "broken", Reader(lambda: {"a.toml": b""}, lambda path: None))
    assert "took" in files.complaint("broken", {"a.toml": b""}, tmp_path, seconds=-1.0)


def test_cases_are_reproducible_and_differ() -> None:
    for name in READERS:
        cases = [files.mutated(name, 7, index) for index in range(5)]
        assert cases == [files.mutated(name, 7, index) for index in range(5)]
        assert sum(case != files._seed(name) for case in cases) > 2

"""How the program names itself in what it tells to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from footfall.cli.screen import program


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    script = tmp_path / "bin" / "footfall"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    return script


def test_a_program_on_the_path_has_a_name(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(installed.parent))
    monkeypatch.setattr("sys.argv", [str(installed)])
    assert program() == "footfall"


def test_elsewhere_it_is_called_as_it_was(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("sys.argv", [str(installed)])
    assert program() == str(installed)


def test_run_as_a_module_it_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/somewhere/pytest"])
    assert program() == "footfall"

"""A walk, its planner, vision, a panel and a client as processes, of which some are killed on the way: ten to twenty
seconds of what `python -m benchmarks.running_system` does for ten minutes in a building."""

from __future__ import annotations

from pathlib import Path

from benchmarks.running_system import run
from footfall import save_scene
from footfall.scene.load import load_scene


def test_processes_are_killed_and_the_walk_goes_on(tmp_path: Path) -> None:
    scene = tmp_path / "flat.toml"
    save_scene(load_scene("flat"), scene)
    found = run(tmp_path, scene, seconds=10.0, every=1.0, seed=4, parts=("vision", "client"), goals=1)
    assert not found.summary["fallen"], found.summary["cause"]
    assert found.lasted
    assert found.kills[0].part == "vision"
    names = [name for _, name in found.events]
    assert names.count("vision lost") >= 1  # before it was connected, or when it was killed
    assert "vision back" in names
    assert found.goals[0] >= 1
    assert found.same  # replayed without any of the others
    assert found.left == []

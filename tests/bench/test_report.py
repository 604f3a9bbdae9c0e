"""Reports of made-up measurements: bars, marks, crossover, start-up."""

from __future__ import annotations

import math

import numpy as np
import pytest

import footfall
from footfall.bench import surroundings
from footfall.bench.bars import bar
from footfall.bench.cases import CASES, Case, matching
from footfall.bench.chains import ChainReport, crossover
from footfall.bench.dynamics import Effort, Measurement, RobotReport
from footfall.bench.measure import Race
from footfall.bench.report import markdown
from footfall.bench.startup import Startup
from footfall.errors import UnknownName


def case(name: str) -> Case:
    return next(known for known in CASES if known.name == name)


def robot_report(
    seconds: dict[str, float], *, spread: float = 0.0, name: str = "forward dynamics"
) -> RobotReport:
    """Constant times, but for those of `bound`, which vary by `spread`."""
    times = {contestant: np.full(9, value) for contestant, value in seconds.items()}
    times["bound"] = times["bound"] * (1.0 + spread * np.linspace(-1.0, 1.0, 9))
    measurement = Measurement(case(name), 1000, Race(times), 1e-15)
    return RobotReport("quadruped", footfall.load("quadruped"), (measurement,))


OURS = {
    "checked": 2e-6,
    "bound": 1e-6,
    "batch": 0.25e-6,
    "cores": 0.2e-6,
    "cached": 0.2e-6,
    "writing": 0.1e-6,
}


def report(robots: list[RobotReport], **others: object) -> str:
    return markdown(robots, **others, effort=Effort(), load_before="0.1, 0.2")  # type: ignore[arg-type]


def test_bars_follow_the_rules() -> None:
    def least(name: str, ours: str, peer: str, **changes: float) -> float | None:
        facts = {"velocities": 18, "peer_seconds": 5e-6, "lanes": 8, **changes}
        return bar(case(name), ours, peer, **facts)  # type: ignore[arg-type]

    assert least("forward dynamics", "bound", "python") == 4.0
    assert least("mass matrix", "bound", "python") == 3.0
    assert least("forward dynamics", "bound", "cpp") == 1.0
    assert least("mass matrix", "bound", "cpp") is None
    assert least("Jacobian, all joints", "bound", "python") == 1.0
    assert least("Jacobian, all joints", "bound", "python", peer_seconds=0.6e-6) is None
    assert least("forward dynamics", "batch", "python") == 15.0
    assert least("forward dynamics", "batch", "cpp", lanes=4) == 2.0
    assert least("mass matrix", "batch", "cpp") == 3.0
    assert least("forward dynamics", "bound", "python", velocities=7) is None
    assert least("forward dynamics", "checked", "python") is None


def test_met_bars_are_marked() -> None:
    text = report([robot_report({**OURS, "python": 5e-6, "cpp": 4e-6})])
    assert "Bars met: 4 of 4." in text
    assert "5 (5 to 5) +" in text
    assert "Missed" not in text
    assert "| quadruped (22) | forward dynamics | 1 | 0.25 | 5 | 4 | 5 x faster | 20 x faster |" in text


def test_missed_bars_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(surroundings, "lanes", lambda: 8)  # bars of batches are lower with four
    text = report([robot_report({**OURS, "python": 3.5e-6})])
    assert "Bars met: 0 of 2." in text
    assert (
        "- quadruped, forward dynamics, bound against Pinocchio, Python: 3.5 (lower quartile), needed 4"
        in text
    )
    assert "C++" not in text.split("## quadruped")[1]


def test_the_lower_quartile_counts() -> None:
    """The median of the ratio is above the bar of 4, but a quarter of the blocks is below 3.9."""
    text = report([robot_report({**OURS, "python": 4.1e-6}, spread=0.2)])
    assert "bound against Pinocchio, Python: 3.73" in text


def test_without_a_peer_there_are_no_bars() -> None:
    text = report([robot_report(OURS)])
    assert "No bars apply." in text
    assert "error" not in text.split("## quadruped")[1]


def chain(joints: int, factor: float) -> ChainReport:
    times = {"articulated": np.full(3, 1e-6), "factorised": np.full(3, factor * 1e-6)}
    return ChainReport(joints, {}, Race(times))


def test_crossover_is_interpolated() -> None:
    assert crossover([chain(4, 0.5), chain(16, 2.0), chain(64, 9.0)]) == pytest.approx(8.0)
    assert crossover([chain(4, 1.5), chain(16, 2.0)]) == 4.0
    assert crossover([chain(4, 0.5), chain(16, 0.9)]) is None
    text = report([], chains=[chain(4, 0.5), chain(16, 2.0)])
    assert "from 8 joints on" in text
    assert "| 16 | 1 | 2 |  | 2 |" in text


def test_startup_has_bars() -> None:
    startup = Startup("talos", 0.5, 1.0, 1.0, 4.0, 0.01, 0.01, 0.3)
    text = report([], startup=startup)
    assert "import footfall: 500 ms, needed 400 ms" in text
    assert "| compile forward dynamics | 1000 + |" in text
    assert "compile its derivatives: 4000 ms, needed 3000 ms" in text
    assert "Bars met: 2 of 4." in text


def test_cases_by_name() -> None:
    assert len({known.name for known in CASES}) == len(CASES)
    assert matching("") == CASES
    assert [found.name for found in matching("KINEMATICS, all")] == ["forward kinematics, all bodies"]
    with pytest.raises(UnknownName, match="forward dynamics"):
        matching("telepathy")


def test_surroundings_are_known() -> None:
    assert surroundings.cores() >= 1
    assert math.log2(surroundings.lanes()).is_integer()
    assert "NumPy" in surroundings.versions()
    assert surroundings.processor()

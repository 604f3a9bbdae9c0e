"""Studies as values and files: which cells there are, and what is refused."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import InvalidInput, MissingFile, ProgramFailed, UnknownName
from footfall.studies import EXPERIMENTS, Draws, Limit, Span, Study, read_study, study_names
from footfall.studies.store import Store

SIDE = """
name = "from the side"
experiment = "push"
seeds = 3
first_seed = 1000

[fixed]
robot = "lola"

[vary]
speed = [0.2, 0.4]
direction_deg = { from = 0, to = 270, count = 4 }
friction = { from = 0.1, to = 1.0, draw = "sobol", scale = "log" }

[draws]
count = 5
seed = 3

[limit]
parameter = "impulse"
from = 0
to = 64
within = 1
"""


def test_a_file_gives_all_combinations(tmp_path: Path) -> None:
    path = tmp_path / "side.toml"
    path.write_text(SIDE)
    study = read_study(path)
    assert study.cells == 5 * 2 * 4
    found = [study.values(cell) for cell in range(study.cells)]
    assert {(each["speed"], each["direction_deg"]) for each in found[:8]} == {
        (speed, angle) for speed in (0.2, 0.4) for angle in (0.0, 90.0, 180.0, 270.0)
    }
    frictions = [each["friction"] for each in found]
    assert len(set(frictions)) == 5
    assert all(0.1 <= each <= 1.0 for each in frictions)  # type: ignore[operator]
    assert list(found[0]) == ["speed", "direction_deg", "friction"]
    assert study.parameters(3, 12.5) == {"robot": "lola", **study.values(3), "impulse": 12.5}
    assert study.most_runs == 40 * (7 + 2 * 14)  # 64 / 1 in six halves, and one end; twice that from a guess
    EXPERIMENTS["push"].check(study)


def test_draws_do_not_depend_on_which_cell_is_asked_for_first() -> None:
    study = Study(
        name="draws",
        vary={"x": Span(first=1.0, last=100.0, draw="random", scale="log")},
        draws=Draws(count=2000, seed=5),
    )
    drawn = np.array([study.values(cell)["x"] for cell in reversed(range(2000))], dtype=float)[::-1]
    assert drawn.tolist() == [study.values(cell)["x"] for cell in range(2000)]
    # Uniform in the logarithm: mean log10 is 1, with a deviation of 2 / sqrt(12) / sqrt(2000) = 0.013.
    assert abs(np.log10(drawn).mean() - 1.0) < 5 * 0.013
    other = Study(name="draws", vary=study.vary, draws=Draws(count=2000, seed=6))
    assert other.values(0) != study.values(0)


def test_sobol_points_are_more_even_than_random_ones() -> None:
    def worst_gap(draw: str) -> float:
        span = Span(first=0.0, last=1.0, draw=draw)  # type: ignore[arg-type]
        study = Study(name="gaps", vary={"x": span}, draws=Draws(count=256, seed=1))
        return float(np.diff(np.sort([study.values(cell)["x"] for cell in range(256)])).max())  # type: ignore[type-var]

    assert worst_gap("sobol") <= 2 / 256  # one point in each of 256 intervals
    assert worst_gap("random") > 3 / 256


@pytest.mark.parametrize(
    "change, message",
    [
        ({"vary": {"x": []}}, "0 values"),
        ({"vary": {"x": Span(first=2.0, last=1.0, count=3)}}, "empty"),
        ({"vary": {"x": Span(first=0.0, last=1.0, count=3, scale="log")}}, "above 0"),
        ({"vary": {"x": Span(first=0.0, last=1.0)}}, "either count"),
        ({"vary": {"x": Span(first=0.0, last=float("inf"), count=2)}}, "finite"),
        ({"vary": {"x": Span(first=0.0, last=1.0, draw="random")}}, r"\[draws\]"),
        ({"draws": Draws(count=3)}, r"\[draws\]"),
        ({"vary": {"x": [1.0]}, "fixed": {"x": 2.0}}, "stands twice"),
        ({"limit": Limit(parameter="x", first=1.0, last=1.0, within=0.1)}, "empty"),
        ({"seeds": 1_000_000, "vary": {"x": [1.0] * 1000}}, "at most"),
    ],
)
def test_studies_without_meaning_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Study(name="odd", **change)  # type: ignore[arg-type]


def test_wrong_files_are_told(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text('name = "odd"\nexperiment = "walk"\nseed = 3\n')
    with pytest.raises(InvalidInput, match="seeds"):
        read_study(path)
    with pytest.raises(MissingFile, match="push_map"):
        read_study(tmp_path / "none.toml")
    with pytest.raises(UnknownName, match="push_map"):
        read_study("push_mop")


def test_unknown_parameters_name_the_nearest() -> None:
    study = Study(name="odd", experiment="push", vary={"directoin_deg": [1.0]})
    with pytest.raises(UnknownName, match="there are: direction_deg"):
        EXPERIMENTS["push"].check(study)


@pytest.mark.parametrize("name", study_names())
def test_shipped_studies_fit_their_experiments(name: str) -> None:
    study = read_study(name)
    EXPERIMENTS[study.experiment].check(study)
    assert study.first_seed >= 1000  # seeds below are for tuning


def test_a_name_changes_no_result_but_a_value_does() -> None:
    one = Study(name="one", vary={"x": [1.0, 2.0]})
    assert one.fingerprint == Study(name="other", vary={"x": [1.0, 2.0]}).fingerprint
    assert one.fingerprint != Study(name="one", vary={"x": [1.0, 2.5]}).fingerprint


def test_combinations_of_their_own_are_run_with_all_of_the_grid() -> None:
    together = [{"scene": "flat", "friction": 0.6}, {"scene": "stairs", "friction": 0.3}]
    study = Study(name="both", vary={"speed": [0.2, 0.4]}, together=together)
    assert study.cells == 4
    assert study.varied == ["speed", "scene", "friction"]
    assert [study.values(cell) for cell in range(4)] == [
        {"speed": speed, **each} for each in together for speed in (0.2, 0.4)
    ]
    with pytest.raises(InvalidInput, match="same parameters in the same order"):
        Study(name="odd", together=[{"a": 1.0}, {"b": 1.0}])
    with pytest.raises(InvalidInput, match="'speed' stands twice"):
        Study(name="odd", vary={"speed": [0.1]}, together=[{"speed": 1.0}])


def test_results_from_before_combinations_and_searches_were_known_go_on() -> None:
    """The fingerprint of a shipped study as it was then."""
    assert read_study("push_map").fingerprint.startswith("d2e246084d5b602a")


def test_a_disk_without_room_is_told_by_name(tmp_path: Path) -> None:
    """The largest size of files stands for the disk."""
    study = read_study("friction")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8192, before[1]))
    try:
        with pytest.raises(ProgramFailed, match=r"runs.sqlite' cannot be written: .*; no run was begun"):
            Store(tmp_path, study)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

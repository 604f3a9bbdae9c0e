"""Searches for parameters: minima that are known, gains that are none, and searches that were killed."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from footfall.errors import InvalidInput, ProgramFailed, UnknownName
from footfall.studies import EXPERIMENTS, Search, Span, Study, read_study, run_search, run_study, search
from footfall.studies.search import least_by_covariance
from footfall.studies.store import FILE
from tests.studies.thresholds import bowl, slow_square

A = {"a": Span(first=1.0, last=10.0, scale="log"), "b": Span(first=-1.0, last=1.0)}
BOWL = Study(
    name="bowl",
    seeds=2,
    first_seed=100,
    vary={"side": [0.0, 1.0]},
    search=Search(parameters=A, cost={"value": 1.0}, evaluations=72, trial_seeds=5),
)


def test_the_least_of_a_bowl_is_found_and_is_better_on_other_seeds(tmp_path: Path) -> None:
    """Noise of a seed is the same for all candidates, so the minimum lies at (3, 0.5), and the default is 26 above."""
    found = run_search(BOWL, tmp_path, function=bowl, workers=1)
    assert found.best.parameters == pytest.approx({"a": 3.0, "b": 0.5}, abs=0.25)
    assert found.default.parameters == {"a": 8.0, "b": -0.5}
    assert found.better
    assert found.difference == pytest.approx((-26.0, -26.0, -26.0), abs=0.2)
    assert found.success == (0.0, 1.0)
    assert "It is better." in (tmp_path / "README.md").read_text()
    assert len((tmp_path / "candidates.csv").read_text().splitlines()) == 2 + len(found.candidates)


def test_what_was_only_lucky_is_not_better(tmp_path: Path) -> None:
    """A cost that is all noise, a new one for each candidate: the best of the search is nothing on other seeds."""
    cost = Search(parameters=A, cost={"luck": 1.0}, evaluations=18, trial_seeds=10, confidence=0.99)
    found = run_search(msgspec.structs.replace(BOWL, search=cost), tmp_path, function=bowl, workers=1)
    assert found.best.cost < found.default.cost
    assert not found.better


def test_a_search_goes_on_where_it_was_with_the_same_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = msgspec.structs.replace(BOWL, search=msgspec.structs.replace(BOWL.search, evaluations=24))
    run_search(short, tmp_path / "whole", function=bowl, workers=1)
    judge, judged = search._Run.judge, []

    def fails_in_the_third(run: search._Run, name: str, *others: object) -> object:
        if len(judged) == 3:
            raise ProgramFailed("power cut")
        judged.append(name)
        return judge(run, name, *others)  # type: ignore[arg-type]

    with monkeypatch.context() as broken:
        broken.setattr(search._Run, "judge", fails_in_the_third)
        with pytest.raises(ProgramFailed):
            run_search(short, tmp_path / "parts", function=bowl, workers=1)
    assert judged == ["default", "generation-001", "generation-002"]
    before = (tmp_path / "parts" / "generation-001" / FILE).stat().st_mtime_ns
    np.random.seed(5)  # noqa: NPY002 - the stream that all of NumPy shares is nothing to it
    run_search(short, tmp_path / "parts", function=bowl, workers=1)
    assert (tmp_path / "parts" / "generation-001" / FILE).stat().st_mtime_ns == before
    for name in ("candidates.csv", "README.md"):
        assert (tmp_path / "parts" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_search_that_makes_no_sense_is_refused(tmp_path: Path) -> None:
    def asked(**changed: object) -> Study:
        return msgspec.structs.replace(BOWL, search=msgspec.structs.replace(BOWL.search, **changed))

    with pytest.raises(InvalidInput, match="8 by default, and is looked for from 1 to 5"):
        run_search(asked(parameters={"a": Span(first=1.0, last=5.0)}), tmp_path, function=bowl, workers=1)
    with pytest.raises(UnknownName, match=r"no measure 'valu'.*value"):
        run_search(asked(cost={"valu": 1.0}), tmp_path, function=bowl, workers=1)
    with pytest.raises(InvalidInput, match="run_search"):
        run_study(BOWL, tmp_path, function=bowl)
    with pytest.raises(InvalidInput, match=r"no table \[search\]"):
        run_search(Study(name="none"), tmp_path, function=slow_square)
    with pytest.raises(InvalidInput, match="the range is empty"):
        asked(parameters={"a": Span(first=9.0, last=5.0)})
    with pytest.raises(InvalidInput, match="stands twice"):
        msgspec.structs.replace(BOWL, fixed={"a": 2.0})


def test_one_unknown_is_enough() -> None:
    tried: list[float] = []

    def values(points: list[np.ndarray]) -> list[float]:
        tried.extend(float(point[0]) for point in points)
        return [(float(point[0]) - 0.3) ** 2 for point in points]

    least_by_covariance(values, np.array([0.9]), 100, 3)
    assert min(abs(each - 0.3) for each in tried) < 1e-2
    assert all(0.0 <= each <= 1.0 for each in tried)


def test_gains_that_are_looked_for_begin_with_the_shipped_ones() -> None:
    study = read_study("gains")
    experiment = EXPERIMENTS["push"]
    experiment.check(study)
    values = search.default_values(study, experiment)
    assert values["set.gains.step_share"] == 1.0
    assert study.search is not None
    assert list(values) == list(study.search.parameters)

"""`run_search`: parameters for which a study's cost is least, and whether they are better than the default ones.

An optimiser draws candidates in generations. Each generation is a study, with all cells and seeds, in a folder of its
own, so that a search goes on where it was, and has the same bits, as any study does. Who chose the best of many has
chosen luck too: at last it and the default are compared on seeds that the search has not seen.

    [search]
    evaluations = 60
    cost = { stands = -1.0, cost_of_transport = 0.2 }

    [search.parameters]
    "set.gains.balance_rate" = { from = 2.0, to = 8.0, scale = "log" }
"""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput, MissingPackage, UnknownName
from footfall.studies.conduct import Crew, StudyProgress, conduct
from footfall.studies.experiments import Experiment, setting_names
from footfall.studies.statistics import Interval, mean_interval
from footfall.studies.store import Row, Store
from footfall.studies.study import Search, Study, Value
from footfall.studies.workers import work_for
from footfall.whole_file import write_text, written_whole

_FIRST_STEP = 0.25  # of the ranges, with which CMA-ES begins
_LARGEST_COST = 1e9  # which an infinite one counts as: the optimiser reckons with it
_TRIAL = "trial"  # folder of the comparison


def least_by_covariance(
    values: Callable[[list[Array]], Sequence[float]], start: Array, evaluations: int, seed: int
) -> None:
    """CMA-ES (Hansen 2016) for the least value, on shares (n,) from 0 to 1.

    values: of the candidates of a generation. Whoever calls this remembers the best of them.
    """
    try:
        import cma  # type: ignore[import-untyped]
    except ImportError:
        raise MissingPackage("CMA-ES needs cma: pip install 'footfall[studies]'") from None
    count = len(start)
    options = {
        "bounds": [0.0, 1.0],
        "randn": np.random.RandomState(seed).randn,  # not the stream that all of NumPy shares
        "seed": math.nan,
        "verbose": -9,
        "maxfevals": evaluations,
    }
    # It wants two unknowns at least: a single one gets a second that means nothing.
    strategy = cma.CMAEvolutionStrategy(np.append(start, [0.5] * max(2 - count, 0)), _FIRST_STEP, options)
    while not strategy.stop():
        points = strategy.ask()
        strategy.tell(points, list(values([np.asarray(point)[:count] for point in points])))


class TriedGains(msgspec.Struct, frozen=True):
    """Parameters that were tried. cost: mean over all cells and seeds; infinite if a run ended with an error. success:
    share of the runs."""

    parameters: dict[str, float]
    cost: float
    success: float


@dataclass(frozen=True)
class SearchResult:
    """What a search came to. default: what it began with, best: the best that it has seen.

    difference: cost of the best less that of the default on other seeds, each with all cells: mean over the seeds and
    its interval. better: whether all of the interval is below zero. success: of default and best on these seeds.
    """

    study: Study
    folder: Path
    candidates: tuple[TriedGains, ...]
    default: TriedGains
    best: TriedGains
    difference: Interval
    success: tuple[float, float]

    @property
    def better(self) -> bool:
        return self.difference.high < 0.0


def run_search(
    study: Study,
    output: Path | str,
    *,
    function: Callable[..., Any] | str | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    restart: bool = False,
    progress: Callable[[StudyProgress], None] | None = None,
) -> SearchResult:
    """Look for parameters as the table [search] of a study says, or go on with it. Options: as for `run_study`."""
    search = study.search
    if search is None:
        raise InvalidInput("the study has no table [search]; use run_study")
    work = work_for(function if function is not None else study.experiment)
    experiment = work.experiment()
    experiment.check(study)
    folder = Path(output)
    defaults = default_values(study, experiment)
    with Crew(work, workers, cluster) as crew:
        run = _Run(study, search, folder, experiment, crew, restart, progress)
        default = run.judge("default", [defaults])[0]
        candidates = run.candidates(defaults)
        best = min([default, *candidates], key=lambda each: each.cost)
        difference, success = run.trial(defaults, best.parameters)
    result = SearchResult(study, folder, tuple(candidates), default, best, difference, success)
    _write(result)
    return result


def default_values(study: Study, experiment: Experiment) -> dict[str, float]:
    """Where a search begins: the values that parameters have by default."""
    search = study.search
    assert search is not None
    known: dict[str, Any] = {name: each.default for name, each in experiment.parameters.items()}
    if experiment.settings:
        known |= dict(setting_names(str(study.fixed.get("robot", "lola"))))
    found = {}
    for name, span in search.parameters.items():
        value = known[name]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InvalidInput(f"{name} is {value!r} by default; a search begins with a number")
        if not span.first <= value <= span.last:
            raise InvalidInput(
                f"{name} is {value:g} by default, and is looked for from {span.first:g} to {span.last:g}; a search "
                "begins with the default: put it into the range"
            )
        found[name] = float(value)
    return found


@dataclass
class _Run:
    """A search that goes on. before: runs of studies of its that are done."""

    study: Study
    search: Search
    folder: Path
    experiment: Experiment
    crew: Crew
    restart: bool
    progress: Callable[[StudyProgress], None] | None
    before: int = 0
    failed: int = 0

    def candidates(self, defaults: Mapping[str, float]) -> list[TriedGains]:
        """All that were tried, in their order."""
        spans = self.search.parameters
        found: list[TriedGains] = []
        generations = itertools.count(1)

        def costs(points: list[Array]) -> list[float]:
            values = [
                {
                    name: float(span.at(share))
                    for (name, span), share in zip(spans.items(), point, strict=True)
                }
                for point in points
            ]
            judged = self.judge(f"generation-{next(generations):03d}", values)
            found.extend(judged)
            return [min(each.cost, _LARGEST_COST) for each in judged]

        start = np.array([span.share(defaults[name]) for name, span in spans.items()])
        least_by_covariance(costs, start, self.search.evaluations, self.search.seed + 1)
        return found

    def judge(self, name: str, values: Sequence[Mapping[str, float]]) -> list[TriedGains]:
        """Run all cells and seeds with each of some parameters."""
        rows = self._runs(name, values, self.study.first_seed, self.study.seeds)
        return [
            TriedGains(dict(each), float(np.mean([self._cost(row) for row in own])), _successes(own))
            for each, own in zip(values, rows, strict=True)
        ]

    def trial(
        self, default: Mapping[str, float], best: Mapping[str, float]
    ) -> tuple[Interval, tuple[float, float]]:
        """How much less the best one costs on other seeds: runs with the same seed have their noise in common."""
        first = self.study.first_seed + self.study.seeds
        one, other = self._runs(_TRIAL, [default, best], first, self.search.trial_seeds)
        costs = [
            [
                float(np.mean([self._cost(row) for row in group]))
                for _, group in groupby(sorted(rows, key=lambda row: row.number), key=lambda row: row.number)
            ]
            for rows in (one, other)
        ]
        difference = np.array(costs[1]) - np.array(costs[0])
        return mean_interval(difference, self.search.confidence), (_successes(one), _successes(other))

    def _runs(
        self, name: str, values: Sequence[Mapping[str, float]], first_seed: int, seeds: int
    ) -> list[list[Row]]:
        """Run all cells with some parameters; rows by which of them they have."""
        together: list[dict[str, Value]] = [
            {**combination, **each} for each in values for combination in (self.study.together or [{}])
        ]
        study = msgspec.structs.replace(
            self.study, together=together, search=None, first_seed=first_seed, seeds=seeds
        )
        folder = self.folder / name
        result = conduct(
            study,
            folder,
            self.experiment,
            self.crew,
            restart=self.restart,
            tables=name == _TRIAL,
            progress=self._note_progress,
        )
        self.before, self.failed = self.before + result.runs, self.failed + result.failed
        rows: list[list[Row]] = [[] for _ in values]
        cells = study.cells // len(values)
        with closing(Store(result.folder, study)) as store:
            for row in store.rows():
                rows[row.cell // cells].append(row)
        return rows

    def _note_progress(self, now: StudyProgress) -> None:
        if self.progress is None:
            return
        cells, search = self.study.cells, self.search
        expected = cells * (self.study.seeds * (1 + search.evaluations) + 2 * search.trial_seeds)
        runs, failed = self.before + now.runs, self.failed + now.failed
        self.progress(StudyProgress(runs, max(expected, runs), failed, now.rate))

    def _cost(self, row: Row) -> float:
        """Of one run."""
        if row.error is not None:
            return math.inf
        total = 0.0
        for name, weight in self.search.cost.items():
            if name not in row.measures:
                raise UnknownName("measure", name, row.measures, f"runs of {self.study.name!r}")
            value = row.measures[name]
            if not isinstance(value, int | float):
                raise InvalidInput(f"measure {name!r} is {value!r}; a cost adds up numbers and truth values")
            total += weight * float(value)
        return total


def _successes(rows: Sequence[Row]) -> float:
    return float(np.mean([row.success is True for row in rows]))


def _write(result: SearchResult) -> None:
    """A table of all candidates, and a page."""
    names = [*result.default.parameters]
    with written_whole(result.folder / "candidates.csv") as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        table = csv.writer(text, lineterminator="\n")
        table.writerow([*names, "cost", "success"])
        for each in (result.default, *result.candidates):
            table.writerow([*each.parameters.values(), each.cost, each.success])
        text.detach()
    write_text(result.folder / "README.md", search_page(result))


def search_page(result: SearchResult) -> str:
    """A page that says what was looked for and what came out."""
    search = result.study.search
    assert search is not None
    cost = " + ".join(f"{weight:g} {name}" for name, weight in search.cost.items())
    lines = [
        f"# {result.study.name}",
        "",
        f"{len(result.candidates)} candidates by CMA-ES, each in {result.study.cells} cells with {result.study.seeds} "
        f"seeds from {result.study.first_seed}. Cost: mean of {cost}.",
        "",
        "| parameter | default | best | from | to |",
        "|---|---|---|---|---|",
    ]
    for name, span in search.parameters.items():
        one, other = result.default.parameters[name], result.best.parameters[name]
        lines.append(f"| {name} | {one:.4g} | {other:.4g} | {span.first:g} | {span.last:g} |")
    return "\n".join([*lines, "", comparison(result), ""])


def comparison(result: SearchResult) -> str:
    """Whether the best one is better than the default, in words."""
    search = result.study.search
    assert search is not None
    value, low, high = result.difference
    one, other = result.success
    return (
        f"Cost in the search: {result.default.cost:.4g} by default, {result.best.cost:.4g} of the best. On "
        f"{search.trial_seeds} other seeds the best one costs {value:+.4g} ({low:+.4g} to {high:+.4g} with "
        f"{search.confidence:.0%}); successes {one:.3f} by default, {other:.3f} of the best. "
        f"It is {'' if result.better else 'not significantly '}better."
    )

"""What a study came to: one row a run (Parquet), one row a cell with intervals (CSV), and a page with a picture.

Tables are written from the store in one pass, in an order that does not depend on who ran what.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from footfall.arrays import Array
from footfall.errors import MissingPackage
from footfall.studies.rounds import bracket_of
from footfall.studies.statistics import Interval, median_interval, share_interval
from footfall.studies.store import Row, Store
from footfall.studies.study import Study, Value
from footfall.whole_file import write_text, written_whole

_ROW_GROUP = 20_000
_MOST_LINES = 60  # of the page's table


class Cell(NamedTuple):
    """What the runs of a cell say. success: share of runs; limit: median over the seeds, if one was looked for.
    outside: seeds whose limit lies outside of the range, so that an end of it stands for them. means: of measures."""

    number: int
    values: dict[str, Value]
    runs: int
    failed: int
    success: Interval
    limit: Interval | None
    outside: int
    means: dict[str, float]

    @property
    def shown(self) -> Interval:
        """The limit, or the share of successes."""
        return self.success if self.limit is None else self.limit


@dataclass(frozen=True)
class StudyResult:
    """The results in a folder. failed: runs with an error. complete: whether nothing is left to run. warnings: what one
    should know."""

    study: Study
    folder: Path
    runs: int
    failed: int
    complete: bool
    warnings: tuple[str, ...] = ()
    first_error: str | None = None

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """What the runs of each cell say, read when it is first asked for."""
        with closing(Store(self.folder, self.study)) as store:
            return tuple(cells_of(self.study, store.rows()))

    def first_cells(self, count: int) -> list[Cell]:
        """The first of them, without reading the others."""
        with closing(Store(self.folder, self.study)) as store:
            return list(islice(cells_of(self.study, store.rows()), count))

    @cached_property
    def values(self) -> Array:
        """The limit or share of each cell (cells,)."""
        return np.array([cell.shown.value for cell in self.cells])


def cells_of(study: Study, rows: Iterable[Row]) -> Iterator[Cell]:
    """One a cell, from rows in the order of the store."""
    for number, group in groupby(rows, key=lambda row: row.cell):
        yield _cell(study, number, list(group))


def _cell(study: Study, number: int, rows: list[Row]) -> Cell:
    judged = [row for row in rows if row.success is not None]
    confidence = 0.9 if study.limit is None else study.limit.confidence
    limit, outside = None, 0
    if study.limit is not None:
        seeds = [list(group) for _, group in groupby(rows, key=lambda row: row.number)]
        brackets = [
            bracket_of((row.level, bool(row.success)) for row in seed if row.level is not None)
            for seed in seeds
        ]
        limit = median_interval(np.array([each.estimate(study.limit) for each in brackets]), confidence)
        outside = sum(each.outside() for each in brackets)
    return Cell(
        number,
        study.values(number),
        len(rows),
        sum(row.error is not None for row in rows),
        share_interval(sum(bool(row.success) for row in judged), len(judged), confidence),
        limit,
        outside,
        _means(rows),
    )


def _means(rows: list[Row]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row.measures)
    found = {}
    for name in names:
        values = [row.measures.get(name) for row in rows]
        numbers = [float(each) for each in values if isinstance(each, int | float)]
        if numbers and not any(isinstance(each, bool) for each in values):
            found[name] = float(np.mean(numbers))
    return found


def result_of(study: Study, store: Store, folder: Path, *, complete: bool) -> StudyResult:
    """What was run so far."""
    warnings, error = tuple(store.warnings), store.first_error()
    return StudyResult(study, folder, store.count(), store.failed(), complete, warnings, error)


def write_results(result: StudyResult, store: Store, success: str) -> None:
    """Write all tables of what was run so far."""
    study, folder = result.study, result.folder
    kinds = _column_kinds(study, store.rows())
    _write_runs(study, store, folder / "runs.parquet", kinds)
    _write_cells(study, store, folder / "cells.csv", kinds)
    write_text(
        folder / "README.md", page(result, islice(cells_of(study, store.rows()), _MOST_LINES), success)
    )


def _write_runs(study: Study, store: Store, path: Path, kinds: dict[str, str]) -> None:
    """All runs as Parquet, in groups of rows: memory does not grow with their number."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingPackage(
            "tables of runs need pyarrow: pip install 'footfall[studies]'; the runs themselves are kept"
        ) from None

    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in kinds.items()])
    with written_whole(path) as file, pq.ParquetWriter(file, schema) as writer:
        for first in range(0, max(store.count(), 1), _ROW_GROUP):
            records = [_record(study, row, kinds) for row in store.rows(first, _ROW_GROUP)]
            writer.write_table(pa.Table.from_pylist(records, schema=schema))


def _column_kinds(study: Study, rows: Iterable[Row]) -> dict[str, str]:
    """Names and types of columns: those of all runs, then parameters and measures as they come."""
    kinds = {"cell": "int64", "seed": "int64", "success": "bool_"}
    varied: dict[str, str] = {}
    for row in rows:
        for name, value in {**study.parameters(row.cell, row.level), **row.measures}.items():
            if name not in kinds and varied.get(name) != "string":
                varied[name] = _wider(varied.get(name), value)
    return {**kinds, **varied, "error": "string", "replay": "string"}


def _wider(kind: str | None, value: Value) -> str:
    """The type of a column that has held `kind` so far."""
    if value is None:
        return kind or "float64"
    own = "bool_" if isinstance(value, bool) else "float64" if isinstance(value, int | float) else "string"
    return own if kind in (None, own) else "string" if "string" in (own, kind) else "float64"


def _record(study: Study, row: Row, kinds: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {**study.parameters(row.cell, row.level), **row.measures}
    for name, value in found.items():
        if kinds.get(name) == "string" and value is not None and not isinstance(value, str):
            found[name] = json.dumps(value)
        elif kinds.get(name) == "float64" and value is not None:
            found[name] = float(value)
    own = {
        "cell": row.cell,
        "seed": row.seed,
        "success": row.success,
        "error": row.error,
        "replay": row.replay,
    }
    return {name: (own if name in own else found).get(name) for name in kinds}


def _write_cells(study: Study, store: Store, path: Path, kinds: dict[str, str]) -> None:
    """One row a cell as CSV: values, share of successes, limit, means of measures."""
    fixed = {"cell", "seed", *study.fixed, *study.varied, *([study.limit.parameter] if study.limit else [])}
    measures = [name for name, kind in kinds.items() if kind == "float64" and name not in fixed]
    limits = [] if study.limit is None else [study.limit.parameter, "low", "high", "outside"]
    head = ["runs", "failed", "success", "success_low", "success_high"]
    with written_whole(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="")
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["cell", *study.varied, *head, *limits, *measures])
        for cell in cells_of(study, store.rows()):
            limit = [] if cell.limit is None else [*cell.limit, cell.outside]
            means = [cell.means.get(name, "") for name in measures]
            counts = [cell.runs, cell.failed, *cell.success]
            table.writerow([cell.number, *cell.values.values(), *counts, *limit, *means])
        text.detach()  # flushed; the file itself is closed when it is whole


def page(result: StudyResult, cells: Iterable[Cell], success: str) -> str:
    """A page that says what was run and what came out. cells: the first ones."""
    study = result.study
    what = success if study.limit is None else f"largest {study.limit.parameter} with {success}"
    confidence = 90 if study.limit is None else round(100 * study.limit.confidence)
    head = [*study.varied, what, f"{confidence} % interval", "runs"]
    lines = [
        f"# {study.name}",
        "",
        f"{result.runs} runs of {study.cells} cells, {study.seeds} seeds from {study.first_seed}; "
        f"{result.failed} failed with an error.{'' if result.complete else ' It is not complete.'}",
        "",
        f"| {' | '.join(head)} |",
        "|" + "---|" * len(head),
    ]
    for cell in cells:
        values = [
            f"{value:.4g}" if isinstance(value, float) else str(value) for value in cell.values.values()
        ]
        shown = [f"{cell.shown.value:.3g}", f"{cell.shown.low:.3g} to {cell.shown.high:.3g}", str(cell.runs)]
        lines.append(f"| {' | '.join([*values, *shown])} |")
    if study.cells > _MOST_LINES:
        lines += ["", "All cells are in cells.csv."]
    lines += ["", "```json", msgspec.json.format(msgspec.json.encode(study)).decode(), "```", ""]
    return "\n".join(lines)

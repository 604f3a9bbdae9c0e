"""The runs of a study on disk: each is written when it ends, so that a study goes on where it was, whatever ended it.

One SQLite file, `runs.sqlite`, in the folder of the results. A row is found by cell, number of the seed and round, so
nothing stands there twice; what is not committed when the process dies is as if it had not been run.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from footfall.errors import InvalidInput, ProgramFailed
from footfall.studies.study import Study, Value
from footfall.studies.workers import Result
from footfall.version import __version__
from footfall.walking.request import WALKS

FILE = "runs.sqlite"
_FORMAT = 2  # raise it when cells ask for other runs than before, or rows hold other things
_TABLES = """
CREATE TABLE study (format INTEGER, version TEXT, fingerprint TEXT, study TEXT);
CREATE TABLE runs (
    cell INTEGER, number INTEGER, round INTEGER, level REAL, seed INTEGER,
    success INTEGER, measures TEXT, error TEXT, replay BLOB, seconds REAL,
    PRIMARY KEY (cell, number, round)
) WITHOUT ROWID;
"""


class Row(NamedTuple):
    """A run as it is kept. success: None if it failed with an error or has no such measure."""

    cell: int
    number: int
    round: int
    level: float | None
    seed: int
    success: bool | None
    measures: dict[str, Value]
    error: str | None
    replay: str | None
    seconds: float


class _Walked(msgspec.Struct):
    """By which version of walks a request was walked."""

    version: int | None = None


class Store:
    """Runs of one study. warnings: what somebody who goes on should know."""

    def __init__(self, folder: Path, study: Study) -> None:
        self.path = folder / FILE
        self.study = study
        self.warnings: list[str] = []
        new = not self.path.exists()
        self._database = _connected(self.path)
        try:
            if new:
                self._begin()
            self._check()
        except BaseException as error:
            self._database.close()
            if isinstance(error, sqlite3.OperationalError):  # of a full disk
                raise ProgramFailed(
                    f"{str(self.path)!r} cannot be written: {error}; no run was begun"
                ) from None
            raise

    def _begin(self) -> None:
        with self._database:
            self._database.executescript(_TABLES)
            self._database.execute(
                "INSERT INTO study VALUES (?, ?, ?, ?)",
                (
                    _FORMAT,
                    __version__,
                    self.study.fingerprint,
                    msgspec.json.encode(self.study).decode(),
                ),
            )

    def _check(self) -> None:
        format_number, version, fingerprint, _ = _header(self._database, self.path)
        if fingerprint != self.study.fingerprint:
            raise InvalidInput(
                f"{str(self.path.parent)!r} has results of another study, or of this one before it was changed; "
                "choose another --output, or --restart to throw them away"
            )
        if format_number != _FORMAT:
            raise InvalidInput(
                f"{str(self.path.parent)!r} was begun with footfall {version}, which kept runs in another way (format "
                f"{format_number}; this is {_FORMAT}); go on with that version, choose another --output, or --restart "
                "to throw them away"
            )
        if version != __version__:
            self.warnings.append(
                f"{str(self.path.parent)!r} was begun with footfall {version}; what is missing is run with "
                f"{__version__}"
            )
        first = next((row for row in _rows(self._database, 0, 1) if row.replay is not None), None)
        walked = None if first is None else msgspec.json.decode(str(first.replay), type=_Walked).version
        if first is not None and walked != WALKS:
            self.warnings.append(
                f"{str(self.path.parent)!r} was begun by version {walked} of walks; what is missing is walked by "
                f"version {WALKS}, which may walk otherwise: --restart begins anew"
            )

    def add(self, results: Iterable[Result], success: str) -> None:
        """Write runs that have ended, all or none."""
        rows = [
            (
                *result.task[:4],
                result.task.seed,
                _truth(result.measures.get(success)),
                json.dumps(result.measures, allow_nan=True),
                result.error,
                None if result.replay is None else zlib.compress(result.replay.encode()),
                result.seconds,
            )
            for result in results
        ]
        try:
            with self._database:
                self._database.executemany("INSERT OR IGNORE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?)", rows)
        except sqlite3.OperationalError as error:
            raise ProgramFailed(
                f"{str(self.path)!r} cannot be written: {error}; {self.count()} runs are kept in it"
            ) from None

    def round(self, cell: int, number: int, round_number: int) -> bool | None:
        """Whether a run succeeded; None if it has not been run. Runs with an error did not."""
        found = self._database.execute(
            "SELECT success FROM runs WHERE cell = ? AND number = ? AND round = ?",
            (cell, number, round_number),
        ).fetchone()
        return None if found is None else bool(found[0])

    def count(self) -> int:
        """Runs so far."""
        return int(self._database.execute("SELECT COUNT(*) FROM runs").fetchone()[0])

    def failed(self) -> int:
        """Runs that ended with an error."""
        return int(self._database.execute("SELECT COUNT(*) FROM runs WHERE error IS NOT NULL").fetchone()[0])

    def first_error(self) -> str | None:
        """Of the first run that ended with one."""
        found = self._database.execute(
            "SELECT error FROM runs WHERE error IS NOT NULL ORDER BY cell, number, round LIMIT 1"
        ).fetchone()
        return None if found is None else str(found[0])

    def rows(self, first: int = 0, count: int = -1) -> Iterator[Row]:
        """Runs in the order of cells, seeds and rounds, which does not depend on who was first."""
        return _rows(self._database, first, count)

    def close(self) -> None:
        self._database.close()


def stored_study(folder: Path) -> Study:
    """The study whose results are in a folder."""
    with closing(_connected(_existing(folder))) as database:
        text = _header(database, folder / FILE)[3]
    try:
        return msgspec.json.decode(text, type=Study)
    except msgspec.DecodeError as error:
        raise InvalidInput(f"{str(folder / FILE)!r} is damaged: {error}") from None


def stored_row(folder: Path, number: int) -> Row:
    """One run of the results in a folder, by its number in the table."""
    with closing(_connected(_existing(folder))) as database:
        found = next(_rows(database, number, 1), None) if number >= 0 else None
        if found is None:
            count = database.execute("SELECT COUNT(*) FROM runs").fetchone()[0]
            raise InvalidInput(f"no row {number} in {str(folder)!r}; there are rows 0 to {count - 1}")
    return found


def worst_rows(folder: Path, count: int) -> list[int]:
    """Numbers of walks that failed, the worst first: at the lowest level where a limit was looked for, then after the
    shortest time."""
    with closing(_connected(_existing(folder))) as database:
        found = database.execute(
            "SELECT place FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY cell, number, round) - 1 AS place FROM runs) "
            "WHERE success = 0 AND replay IS NOT NULL ORDER BY level, json_extract(measures, '$.time'), place LIMIT ?",
            (count,),
        )
        return [int(place) for (place,) in found]


def _existing(folder: Path) -> Path:
    path = folder / FILE
    if not path.is_file():
        raise InvalidInput(f"{str(folder)!r} has no results of a study: no {FILE} in it")
    return path


def _connected(path: Path) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=10.0)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
    except sqlite3.DatabaseError as error:
        database.close()
        raise InvalidInput(f"{str(path)!r} holds no results of a study: {error}") from None
    return database


def _header(database: sqlite3.Connection, path: Path) -> tuple[int, str, str, str]:
    try:
        found = database.execute("SELECT format, version, fingerprint, study FROM study").fetchone()
    except sqlite3.DatabaseError as error:
        raise InvalidInput(f"{str(path)!r} holds no results of a study: {error}") from None
    if found is None:
        raise InvalidInput(f"{str(path)!r} holds no results of a study")
    return found  # type: ignore[no-any-return]


def _rows(database: sqlite3.Connection, first: int, count: int) -> Iterator[Row]:
    query = "SELECT * FROM runs ORDER BY cell, number, round LIMIT ? OFFSET ?"
    for cell, number, turn, level, seed, success, measures, error, replay, seconds in database.execute(
        query, (count, first)
    ):
        yield Row(
            cell,
            number,
            turn,
            level,
            seed,
            None if success is None else bool(success),
            json.loads(measures),
            error,
            None if replay is None else zlib.decompress(replay, bufsize=1 << 16).decode(),
            seconds,
        )


def _truth(value: Value) -> bool | None:
    return value if isinstance(value, bool) else None

"""Threads that help a native call of this one, see `teams.py`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from footfall.arrays import Integers
from footfall.compiler.routines.routine import routine
from footfall.compiler.routines.teams import Team, end_team, is_over, run_job
from footfall.compiler.threads import Job, ask_for_help


@routine
def _serve(words: Integers) -> None:
    """Help until `end_team`."""
    last = 0
    while not is_over(words):
        last = run_job(words, last)


@contextmanager
def helped(team: Team) -> Iterator[None]:
    """Native calls within it that take this team have help, as soon as threads come."""
    if team.threads <= 1:
        yield
        return
    _serve.prepare(team.words)  # type: ignore[attr-defined]  # not while the call waits
    team.words[:] = 0
    job = Job(lambda job: _serve(team.words))
    try:
        ask_for_help(job, team.threads - 1)
        yield
    finally:
        end_team(team)
        job.end()
    job.raise_error()

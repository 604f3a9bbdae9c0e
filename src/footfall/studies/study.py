"""What a study is: what is run, what is varied and how, how often, and which limit is looked for. A value, and a file.

    name = "pushes from the side"
    experiment = "push"
    seeds = 20

    [fixed]
    robot = "lola"

    [vary]
    speed = [0.2, 0.4]                                  # a grid of values
    direction_deg = { from = 0, to = 315, count = 8 }   # the same, evenly spaced
    friction = { from = 0.3, to = 1.0, draw = "sobol" } # drawn: "random" or "sobol", scale = "log" if you like

    [draws]
    count = 50
    seed = 1

    [limit]                                             # bisection, for each seed
    parameter = "impulse"
    from = 0
    to = 120
    within = 1

    [[together]]                                        # combinations of their own: of each all of the above
    scene = "flat"
    friction = 0.6

A *cell* is one combination of the varied values. Every cell is run with the same seeds. Instead of a limit a study can
have a table [search]: parameters that an optimiser looks for (footfall/studies/search.py).
"""

from __future__ import annotations

import hashlib
import math
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from footfall.arrays import Array
from footfall.errors import InvalidInput, MissingFile, RobotError, UnknownName
from footfall.robot.toml_parts import read_schema

Value = float | int | bool | str | list[float] | None
Scale = Literal["linear", "log"]
FUNCTION = "function"  # stands for the experiment of a study that is run with a function of one's own
LIBRARY = Path(__file__).parent / "library"
MOST_RUNS = 10**8
_MOST_BYTES = 1_000_000  # bytes of a file
_MOST_VALUES = 100_000  # of one parameter
_USUAL_RUNS = 4  # until a limit is found that is a few `within` from its guess


class Span(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Numbers from one to another. count: of evenly spaced ones. draw: instead of a grid, how they are drawn."""

    first: float = msgspec.field(name="from")
    last: float = msgspec.field(name="to")
    count: Annotated[int, Meta(ge=1, le=_MOST_VALUES)] | None = None
    draw: Literal["random", "sobol"] | None = None
    scale: Scale = "linear"

    def at(self, shares: Any) -> Array:
        """Numbers at shares (n,) from 0 to 1 of the way."""
        shares = np.asarray(shares, dtype=float)
        if self.scale == "log":
            return np.asarray(self.first * (self.last / self.first) ** shares)
        return np.asarray(self.first + (self.last - self.first) * shares)

    def share(self, value: float) -> float:
        """How far along the way a number is, the inverse of `at`."""
        if self.scale == "log":
            return math.log(value / self.first) / math.log(self.last / self.first)
        return (value - self.first) / (self.last - self.first)

    def check_ends(self, name: str) -> None:
        if not (math.isfinite(self.first) and math.isfinite(self.last)):
            raise InvalidInput(f"{name} goes from {self.first} to {self.last}; give finite numbers")
        if self.last < self.first:
            raise InvalidInput(
                f"{name} goes from {self.first:g} to {self.last:g}: the range is empty; swap them"
            )
        if self.scale == "log" and self.first <= 0.0:
            raise InvalidInput(f"{name} begins at {self.first:g}; scale 'log' needs numbers above 0")

    def check(self, name: str) -> None:
        self.check_ends(name)
        if (self.count is None) == (self.draw is None):
            raise InvalidInput(f"{name} needs either count = N for a grid, or draw = 'random' or 'sobol'")


class Draws(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many combinations of drawn values there are, and the seed that they come from."""

    count: Annotated[int, Meta(ge=1, le=MOST_RUNS)]
    seed: Annotated[int, Meta(ge=0, le=2**62)] = 0


class Limit(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The largest value of a parameter that is still a success, for each seed, by bisection between two values.

    It succeeds at `first` and fails at `last`, or the result says that the limit is outside. within: how near it is
    found. confidence: of the interval of the median over the seeds.
    """

    parameter: str
    first: float = msgspec.field(name="from")
    last: float = msgspec.field(name="to")
    within: Annotated[float, Meta(gt=0.0)]
    confidence: Annotated[float, Meta(gt=0.0, lt=1.0)] = 0.9

    @property
    def rounds(self) -> int:
        """Runs that the first seed takes at most: halves, then an end of the range if the limit is near it."""
        return 1 + max(0, math.ceil(math.log2((self.last - self.first) / self.within)))

    def runs(self, seeds: int) -> int:
        """Of so many seeds, at most: those after the first begin where its limit is, in steps that double first."""
        return self.rounds + (seeds - 1) * 2 * self.rounds

    def usual_runs(self, seeds: int) -> int:
        """Of so many seeds whose limits are near each other."""
        return self.rounds + (seeds - 1) * min(_USUAL_RUNS, self.rounds)


class Search(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Parameters for which the mean of a cost is least, by CMA-ES (Hansen 2016), beginning where they are by default.

    parameters: the ranges that they are looked for in. cost: what measures weigh; true counts as 1. evaluations:
    candidates, each with all cells and seeds. trial_seeds: others, on which the best one is compared with the default.
    confidence: of that comparison.
    """

    parameters: dict[str, Span]
    cost: dict[str, float]
    evaluations: Annotated[int, Meta(ge=1, le=100_000)]
    seed: Annotated[int, Meta(ge=0, le=2**32 - 2)] = 0
    trial_seeds: Annotated[int, Meta(ge=2, le=1_000_000)] = 20
    confidence: Annotated[float, Meta(gt=0.0, lt=1.0)] = 0.9

    def check(self) -> None:
        if not self.parameters or not self.cost:
            raise InvalidInput(
                "a search needs parameters, each with a range, and a cost: measures with weights"
            )
        for name, span in self.parameters.items():
            span.check_ends(name)
            if span.count is not None or span.draw is not None or not span.first < span.last:
                raise InvalidInput(
                    f"{name} is looked for in a range: give it from and a larger to, and no count or draw"
                )
        for name, weight in self.cost.items():
            if not math.isfinite(weight):
                raise InvalidInput(f"measure {name!r} weighs {weight} in the cost; give a finite number")


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, dict=True):
    """A study. experiment: its name, `EXPERIMENTS` has them. seeds: how many runs a cell has; first_seed: of the first
    of them. fixed: values of parameters that all runs share. vary: grids and draws; together: combinations of values of
    other parameters, each of which is run with all of these. success: the measure, true or false, that counts; by
    default that of the experiment."""

    name: str
    experiment: str = FUNCTION
    seeds: Annotated[int, Meta(ge=1, le=1_000_000)] = 1
    first_seed: Annotated[int, Meta(ge=0, le=2**62)] = 0
    fixed: dict[str, Value] = {}
    vary: dict[str, Span | list[Value]] = {}
    together: Annotated[list[dict[str, Value]], Meta(max_length=_MOST_VALUES)] = []
    draws: Draws | None = None
    limit: Limit | None = None
    search: Search | None = None
    success: str | None = None

    def __post_init__(self) -> None:
        for name, each in self.vary.items():
            if isinstance(each, Span):
                each.check(name)
            elif not 0 < len(each) <= _MOST_VALUES:
                raise InvalidInput(f"{name} is varied over {len(each)} values; give 1 to {_MOST_VALUES}")
        if odd := next((each for each in self.together if [*each] != self._joint), None):
            raise InvalidInput(
                f"a combination in [[together]] has {', '.join(odd)}, the first one {', '.join(self._joint)}; give "
                "all of them the same parameters in the same order"
            )
        if self.search is not None:
            self.search.check()
            if self.limit is not None:
                raise InvalidInput("a study looks for a limit or for parameters; keep [limit] or [search]")
        names = self.names
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise InvalidInput(
                f"{twice[0]!r} stands twice among fixed, varied, limit and search; keep one of them"
            )
        if bool(self._drawn) != (self.draws is not None):
            raise InvalidInput(
                "values with draw = ... need a table [draws] with count and seed, and only they do"
            )
        if self.limit is not None and not self.limit.first < self.limit.last:
            raise InvalidInput(
                f"the limit of {self.limit.parameter} is looked for from {self.limit.first:g} to {self.limit.last:g}: "
                "the range is empty"
            )
        if not self.most_runs <= MOST_RUNS:
            raise InvalidInput(f"the study has {self.most_runs:.3g} runs; at most {MOST_RUNS:.0e} are taken")

    @property
    def _joint(self) -> list[str]:
        return [*self.together[0]] if self.together else []

    @property
    def varied(self) -> list[str]:
        """Names of what differs between cells."""
        return [*self.vary, *self._joint]

    @property
    def names(self) -> list[str]:
        """Of all parameters that the study gives a value to."""
        limit = [self.limit.parameter] if self.limit else []
        return [*self.fixed, *self.varied, *limit, *(self.search.parameters if self.search else [])]

    @cached_property
    def _grids(self) -> dict[str, list[Value]]:
        grids: dict[str, list[Value]] = {}
        for name, each in self.vary.items():
            if isinstance(each, list):
                grids[name] = each
            elif each.count is not None:
                space = np.geomspace if each.scale == "log" else np.linspace
                grids[name] = space(each.first, each.last, each.count).tolist()
        return grids

    @cached_property
    def _drawn(self) -> dict[str, Span]:
        return {
            name: each for name, each in self.vary.items() if isinstance(each, Span) and each.draw is not None
        }

    @cached_property
    def _sobol(self) -> Array:
        """Points (draws, parameters) of a scrambled Sobol sequence."""
        from scipy.stats.qmc import Sobol

        assert self.draws is not None
        points = Sobol(len(self._drawn), rng=np.random.default_rng([self.draws.seed, 1]))
        power = max(0, math.ceil(math.log2(self.draws.count)))  # a balanced sequence has a power of two
        return np.asarray(points.random_base2(power)[: self.draws.count])

    @property
    def cells(self) -> int:
        """How many combinations there are."""
        count = max(len(self.together), 1) * (1 if self.draws is None else self.draws.count)
        return count * math.prod(len(values) for values in self._grids.values())

    @property
    def most_runs(self) -> int:
        """Runs of all cells; with a limit, at most."""
        return self.cells * (self.seeds if self.limit is None else self.limit.runs(self.seeds))

    def values(self, cell: int) -> dict[str, Value]:
        """What is varied, in one cell."""
        rest, found = cell, {}
        for name in reversed(self._grids):
            rest, number = divmod(rest, len(self._grids[name]))
            found[name] = self._grids[name][number]
        if self.draws is not None:
            rest, number = divmod(rest, self.draws.count)
            found |= self._draw(number)
        if self.together:
            found |= self.together[rest]
        return {name: found[name] for name in self.varied}

    def _draw(self, number: int) -> dict[str, Value]:
        assert self.draws is not None
        uniform = np.random.default_rng([self.draws.seed, 0, number]).random(len(self._drawn))
        shares = {
            name: self._sobol[number, column] if span.draw == "sobol" else uniform[column]
            for column, (name, span) in enumerate(self._drawn.items())
        }
        return {name: float(self._drawn[name].at(share)) for name, share in shares.items()}

    def parameters(self, cell: int, level: float | None = None) -> dict[str, Value]:
        """All that a run of a cell is called with but its seed. level: of what the limit is looked for."""
        looked_for = {} if self.limit is None else {self.limit.parameter: level}
        return {**self.fixed, **self.values(cell), **looked_for}

    @property
    def fingerprint(self) -> str:
        """Of all that decides about results: runs of another study are not mixed with those of this one."""
        text = msgspec.json.encode(msgspec.structs.replace(self, name=""), order="deterministic")
        for unused in (b'"together":[],', b'"search":null,'):  # results from before they were known go on
            text = text.replace(unused, b"")
        return hashlib.sha256(text).hexdigest()


def study_names() -> list[str]:
    """Studies that are shipped."""
    return sorted(path.stem for path in LIBRARY.glob("*.toml"))


def read_study(source: Path | str) -> Study:
    """Read a study: the name of a shipped one, or a file (.toml)."""
    path = Path(source)
    if path.suffix != ".toml":
        if str(source) not in study_names():
            raise UnknownName("shipped study", str(source), study_names())
        path = LIBRARY / f"{source}.toml"
    if not path.is_file():
        raise MissingFile(f"no study {str(path)!r}; shipped ones are: {', '.join(study_names())}")
    try:
        return read_schema(path, Study, limit=_MOST_BYTES)
    except RobotError as error:
        raise InvalidInput(str(error)) from None

"""Running batches and rollouts: in pieces that take milliseconds, on as many threads as pay.

Rows of a batch do not know each other, and a rollout that goes on from the states it has reached does what one without
a break does: so cutting it into pieces, and giving these to threads, changes no bit.
"""

from __future__ import annotations

import ctypes
import time
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from footfall.arrays import Array
from footfall.compiler.arrays import Places, data_address
from footfall.compiler.threads import Job, available_cores, share

_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)

_SLICE = 4e6  # ns; Ctrl-C waits for one piece, which may well take ten times as long as the one before it
_FIRST_PIECE = 0.2e6  # ns, while nothing has been measured
_MEASURABLE = 20e3  # ns; shorter times say little
_WORTH_A_THREAD = 150e3  # ns of work; to wake a thread takes a third of that
_CACHES = 8 * 2**20  # bytes of results, from which on few are still in a cache when they are read
_GUESS = 0.1  # ns that an operation takes in one of many lanes


class BatchCode:
    """Native code that computes rows of a batch, `lanes` at a time.

    pace: ns that a row takes for a step, guessed at first, then as it was the last time. piece: ns that it should be
    left alone for. owner: keeps the code alive.
    """

    def __init__(self, address: int, lanes: int, operations: int, owner: object) -> None:
        self.lanes = lanes
        self.pace = max(operations, 1) * _GUESS
        self.piece = _FIRST_PIECE
        self._function = _PROTOTYPE(address)
        self._owner = owner

    def run(self, table: array[int], begin: int, end: int, steps: int) -> bool:
        """Compute rows from begin to end; tells whether an input was not finite."""
        start = time.perf_counter_ns()
        status: int = self._function(table.buffer_info()[0], begin, end, steps)
        spent = time.perf_counter_ns() - start
        pace = spent / ((end - begin) * steps)
        if spent > _MEASURABLE:
            self.pace, self.piece = pace, _SLICE
        elif pace < self.pace:
            # Too short to be told from the cost of a call, which an interruption must not outlast.
            self.pace = pace
        if status < 0:
            raise MemoryError("no memory for the workspace of a batch")
        return status > 0


class Batch(NamedTuple):
    """What is to be computed: rows of outputs, None for those that were not asked for.

    feedback: inputs that outputs replace in the next step; with several steps these outputs must be there.
    """

    inputs: Sequence[Array]
    input_places: Places
    outputs: Sequence[Array | None]
    output_places: Places
    feedback: Mapping[int, int]
    rows: int
    steps: int

    def table(self) -> array[int]:
        """What native code wants to know: addresses, strides and steps of inputs, then of outputs, and whether these
        are too large for the caches."""
        inputs, (strides_in, steps_in), outputs, (strides_out, steps_out), *_ = self
        addresses_in = [data_address(each) for each in inputs]
        addresses_out = [0 if each is None else data_address(each) for each in outputs]
        around = sum(each.nbytes for each in outputs if each is not None) > _CACHES
        return array(
            "q", (*addresses_in, *strides_in, *steps_in, *addresses_out, *strides_out, *steps_out, around)
        )

    def from_step(self, first: int) -> array[int]:
        """The table to go on with, when the steps before this one have been computed."""
        table = self.table()
        strides_in, steps_in = self.input_places
        strides_out, steps_out = self.output_places
        inputs, outputs = len(strides_in), len(strides_out)
        for k, step in enumerate(steps_in):
            table[k] += 8 * first * step
        for k, step in enumerate(steps_out):
            table[3 * inputs + k] += 8 * first * max(step, 0)
        for k, output in self.feedback.items():  # one step before what it will be
            table[k] = table[3 * inputs + output] - 8 * max(steps_out[output], 0)
            table[inputs + k] = strides_out[output]
        assert len(table) == 3 * (inputs + outputs) + 1
        return table


def run_batch(code: BatchCode, batch: Batch, threads: int | None, table: array[int] | None = None) -> bool:
    """Compute a batch; tells whether an input, or a state on the way, was not finite. table: of the batch, if it is
    there already."""
    expected = code.pace * batch.rows * batch.steps
    table = batch.table() if table is None else table
    if expected <= code.piece and (threads == 1 or expected < 2 * _WORTH_A_THREAD):
        return code.run(table, 0, batch.rows, batch.steps)
    worth = min(int(expected / _WORTH_A_THREAD), -(-batch.rows // code.lanes))
    useful = min(threads or available_cores(), max(1, worth))
    pieces = _Pieces(code, batch, table, useful)
    share(pieces.part, useful)
    return pieces.not_finite


class _Pieces:
    """A batch that threads take rows of; each goes through all steps with its rows, some steps at a time."""

    def __init__(self, code: BatchCode, batch: Batch, table: array[int], threads: int) -> None:
        self.not_finite = False
        self._code = code
        self._batch = batch
        self._table = table  # of the first step
        self._threads = threads
        self._next_row = 0

    def part(self, job: Job) -> None:
        """Compute pieces until none is left."""
        while not job.stopped:
            with job.lock:
                begin = self._next_row
                end = self._next_row = min(begin + self._rows(), self._batch.rows)
            if begin == end:
                return
            self._advance(job, begin, end)

    def _rows(self) -> int:
        """How many to take next: whole lanes, for about the time of a piece, and something for the others to do."""
        code, batch = self._code, self._batch
        fitting = code.piece / (code.pace * batch.steps)
        share = (batch.rows - self._next_row) / self._threads
        return max(int(min(fitting, share) / code.lanes), 1) * code.lanes

    def _advance(self, job: Job, begin: int, end: int) -> None:
        """Take rows through all steps."""
        code, batch = self._code, self._batch
        done, table = 0, self._table
        while not job.stopped:
            fitting = int(code.piece / (code.pace * (end - begin)))
            count = min(max(fitting, 1), batch.steps - done)
            if code.run(table, begin, end, count):
                self.not_finite = True
            done += count
            if done == batch.steps:
                return
            table = batch.from_step(done)

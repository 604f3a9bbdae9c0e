"""The arrays that native code works on: a state written into them, and more room."""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.contact.detection.memory import Count as MemoryCount
from footfall.simulation.run_values import SimulationState
from footfall.simulation.world.records import Count, State

_LINE = 64  # bytes of a line of the cache


def zeros_by_lines(*shape: int) -> Array:
    """Zeros that begin where a line of the cache does, so that no row of eight numbers lies in two of them."""
    count = int(np.prod(shape))
    memory = np.zeros(8 * count + _LINE, dtype=np.uint8)
    first = -memory.ctypes.data % _LINE
    return memory[first : first + 8 * count].view(np.float64).reshape(shape)


def longer(values: Any, count: int) -> Any:
    """An array with so many rows, the rest zeros."""
    longer = np.zeros((count, *values.shape[1:]), values.dtype)
    longer[: len(values)] = values
    return longer


def fill(live: State, state: SimulationState) -> None:
    """Write a state into the arrays of native code; nothing else of what they held counts any more."""
    count = len(state.touches)
    live.q[:], live.v[:], live.integral[:], live.drives[:] = state.q, state.v, state.integral, state.drives
    live.time[0] = state.time
    live.touches[:count] = state.touches
    live.impulses[:count] = state.impulses[: 3 * count].reshape(-1, 3)
    live.joint_impulses[:] = state.impulses[3 * count :]
    live.counts[Count.TOUCHES], live.counts[Count.SUBSTEPS] = count, 0
    live.rest[:] = 0  # all are awake
    live.memory.counts[MemoryCount.STALE] = 1
    live.memory.counts[MemoryCount.PAIRS] = 0

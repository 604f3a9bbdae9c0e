"""Plans as files: every pose, transition and phase, written and read back without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from footfall.errors import InvalidInput
from footfall.gait.plan import MotionPlan
from footfall.whole_file import open_file, written_whole

_LARGEST_FILE = 20_000_000  # bytes; a step has thirteen hundred


def write_plan(plan: MotionPlan, path: Path | str) -> None:
    """Write a plan as JSON."""
    with written_whole(Path(path)) as file:
        file.write(plan_to_json(plan))


def read_plan(path: Path | str) -> MotionPlan:
    """Read a plan that `write_plan` has written."""
    path = Path(path)
    with open_file(path, "plan") as file:
        content = file.read(_LARGEST_FILE + 1)
    if len(content) > _LARGEST_FILE:
        raise InvalidInput(f"{path}: a plan has at most {_LARGEST_FILE} bytes")
    return plan_from_json(content, source=str(path))


def plan_to_json(plan: MotionPlan) -> bytes:
    """A plan as JSON; frozen sets are written sorted, so that equal plans give equal bytes."""
    return msgspec.json.encode(plan, enc_hook=_sorted, order="deterministic")


def plan_from_json(text: bytes, *, source: str = "plan") -> MotionPlan:
    """The plan from its JSON."""
    try:
        return msgspec.json.decode(text, type=MotionPlan)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{source}: {error}") from error


def _sorted(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise NotImplementedError(f"cannot write {type(value).__name__}")

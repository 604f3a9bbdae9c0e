"""Plans as files: every pose, transition and phase, written and read back without loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from footfall.errors import InvalidPlan, MissingFile
from footfall.gait.plan import MotionPlan
from footfall.whole_file import written_whole

_LARGEST_FILE = 200_000_000  # bytes


def write_plan(plan: MotionPlan, path: Path | str) -> None:
    """Write a plan as JSON."""
    with written_whole(Path(path)) as file:
        file.write(plan_to_json(plan))


def read_plan(path: Path | str) -> MotionPlan:
    """Read a plan that `write_plan` has written."""
    path = Path(path)
    if not path.is_file():
        raise MissingFile(f"no plan {str(path)!r}")
    if path.stat().st_size > _LARGEST_FILE:
        raise InvalidPlan(f"{path}: {path.stat().st_size} bytes; a plan has at most {_LARGEST_FILE}")
    return plan_from_json(path.read_bytes(), source=str(path))


def plan_to_json(plan: MotionPlan) -> bytes:
    """A plan as JSON; frozen sets are written sorted, so that equal plans give equal bytes."""
    return msgspec.json.encode(plan, enc_hook=_sorted, order="deterministic")


def plan_from_json(text: bytes, *, source: str = "plan") -> MotionPlan:
    """The plan from its JSON."""
    try:
        return msgspec.json.decode(text, type=MotionPlan)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidPlan(f"{source}: {error}") from error


def _sorted(value: Any) -> Any:
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise NotImplementedError(f"cannot write {type(value).__name__}")

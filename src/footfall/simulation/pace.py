"""How much to do in one native call: Python answers Ctrl-C between two of them."""

from __future__ import annotations

from time import perf_counter
from types import TracebackType

_CALL = 0.05  # s that a call should take
_MOST = 1_000_000  # periods
_FASTER = 4  # at most so many times as much as in the call before, which may have been an easy one


class Pace:
    """periods: how many to compute in the next call; `with pace:` goes around it."""

    def __init__(self) -> None:
        self.periods = 1
        self._begin = 0.0

    def __enter__(self) -> None:
        self._begin = perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        spent = max(perf_counter() - self._begin, 1e-9)
        self.periods = min(max(1, int(self.periods * min(_FASTER, _CALL / spent))), _MOST)

"""The command line: `footfall`."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.cli.application import app as app

__all__ = ["app", "main"]
_INTERRUPTED = 130  # exit status, as of programs that Ctrl-C ends


def main() -> None:
    """Run the command line. Ctrl-C ends it without a trace, also while it is loading."""
    try:
        from footfall.cli.application import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
    finally:
        gc.freeze()  # robots are millions of objects while they compile: cycles among them need no search at the end


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from footfall.cli.application import app

    return app

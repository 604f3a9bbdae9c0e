"""matplotlib where it is installed, and an error that says how to install it."""

from __future__ import annotations

from typing import Any

from footfall.errors import MissingPackage


def load_pyplot() -> Any:
    """matplotlib's pyplot, for files only."""
    try:
        import matplotlib
    except ImportError:
        raise MissingPackage("plots need matplotlib: pip install 'footfall[plots]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot

    return matplotlib.pyplot

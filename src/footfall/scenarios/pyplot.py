"""matplotlib where it is installed, and an error that says how to install it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from footfall.errors import MissingPackage
from footfall.whole_file import written_whole


def load_pyplot() -> Any:
    """matplotlib's pyplot, for files only."""
    try:
        import matplotlib
    except ImportError:
        raise MissingPackage("plots need matplotlib: pip install 'footfall[plots]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot

    return matplotlib.pyplot


def save_figure(figure: Any, path: Path | str, **options: Any) -> None:
    """Write a figure as PNG, whole or not at all."""
    with written_whole(Path(path)) as file:
        figure.savefig(file, format="png", **options)

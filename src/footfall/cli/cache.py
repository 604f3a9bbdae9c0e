"""`footfall cache`: the compiled kernels on disk."""

from __future__ import annotations

from footfall.cli.help_pages import Commands
from footfall.cli.screen import screen
from footfall.compiler import cache

app = Commands(help="Compiled kernels on disk.", no_args_is_help=True)


@app.command("info")
def info() -> None:
    """Say where kernels are kept and how much room they take. FOOTFALL_CACHE_DIR chooses another folder."""
    count, size = cache.usage()
    text = (
        f"{cache.directory()}\n{count} files of kernels and routines, {_megabytes(size)}; "
        f"they are kept up to {_megabytes(cache.LIMIT)}, the most recently used ones"
    )
    screen().print(text, highlight=False, markup=False, soft_wrap=True)


@app.command("clear")
def clear() -> None:
    """Remove all kernels; they are compiled anew when they are needed."""
    count, size = cache.clear()
    screen().print(f"removed {count} files, {_megabytes(size)}", highlight=False)


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.1f} MB"

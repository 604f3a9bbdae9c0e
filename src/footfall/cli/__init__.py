"""The command line: `footfall`."""

from footfall.cli.application import app, main

__all__ = ["app", "main"]

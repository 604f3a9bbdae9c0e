"""A Chromium without a window, that opens a page and draws it on the processor."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from footfall.errors import MissingBrowser

_LOG = logging.getLogger("footfall")
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--headless",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--mute-audio",
)


def find_chromium() -> str | None:
    """Path of the program, None if it is not installed."""
    return next((found for program in _PROGRAMS if (found := shutil.which(program))), None)


def sandbox_flags() -> list[str]:
    """Chromium refuses to run in its sandbox for root, and only then it does without."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    _LOG.warning("Chromium draws without its sandbox, because this is root: draw only files that you trust")
    return ["--no-sandbox"]


@contextmanager
def page_open(address: str, *, width: int, height: int) -> Iterator[subprocess.Popen[bytes]]:
    """A page that is open in a window of that size, in pixels, with a profile of its own."""
    program = find_chromium()
    if program is None:
        raise MissingBrowser(
            "pictures are taken with Chromium, which is not installed; on Debian: apt-get install chromium"
        )
    with tempfile.TemporaryDirectory(prefix="footfall-chromium-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [
                program,
                *_FLAGS,
                *sandbox_flags(),
                f"--user-data-dir={profile}",
                f"--window-size={width},{height}",
                address,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=10.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

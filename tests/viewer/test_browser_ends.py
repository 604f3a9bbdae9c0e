"""Browsers end with the process that opened them, also if that is killed: each took half a core for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from footfall.viewer.chromium import find_chromium
from tests.eventually import eventually

_OPEN = """
import sys
from footfall.viewer.chromium import page_open
with page_open("about:blank", width=200, height=100) as process:
    print(process.pid, flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(find_chromium() is None, reason="needs Chromium")
def test_a_browser_ends_with_a_process_that_is_killed():
    with subprocess.Popen(
        [sys.executable, "-c", _OPEN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as opener:
        assert opener.stdout is not None
        browser = int(opener.stdout.readline())
        assert _runs(browser)
        os.kill(opener.pid, signal.SIGKILL)
        opener.wait()
    assert eventually(lambda: not _runs(browser))


def _runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False

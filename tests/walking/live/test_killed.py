"""A live walk that is killed: its planner ends with it, and nothing of it stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from footfall.walking.live.command_link import running_walks, walks_folder
from tests.eventually import eventually

_WALK = """
from footfall.walking import LiveSession, PlannerProcess, WalkRequest, run_live
from footfall.walking.live.commands import CommandServer

if __name__ == "__main__":
    request = WalkRequest(scene="flat", live=True)
    planner = PlannerProcess(request)
    session = LiveSession(request, planner=planner)
    planner.wait()
    with CommandServer("killed") as commands:
        print(planner.pid, flush=True)
        run_live(session, commands=commands)
"""


def _gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_nothing_is_left_of_a_walk_that_is_killed(tmp_path: Path):
    program = tmp_path / "walk.py"
    program.write_text(_WALK)
    before = set(os.listdir("/dev/shm"))
    walk = subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True)
    assert walk.stdout is not None
    planner = int(walk.stdout.readline())
    assert any(each.pid == walk.pid for each in running_walks())
    walk.send_signal(signal.SIGKILL)
    walk.wait()
    walk.stdout.close()
    assert eventually(lambda: _gone(planner))
    assert eventually(
        lambda: not (walks_folder() / f"{walk.pid}.json").exists()
    )  # the planner clears it away
    assert not any(each.pid == walk.pid for each in running_walks())
    mine = {each for each in set(os.listdir("/dev/shm")) - before if "footfall" in each}
    assert not mine

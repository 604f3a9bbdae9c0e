"""Shared pages play without a network, plots have the numbers of recordings, and videos show what moves."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import footfall
from footfall.cli.application import app
from footfall.errors import InvalidInput, UnknownName
from footfall.recording.reader import Recording, read_recording
from footfall.recording.writer import RecordingWriter
from footfall.viewer.chromium import find_chromium, operated_page
from footfall.viewer.fall_reason import reason_of_fall
from footfall.viewer.page_link import Choose, Seek
from footfall.viewer.player import Player
from footfall.viewer.plots import plot_signals, signal_list
from footfall.viewer.shared_page import shared_page, write_shared
from footfall.viewer.show import View
from footfall.viewer.signal_groups import signal_groups
from footfall.viewer.video import checked_video, take_video

needs_chromium = pytest.mark.skipif(
    find_chromium() is None, reason="Chromium is not installed: pages are not opened"
)
RATE, HEIGHT = 50.0, 0.9  # Hz, m


def recorded(path: Path, *, seconds: float = 2.0, speed: float = 0.3) -> Recording:
    """LOLA slides ahead at a speed, m/s, without moving a joint."""
    robot = footfall.load("lola")
    times = np.arange(0.0, seconds, 1.0 / RATE)
    q = np.tile(robot.configuration("idle"), (len(times), 1))
    q[:, 0] += speed * times
    v = np.zeros((len(times), robot.nv))
    with RecordingWriter(path, robot, scene=footfall.load_scene("flat"), overwrite=True) as writer:
        writer.event(0.5, "plan", {"version": 1, "about": "<script>alert(1)</script>"})
        writer.states(times, q, v)
        center = np.stack([speed * times, 0.0 * times, HEIGHT + 0.0 * times], axis=1)
        forces = np.tile([0.0, 0.0, 300.0, 0.0, 0.0, 0.0], (len(times), 1))
        forces[times > 1.4, 0] = 290.0
        signals = {
            "center": center,
            "zmp": center * [1.0, 1.0, 0.0],
            "right_foot": forces,
            "wave": np.sin(times),
        }
        writer.signals(times, signals, {"center": "m", "zmp": "m", "right_foot": "N, N m", "wave": ""})
        for time in times.tolist():
            writer.contacts(time, [[speed * time, 0.1, 0.0]], [[0.0, 0.0, robot.mass * 9.81]])
        writer.event(1.9, "fallen", {"cause": "upper body tilted"})
    return read_recording(path)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return recorded(tmp_path_factory.mktemp("shared") / "slide.mcap")


def test_the_divergent_component_is_that_of_a_pendulum(recording: Recording) -> None:
    """xi = x + x_dot / omega: at 0.3 m/s and 0.9 m it is 0.3 * sqrt(0.9 / 9.81) ahead."""
    groups = signal_groups(recording)
    ahead = groups["dcm"].values[:, 0] - groups["center"].values[:, 0]
    assert ahead == pytest.approx(np.full(len(ahead), 0.3 * np.sqrt(HEIGHT / 9.81)), abs=1e-9)
    assert groups["kfr.position"].unit == "rad"
    assert groups["base.position"].values[-1, 0] == pytest.approx(recording.q[-1, 0])
    assert any(line.startswith("zmp, m") for line in signal_list(recording))


def test_numbers_of_a_page_are_those_of_the_recording(recording: Recording) -> None:
    text = shared_page([recording])
    said: Any = re.search(r'<script id="head" type="application/json">(.*?)</script>', text, re.DOTALL)
    head = json.loads(said.group(1))
    assert head["end"] == pytest.approx(float(recording.time[-1]))
    assert "<script>alert" not in text  # names are text
    assert "http" not in re.sub(r"http-equiv", "", text)  # nothing is fetched
    assert [each["kind"] for each in head["events"]].count("fallen") == 2
    names = [each["name"] for each in head["signals"]]
    assert {"zmp", "center", "wave", "kfr.position"} <= set(names)


def test_a_minute_of_lola_is_small(tmp_path: Path) -> None:
    long = recorded(tmp_path / "long.mcap", seconds=60.0)
    assert write_shared([long], tmp_path / "long.html") < 8e6


@needs_chromium
def test_a_page_plays_with_the_network_off(recording: Recording, tmp_path: Path) -> None:
    write_shared([recording, recording], tmp_path / "two.html", chosen=["zmp", "wave"])
    with operated_page((tmp_path / "two.html").as_uri(), width=1000, height=600, timeout=300.0) as page:
        page.wait_for("window.footfall && window.footfall.ready === true")
        page.call("Network.enable")
        page.call(
            "Network.emulateNetworkConditions",
            offline=True,
            latency=0,
            downloadThroughput=0,
            uploadThroughput=0,
        )
        page.wait_for("window.footfall.now > 0.2")  # it plays
        page.evaluate("document.getElementById('play').click()")
        page.evaluate("(t => { const s = document.getElementById('time'); s.value = t; s.oninput(); })(1.5)")
        assert page.evaluate("window.footfall.now") == pytest.approx(1.5)
        shown = page.evaluate("[...document.querySelectorAll('.plot')].map(each => each.innerText)")
        assert len(shown) == 2
        assert "0.4500" in shown[0]  # 0.3 m/s for 1.5 s
        assert "0.997" in shown[1]  # sin(1.5)
        page.evaluate(
            "(n => { n.value = 'kfr.position'; n.onchange(); })(document.querySelector('.tools input'))"
        )
        assert page.evaluate("document.querySelectorAll('.plot').length") == 3
        box = "document.querySelector('.plot canvas').getBoundingClientRect()"
        place = page.evaluate(f"(b => [b.x + 46 + 0.25 * (b.width - 52), b.y + 20])({box})")
        page.click(*place)  # a quarter of the way
        assert page.evaluate("window.footfall.now") == pytest.approx(
            0.25 * float(recording.time[-1]), abs=0.02
        )
        count = """(() => { const c = document.getElementById('view'), g = c.getContext('webgl2');
          const p = new Uint8Array(4 * c.width * c.height); footfall.at(1.0);
          g.readPixels(0, 0, c.width, c.height, g.RGBA, g.UNSIGNED_BYTE, p); let n = 0;
          for (let k = 0; k < p.length; k += 4) if (p[k + 2] - p[k] > 70) n++; return n; })()"""
        assert page.evaluate(count) > 100  # blue parts of LOLA


@needs_chromium
def test_videos_show_what_moves(recording: Recording, tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    take_video(recording, tmp_path / "slide.mp4", rate=2.0, size=(160, 120))
    with av.open(str(tmp_path / "slide.mp4")) as container:
        frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
    assert len(frames) == 4
    assert frames[0].shape == (120, 160, 3)
    red, _, blue = np.moveaxis(frames[0], -1, 0)
    assert ((blue - red > 60) & (blue > 90)).sum() > 20
    changed = np.abs(frames[0] - frames[-1]).max(axis=2) > 20
    assert changed.sum() > 200  # the ground passes by


def test_wrong_videos_are_refused(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"\.mp4, \.webm"):
        checked_video(tmp_path / "walk.avi")
    with pytest.raises(InvalidInput, match="even"):
        take_video(recording, tmp_path / "walk.mp4", size=(333, 222))
    long = replace(recording, time=np.linspace(0.0, 60.0, len(recording.time)))
    with pytest.raises(InvalidInput, match="too many"):
        take_video(long, tmp_path / "walk.mp4", rate=60.0, speed=0.01)
    assert list(tmp_path.iterdir()) == []


def test_plots_as_tables_pictures_and_pages(recording: Recording, tmp_path: Path) -> None:
    plot_signals([recording, recording], ["zmp", "wave"], tmp_path / "both.csv", begin=0.5, end=1.0)
    with (tmp_path / "both.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["recording", "time", "zmp.x", "zmp.y", "zmp.z", "wave"]
    assert {row["recording"] for row in rows} == {"slide 1", "slide 2"}
    assert float(rows[0]["time"]) == 0.5
    for row in rows:
        assert float(row["wave"]) == np.sin(float(row["time"]))  # bit for bit
    plot_signals([recording], ["ground", "foot"], tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes()[:4] == b"\x89PNG"
    plot_signals([recording], ["wave"], tmp_path / "plot.html")
    assert '<body class="flat">' in (tmp_path / "plot.html").read_text()
    with pytest.raises(UnknownName, match="zmp"):
        plot_signals([recording], ["zpm"], tmp_path / "x.png")
    with pytest.raises(InvalidInput, match="between 100"):
        plot_signals([recording], ["wave"], tmp_path / "x.png", begin=100.0)


def test_commands(recording: Recording, tmp_path: Path) -> None:
    source = str(recording.path)
    runner = CliRunner()
    listed = runner.invoke(app, ["plot", source, "--list"])
    assert listed.exit_code == 0, listed.output
    assert "wave" in listed.output
    shared = runner.invoke(app, ["share", source, "-o", str(tmp_path / "a.html")])
    assert shared.exit_code == 0, shared.output
    assert (tmp_path / "a.html").stat().st_size > 10_000
    assert runner.invoke(app, ["share", source, "-o", str(tmp_path / "a.html")]).exit_code != 0  # it is there
    assert runner.invoke(app, ["plot", "zmp"]).exit_code == 2
    assert runner.invoke(app, ["plot", source, "zmp", "-o", str(tmp_path / "a.doc")]).exit_code == 2


def test_the_reason_of_a_fall(recording: Recording, tmp_path: Path) -> None:
    """At the friction of the ground, 0.8, a foot with 300 N bears 240 N along it: 290 N slip."""
    reason = reason_of_fall(recording)
    assert reason is not None
    assert "the right foot slipped" in reason.text
    assert reason.text.endswith("upper body tilted")
    assert reason.time == pytest.approx(1.42, abs=0.021)
    robot = footfall.load("wrist")
    with RecordingWriter(tmp_path / "wrist.mcap", robot) as writer:
        writer.state(0.0, footfall.neutral(robot), np.zeros(robot.nv))
    assert reason_of_fall(read_recording(tmp_path / "wrist.mcap")) is None


def test_nothing_to_share_is_refused(tmp_path: Path) -> None:
    robot = footfall.load("wrist")
    with RecordingWriter(tmp_path / "empty.mcap", robot):
        pass
    with pytest.raises(InvalidInput, match="no recording"):
        write_shared([read_recording(tmp_path / "empty.mcap")], tmp_path / "x.html")
    broken = tmp_path / "broken.mcap"
    broken.write_bytes(b"not a recording")
    run = CliRunner().invoke(app, ["share", str(broken)])
    assert run.exit_code != 0
    assert not (tmp_path / "broken.html").exists()


def test_a_view_plots_signals_and_tells_the_reason(recording: Recording) -> None:
    with View(recording, port=0) as view:
        player = view.player
        assert isinstance(player, Player)
        known = dict(player.plots.source.names)
        assert "wave" in known
        ((_, group),) = player.plots.source.groups("wave")
        assert group.values[np.searchsorted(group.time, 1.5), 0] == pytest.approx(np.sin(1.5), abs=1e-6)
        player._on_message(1, Choose(names=("wave", "no such signal")))  # pages may say anything
        player._on_message(1, Seek(time=1.5))
        assert player.timeline.now == pytest.approx(1.5)
        player.seek(0.5)
        assert player.timeline.now == pytest.approx(0.5)

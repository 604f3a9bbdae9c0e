"""Where a robot is in its map: against closed forms, and walks whose feet slip."""

from __future__ import annotations

import math

import numpy as np
import pytest

from footfall.environment import TrackingCamera, TrackingQuality, WorldAlignment
from footfall.errors import InvalidInput
from footfall.math.rotations import rotation_y, rotation_z
from footfall.math.transform import Transform, identity_transform
from footfall.planning.contacts import Goal
from footfall.walking import WalkRequest, WalkSession
from footfall.walking.arrival import distance, standing
from footfall.walking.signals import Surface
from footfall.walking.vision.localisation import planning_camera, true_camera
from footfall.walking.walker import WalkingCode


def camera(x: float, y: float, yaw: float) -> Transform:
    return Transform(rotation_z(yaw) @ rotation_y(0.4), np.array([x, y, 1.6]))


def on_circle(time: float, *, radius: float = 2.0, rate: float = 0.2) -> Transform:
    """A camera that goes round, looking ahead and down."""
    return camera(radius * math.cos(rate * time), radius * math.sin(rate * time), rate * time + math.pi / 2)


def yaw(pose: Transform) -> float:
    return math.atan2(pose.rotation[1, 0], pose.rotation[0, 0])


# The filter of the alignment


def test_a_constant_difference_of_the_worlds_is_found_at_once() -> None:
    given, worlds = Transform(rotation_z(0.7), np.array([3.0, -1.0, 0.05])), WorldAlignment()
    vision = on_circle(0.0)
    worlds.take(0.0, given @ vision, vision)
    assert worlds.value is not None
    np.testing.assert_allclose(worlds.value.translation, given.translation, atol=1e-14)
    np.testing.assert_allclose(worlds.value.rotation, given.rotation, atol=1e-14)


def test_a_step_of_drift_is_followed_exponentially() -> None:
    """A first-order low-pass filter with time constant T has 1 - exp(-t / T) of a step after t, however often it is
    told; measured where the camera is, since a turn about the origin moves it."""
    for period in (0.02, 0.1):
        worlds, place = WorldAlignment(smoothing=0.5), on_circle(0.0)
        worlds.take(0.0, place, place)
        shift = Transform(np.eye(3), np.array([0.05, -0.02, 0.01]))
        for k in range(1, round(0.6 / period) + 1):
            worlds.take(k * period, shift @ place, place)
        assert worlds.value is not None
        share = 1.0 - math.exp(-0.6 / 0.5)
        np.testing.assert_allclose(worlds.value.translation, share * shift.translation, atol=1e-12)


def test_a_steady_drift_is_followed_with_the_lag_of_the_filter() -> None:
    """The worlds turn against each other by w about a camera 11 m from the origin, and move by v there: the filter lags
    by v T and w T, not by the lever. Exactly: with samples every d by v d e / (1 - e), e = exp(-d / T)."""
    smoothing, period, rate, speed = 0.5, 0.1, 0.005, 0.004
    worlds, vision = WorldAlignment(smoothing=smoothing), camera(10.0, 4.0, 0.3)
    decay = math.exp(-period / smoothing)
    lag = period * decay / (1.0 - decay)
    for k in range(300):
        time = k * period
        place = vision.translation + np.array([speed * time, 0.0, 0.0])
        worlds.take(time, Transform(rotation_z(rate * time) @ vision.rotation, place), vision)
    assert worlds.value is not None
    assert yaw(worlds.value) == pytest.approx(rate * (time - lag), abs=1e-9)
    found = worlds.value.apply(vision.translation)
    np.testing.assert_allclose(place - found, [speed * lag, 0.0, 0.0], atol=1e-9)


def test_what_comes_late_or_twice_is_left_out_and_jumps_are_taken() -> None:
    worlds, place = WorldAlignment(), on_circle(0.0)
    worlds.take(1.0, place, place)
    moved = Transform(np.eye(3), np.array([0.1, 0.0, 0.0]))
    worlds.take(1.0, moved @ place, place)
    worlds.take(0.5, moved @ place, place)
    assert worlds.value is not None
    np.testing.assert_allclose(worlds.value.translation, 0.0, atol=1e-15)
    jump = Transform(rotation_z(0.5), np.array([2.0, 0.0, 0.0]))
    worlds.take(1.01, jump @ place, place)
    np.testing.assert_allclose(worlds.value.translation, jump.translation, atol=1e-14)


# The tracking camera


def test_a_camera_without_errors_is_where_it_is() -> None:
    tracking = TrackingCamera(TrackingQuality(drift=0.0, noise_m=0.0, noise_rad=0.0))
    begin = Transform(rotation_z(1.0), np.array([5.0, 6.0, 0.0]))
    tracking.begin(0.0, on_circle(0.0), begin @ on_circle(0.0))
    for time in (0.3, 1.0, 20.0):
        found = tracking.track(time, on_circle(time))
        assert found is not None
        wanted = begin @ on_circle(time)
        np.testing.assert_allclose(found.translation, wanted.translation, atol=1e-12)
        np.testing.assert_allclose(found.rotation, wanted.rotation, atol=1e-12)


@pytest.mark.parametrize("pieces", [25, 60])
def test_drift_grows_as_it_is_said_to(pieces: int) -> None:
    """After L = 10 m straight ahead the error has three parts of variance (d L)^2 / 3: along x by scale, in x, y and z
    by the random walk (each w^2 L), in y by heading, (h L)^2 L / 3. The mean of n squares is within 4 sqrt(2 / n) of
    its expectation, however often the camera is asked; heading in n pieces has (1 + 3 / (2 n)) of its part."""
    drift, length, count = 0.01, 10.0, 200
    ends = []
    for seed in range(count):
        tracking = TrackingCamera(TrackingQuality(drift=drift, noise_m=0.0, noise_rad=0.0), seed=seed)
        for k in range(pieces + 1):
            found = tracking.track(0.1 * k, camera(length * k / pieces, 0.0, 0.0))
        assert found is not None
        ends.append(found.translation - [length, 0.0, 1.6])
    variances = np.mean(np.square(ends), axis=0) / ((drift * length) ** 2 / 3.0)
    np.testing.assert_allclose(variances, [2.0, 2.0, 1.0], rtol=4.0 * math.sqrt(2.0 / count) + 0.04)


def test_while_it_sees_nothing_it_says_nothing_and_drifts_more() -> None:
    away = []
    for losses in ((), ((1.0, 0.3),)):
        tracking = TrackingCamera(TrackingQuality(noise_m=0.0, noise_rad=0.0, losses=losses), seed=3)
        seen = [tracking.track(0.1 * k, on_circle(0.1 * k)) for k in range(20)]
        assert [k for k, each in enumerate(seen) if each is None] == ([10, 11, 12] if losses else [])
        assert seen[-1] is not None
        away.append(float(np.linalg.norm(seen[-1].translation - on_circle(1.9).translation)))
    assert away[1] != away[0]
    assert away[1] < 0.1


@pytest.mark.parametrize("losses", [((-1.0, 1.0),), ((0.0, math.nan),), ((0.0, math.inf),)])
def test_losses_without_meaning_are_refused(losses: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(InvalidInput, match="losses of the tracking camera"):
        TrackingQuality(losses=losses)


# In the loop


def slipping(code: WalkingCode, localisation: str | None, seed: int = 6) -> WalkSession:
    request = WalkRequest(
        "flat",
        goal=(4.0, 1.0, 0.5),
        noise=True,
        seed=seed,
        sight="exact",
        localisation=localisation,  # type: ignore[arg-type]
        signals=(Surface(friction=0.2),),
    )
    session = WalkSession(request, code=code)
    session.run_to_rest(60.0)
    assert not session.fallen
    return session


def off_goal(session: WalkSession) -> tuple[float, float]:
    """m and rad, in the true world."""
    short = distance(standing(session.code.body, session.walker.arrays[0].q), Goal(4.0, 1.0, 0.5))
    return short.away, abs(short.turned)


def localisation_error(session: WalkSession) -> float:
    """m: where it takes its camera to be in the map, against where that is in the true world."""
    walker = session.walker
    found = session.localiser.alignment(walker).inverse() @ planning_camera(walker)
    return float(np.linalg.norm((found.translation - true_camera(walker).translation)[:2]))


def test_a_tracking_camera_corrects_what_feet_slip(code: WalkingCode) -> None:
    lost, seen = slipping(code, "none"), slipping(code, "camera")
    assert localisation_error(lost) > 0.03  # it slips, and does not know
    assert localisation_error(seen) < 0.03  # 0.2 % of 4 m, the filter's lag, and sway
    away, turned = off_goal(seen)
    assert away < 0.1
    assert turned < math.radians(2.0)
    again = WalkSession(seen.request, code=code)
    again.run_until(seen.time)
    assert np.array_equal(again.walker.log.q, seen.walker.log.q)


def test_who_stands_is_where_it_believes_to_be(code: WalkingCode) -> None:
    """Turned about its feet by what the inertial unit measures, the camera is within a millimetre of the truth, where
    the model alone is several off."""
    session = WalkSession(scene="flat", code=code)
    session.run(1.5)
    true, found = true_camera(session.walker), planning_camera(session.walker)
    assert np.linalg.norm(true.translation - found.translation) < 1.5e-3


def test_how_it_knows_where_it_is() -> None:
    assert WalkRequest("flat").located == "exact"
    assert WalkRequest("flat", sight="camera").located == "camera"
    assert WalkRequest("flat", sight="camera", localisation="none").located == "none"
    with pytest.raises(InvalidInput, match="localisation"):
        WalkRequest("flat", localisation="gps")  # type: ignore[arg-type]
    assert WorldAlignment().value is None
    assert identity_transform().translation.tolist() == [0.0, 0.0, 0.0]

"""What a sweep tells of a drive: its response over frequencies, and the share of velocities that is fed forward best.

A drive that follows set points r with a measured angle y has the response `H(f) = S_ry / S_rr`, spectra averaged over
neighbouring frequencies (Ljung, System Identification, section 6.4). Its tracking error is affine in the share s of the
velocity that its servo is told, as long as nothing saturates: `e(s) = e(s0) + (s - s0) d`, so two sweeps with
different shares give d, and least squares the best share (the source's panel: *optimise feed-forward*):

    s* = s0 - <e(s0), d> / <d, d>
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.errors import InvalidInput
from footfall.walking import signals as kinds
from footfall.walking.joints_by_hand import FADE
from footfall.walking.session import WalkSession

_WIDTH, _FEWEST = 1.12, 3  # of a band: its ends' ratio, and how many frequencies are in it at least
_TRIED = 0.1  # by which the second share differs from the first
_LEAST_SHARE, _MOST_SHARE = 0.0, 2.0  # shares


class Heard(NamedTuple):
    """time (n,): s since the sweep began. wanted, measured (n,): rad."""

    time: Array
    wanted: Array
    measured: Array

    @property
    def error(self) -> Array:
        """By which the joint lags behind, rad."""
        return self.wanted - self.measured

    @property
    def deviation(self) -> float:
        """Root of the mean square of the error's variation, rad."""
        return float(np.std(self.error))


class Response(NamedTuple):
    """frequencies (n,): Hz. gain (n,), phase (n,): rad. coherence (n,): 1 where the answer is linear and undisturbed.
    delay: s, the slope of the phase. bandwidth: Hz, at which the gain falls below 1 / sqrt(2), None within the
    sweep."""

    frequencies: Array
    gain: Array
    phase: Array
    coherence: Array
    delay: float
    bandwidth: float | None


class Tuned(NamedTuple):
    """share: of its velocity that a servo is told. before, predicted, after: deviations, rad."""

    share: float
    before: float
    predicted: float
    after: float


def heard_sweep(session: WalkSession) -> Heard:
    """What was heard of the sweep that ran last."""
    hand, period = session.walker.hardware.hand, session.walker.gains.period
    count = int(hand.known[0])
    if count == 0 or session.time < float(hand.sweep[0]["end"]):
        raise InvalidInput(
            "no sweep has come to its end; send `sweep`, in full mode, and let its seconds pass"
        )
    rows = np.array(hand.heard[:count])
    return Heard(period * np.arange(count, dtype=np.float64), rows[:, 0], rows[:, 1])


def sweep_response(heard: Heard, first: float, last: float) -> Response:
    """Of measured angles to set points between two frequencies, Hz."""
    period = float(heard.time[1] - heard.time[0])
    # Sweeps begin and end at rest: a window would only weigh what was wanted and what came later differently.
    wanted, measured = (np.fft.rfft(each - each.mean()) for each in (heard.wanted, heard.measured))
    frequencies = np.fft.rfftfreq(len(heard.time), period)
    least, most = sorted((first, last))
    inside = np.flatnonzero((frequencies >= least) & (frequencies <= most))
    rows = []
    while len(inside) >= _FEWEST:
        count = max(_FEWEST, int(np.searchsorted(frequencies[inside], _WIDTH * frequencies[inside[0]])))
        band, inside = inside[:count], inside[count:]
        both = complex(np.sum(measured[band] * wanted[band].conj()))
        power, answer = (float(np.sum(np.abs(each[band]) ** 2)) for each in (wanted, measured))
        response, middle = both / power, float(np.sqrt(frequencies[band[0]] * frequencies[band[-1]]))
        sure = abs(both) ** 2 / max(power * answer, 1e-300)
        rows.append((middle, abs(response), math.atan2(response.imag, response.real), sure))
    if not rows:
        raise InvalidInput(
            f"a sweep of {heard.time[-1]:.1f} s tells nothing between {least:g} and {most:g} Hz: let it be longer or "
            "its frequencies be farther apart"
        )
    found = np.array(rows).T
    phase = np.unwrap(found[2])
    weight = found[0] ** 2
    delay = -float(np.sum(weight * phase / found[0]) / np.sum(weight)) / (2.0 * math.pi)
    weak = np.flatnonzero(found[1] < math.sqrt(0.5))
    return Response(
        found[0], found[1], phase, found[3], delay, float(found[0][weak[0]]) if len(weak) else None
    )


def best_share(first: Heard, second: Heard, shares: tuple[float, float]) -> tuple[float, float]:
    """The share that leaves the least error, by sweeps with two others, and the deviation that is left, rad."""
    rows = min(len(first.error), len(second.error))
    error, other = (each.error[:rows] - each.error[:rows].mean() for each in (first, second))
    slope = (other - error) / (shares[1] - shares[0])
    share = shares[0] - float(error @ slope) / max(float(slope @ slope), 1e-300)
    share = min(max(share, _LEAST_SHARE), _MOST_SHARE)
    return share, float(np.std(error + (share - shares[0]) * slope))


class FeedForwardSearch:
    """Finds the share of its velocity that the servo of a joint is best told, by three sweeps: as it is, with another
    share, and with the best. sweep: what is swept. `advance` begins the next one when one is over; between its calls
    the session runs."""

    def __init__(self, session: WalkSession, sweep: kinds.SweepJoint) -> None:
        self.sweep = sweep
        self.tuned: Tuned | None = None  # when all is done
        self._session = session
        self._steps = self._course()
        self._until = session.time

    def advance(self) -> bool:
        """Go on, if a sweep is over; whether all is done."""
        if self._session.time >= self._until:
            next(self._steps, None)
        return self.tuned is not None

    def _course(self) -> Iterator[None]:
        session, joint = self._session, self.sweep.name
        place = session.code.body.joint_names.index(joint)
        begun = float(session.walker.hardware.settings.ahead[place])
        other = begun + _TRIED if begun + _TRIED <= _MOST_SHARE else begun - _TRIED
        self._begin(begun)
        yield
        first = heard_sweep(session)
        self._begin(other)
        yield
        share, predicted = best_share(first, heard_sweep(session), (begun, other))
        share = round(share, 4)
        self._begin(share)
        yield
        self.tuned = Tuned(share, first.deviation, predicted, heard_sweep(session).deviation)

    def _begin(self, share: float) -> None:
        session = self._session
        session.send(kinds.FeedVelocity(time=session.time, name=self.sweep.name, share=share))
        session.send(
            kinds.SweepJoint(**{name: getattr(self.sweep, name) for name in _FIELDS}, time=session.time)
        )
        self._until = session.time + self.sweep.seconds + FADE  # and at rest again


_FIELDS = ("name", "amplitude", "first", "last", "seconds")

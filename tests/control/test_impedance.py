"""Cartesian impedance and admittance: springs in N/m, stable on light wrists, and the force that is felt."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import footfall
from footfall.control import AdmittanceControl, CartesianImpedance, gains_from, pose_error
from footfall.errors import ControlWarning, InvalidInput

ARM = footfall.load("arm-7r")
READY = ARM.configuration("ready")
TIP = footfall.frame_pose(ARM, READY, "tip")


def pushed(control: CartesianImpedance, wrench: np.ndarray, *, dt: float, steps: int) -> tuple:
    """The state after some steps under a constant wrench at the tip, by semi-implicit Euler."""
    q, v = READY.copy(), np.zeros(7)
    for k in range(steps):
        tau = control.torque(k * dt, q, v)
        v = v + dt * footfall.forward_dynamics(ARM, q, v, tau, wrenches={"tip": wrench})
        q = footfall.integrate(ARM, q, dt * v)
    return q, v


def test_gives_way_by_force_over_stiffness() -> None:
    """At rest the spring carries the push: K error = -wrench, each axis by its own stiffness."""
    stiffness = np.array([400.0, 800.0, 1600.0, 40.0, 40.0, 80.0])
    control = CartesianImpedance(ARM, "tip", TIP, stiffness, posture=READY)
    wrench = np.array([4.0, -8.0, 8.0, 0.0, 0.4, 0.0])
    q, v = pushed(control, wrench, dt=2e-3, steps=2500)
    assert np.abs(v).max() < 1e-3
    missing = pose_error(footfall.frame_pose(ARM, q, "tip"), TIP)
    assert stiffness * missing == pytest.approx(-wrench, abs=0.05)
    assert control.wrench(0.0, q, v) == pytest.approx(-wrench, abs=0.05)


@pytest.mark.parametrize("dt", [1e-3, 1e-2])
def test_light_wrists_are_stable_at_any_damping(dt: float) -> None:
    """Explicit damping of 50 N m s/rad rings on a wrist of 5e-3 kg m2 from steps of 2e-4 s on; this does not."""
    push = np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    soft = CartesianImpedance(ARM, "tip", TIP, [200.0] * 3 + [10.0] * 3, 50.0, READY, period=dt)
    q, v = pushed(soft, push, dt=dt, steps=round(4.0 / dt))
    assert np.abs(v).max() < 0.02
    missing = pose_error(footfall.frame_pose(ARM, q, "tip"), TIP)
    assert missing[0] == pytest.approx(-0.01, abs=2e-3)
    explicit = CartesianImpedance(ARM, "tip", TIP, [200.0] * 3 + [10.0] * 3, 50.0, READY, period=0.0)
    _, v = pushed(explicit, push, dt=dt, steps=4)
    assert np.abs(v).max() > 1.0


@pytest.mark.filterwarnings("ignore::footfall.errors.ControlWarning")
@pytest.mark.parametrize("stiffness", [1e3, 1e4, 1e5])
@pytest.mark.parametrize("period", [1e-3, 1e-2])
def test_springs_with_little_damping_are_stable_between_calls(stiffness: float, period: float) -> None:
    """The arm moves on while a torque is held, which takes damping of half a period times the stiffness away: with
    dampers of 5 N s/m alone the last states would be as fast as the first, or faster by far."""
    stiff = [stiffness] * 3 + [stiffness / 20] * 3
    control = CartesianImpedance(ARM, "tip", TIP, stiff, [5.0] * 3 + [0.2] * 3, READY, period=period)
    q, v = READY.copy(), np.random.default_rng(1000).normal(scale=0.3, size=7)
    for k in range(round(2.0 / period)):
        tau = control.torque(k * period, q, v)
        for _ in range(4):
            v = v + period / 4 * footfall.forward_dynamics(ARM, q, v, tau)
            q = footfall.integrate(ARM, q, period / 4 * v)
    assert np.abs(v).max() < 0.25
    assert np.abs(pose_error(footfall.frame_pose(ARM, q, "tip"), TIP)).max() < 0.02


def test_joints_that_hardly_move_the_frame_do_not_coast() -> None:
    """Two parallel axes of a wrist turn against each other without moving the tip, which no spring there feels."""
    arm = footfall.load("arm-6r")
    q = np.array([0.3, 0.9, 0.8, 0.1, 5e-4, 0.2])
    values = np.linalg.svd(footfall.frame_jacobian(arm, q, "tip"), compute_uv=False)
    assert values[-1] < 0.02 * values[0]
    control = CartesianImpedance(arm, "tip", footfall.frame_pose(arm, q, "tip"), [500.0] * 3 + [20.0] * 3)
    v = 0.5 * np.linalg.svd(footfall.frame_jacobian(arm, q, "tip"))[2][-1]
    for k in range(1500):
        v = v + 1e-3 * footfall.forward_dynamics(arm, q, v, control.torque(1e-3 * k, q, v))
        q = footfall.integrate(arm, q, 1e-3 * v)
    assert np.abs(v).max() < 0.05


def test_springs_too_stiff_for_the_period_are_softened() -> None:
    stiff = CartesianImpedance(ARM, "tip", TIP, 5e4, 1.0, READY, period=1e-2)
    with pytest.warns(ControlWarning, match="times too stiff for a period of 0.01 s"):
        _, v = pushed(stiff, np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.0]), dt=1e-2, steps=300)
    assert np.abs(v).max() < 0.2


def test_admittance_yields_like_its_virtual_mass() -> None:
    """The virtual mass comes to felt over stiffness, whatever the arm weighs, and the arm is where it is."""
    control = AdmittanceControl(ARM, "tip", TIP, mass=2.0, stiffness=[200.0] * 3 + [20.0] * 3, posture=READY)
    felt = np.array([0.0, 6.0, -4.0, 0.0, 0.0, 0.0])
    q, v, dt = READY.copy(), np.zeros(7), 2e-3
    for k in range(2000):
        tau = control.torque(k * dt, q, v, felt)
        v = v + dt * footfall.forward_dynamics(ARM, q, v, tau, wrenches={"tip": felt})
        q = footfall.integrate(ARM, q, dt * v)
    assert control.offset == pytest.approx(felt / ([200.0] * 3 + [20.0] * 3), abs=1e-4)
    moved = -pose_error(footfall.frame_pose(ARM, q, "tip"), TIP)
    assert moved == pytest.approx(control.offset, abs=1e-3)
    control.torque(0.0, READY, np.zeros(7), np.zeros(6))
    assert not control.offset.any()  # an earlier time begins a new run


def test_hashed_pickled_and_refused() -> None:
    control = CartesianImpedance(ARM, "tip", TIP, np.full(6, 100.0), 5.0)
    assert pickle.loads(pickle.dumps(control)).stiffness == (100.0,) * 6
    with pytest.raises(
        InvalidInput, match="stiffness of Cartesian impedance: there are 7; give one for all, or"
    ):
        CartesianImpedance(ARM, "tip", TIP, np.ones(7))
    with pytest.raises(InvalidInput, match="damping of Cartesian impedance is -1"):
        CartesianImpedance(ARM, "tip", TIP, 1.0, -1.0)
    with pytest.raises(InvalidInput, match="mass of admittance control is 0"):
        AdmittanceControl(ARM, "tip", TIP, 0.0, 1.0)
    with pytest.raises(InvalidInput, match="period is nan"):
        CartesianImpedance(ARM, "tip", TIP, 1.0, period=np.nan)
    with pytest.raises(InvalidInput, match="period is 'long'"):
        CartesianImpedance(ARM, "tip", TIP, 1.0, period="long")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="stiffness of Cartesian impedance is nan"):
        CartesianImpedance(ARM, "tip", TIP, None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="admittance control: there are 3"):
        AdmittanceControl(ARM, "tip", TIP, 1.0, np.ones(3))
    with pytest.raises(InvalidInput, match="there are 5 gains; give one for all, or 6"):
        AdmittanceControl(ARM, "tip", TIP, 1.0, 1.0, gains=gains_from(np.ones(5)))


def test_weak_drives_move_with_less_and_say_so() -> None:
    """What carries the arm stays; of the rest as much as fits, one part for all joints."""
    from dataclasses import replace

    weak = replace(ARM, joints=tuple(replace(joint, effort=(40.0,)) for joint in ARM.joints))
    far = footfall.Transform(TIP.rotation, TIP.translation + np.array([0.0, 0.3, 0.0]))
    control = CartesianImpedance(weak, "tip", far, 5e3)
    with pytest.warns(ControlWarning, match="would need"):
        tau = control.torque(0.0, READY, np.zeros(7))
    strong = replace(ARM, joints=tuple(replace(joint, effort=(1e9,)) for joint in ARM.joints))
    wanted = CartesianImpedance(strong, "tip", far, 5e3).torque(0.0, READY, np.zeros(7))
    gravity = footfall.gravity_forces(ARM, READY)
    moving, asked = tau - gravity, wanted - gravity
    assert np.abs(tau).max() == pytest.approx(40.0)
    assert moving == pytest.approx(asked * (moving @ asked) / (asked @ asked), abs=1e-9)

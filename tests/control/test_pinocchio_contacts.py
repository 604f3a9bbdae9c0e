"""Contact forces, motion and impacts with contacts that hold, against Pinocchio, RSL 2022, (3.59)-(3.70)."""

from __future__ import annotations

import numpy as np
import pytest

pin = pytest.importorskip("pinocchio")

import footfall  # noqa: E402
from footfall.arrays import Array  # noqa: E402
from footfall.control.constrained_dynamics import solve_constrained_dynamics, solve_impact  # noqa: E402
from footfall.control.contact_constraints import SURFACE, Contact  # noqa: E402
from tests.peers.pinocchio import ALIGNED, PinocchioPeer  # noqa: E402
from tests.peers.robots import REAL_ROBOTS, load_real  # noqa: E402

CASES = {
    "anymal": tuple(Contact(foot) for foot in ("LF_FOOT", "RF_FOOT", "LH_FOOT")),
    "panda": (Contact("panda_hand", rows=(0, 1, 2)),),
    "talos": (
        Contact("leg_left_6_link", rows=SURFACE),
        Contact("leg_right_6_link", rows=SURFACE),
        Contact("arm_left_7_link"),
    ),
}


class Case:
    """A robot in a random state with contacts, here and in Pinocchio."""

    def __init__(self, name: str, seed: int) -> None:
        real = next(each for each in REAL_ROBOTS if each.name == name)
        self.robot, self.peer, self.contacts = load_real(real), PinocchioPeer.from_real(real), CASES[name]
        random = np.random.default_rng(seed)
        self.q = footfall.random_configuration(self.robot, seed=seed)
        self.v = random.normal(size=self.robot.nv)
        self.tau = 10.0 * random.normal(size=self.robot.nv)

    def jacobian(self) -> Array:
        """In Pinocchio's order of velocities."""
        blocks = []
        for contact in self.contacts:
            full = pin.computeFrameJacobian(
                self.peer.model,
                self.peer.data,
                self.peer.q(self.q),
                self.peer.frame_id(contact.frame),
                ALIGNED,
            )
            blocks.append(full[list(contact.rows)])
        return np.concatenate(blocks)

    def bias(self) -> Array:
        zero = np.zeros(self.robot.nv)
        parts = [
            self.peer.frame_acceleration(self.q, self.v, zero, contact.frame)[list(contact.rows)]
            for contact in self.contacts
        ]
        return np.concatenate(parts)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["anymal", "panda", "talos"])
def test_contact_forces_and_motion(name: str, seed: int) -> None:
    case = Case(name, seed)
    peer = case.peer
    expected = pin.forwardDynamics(
        peer.model,
        peer.data,
        peer.q(case.q),
        peer.v(case.v),
        peer.v(case.tau),
        case.jacobian(),
        case.bias(),
        0.0,
    )
    forces = np.array(peer.data.lambda_c)
    found = solve_constrained_dynamics(case.robot, case.q, case.v, case.tau, contacts=case.contacts)
    scale = np.abs(expected).max()
    assert np.abs(found.acceleration - peer.vector(expected)).max() < 1e-8 * scale
    assert np.abs(found.forces - forces).max() < 1e-8 * max(1.0, np.abs(forces).max())


@pytest.mark.parametrize("restitution", [0.0, 0.4])
@pytest.mark.parametrize("name", ["anymal", "panda", "talos"])
def test_impacts(name: str, restitution: float) -> None:
    case = Case(name, 5)
    peer = case.peer
    expected = pin.impulseDynamics(
        peer.model, peer.data, peer.q(case.q), peer.v(case.v), case.jacobian(), restitution, 0.0
    )
    impulses = np.array(peer.data.impulse_c)
    found = solve_impact(case.robot, case.q, case.v, contacts=case.contacts, restitution=restitution)
    scale = np.abs(expected).max()
    assert np.abs(found.velocity - peer.vector(expected)).max() < 1e-9 * scale
    assert np.abs(found.impulses - impulses).max() < 1e-9 * max(1.0, np.abs(impulses).max())
    assert found.energy_change <= 0.0


def test_another_contact_would_be_seen() -> None:
    """A contact more changes the motion by far more than the tolerance."""
    case = Case("anymal", 0)
    more = (*case.contacts, Contact("RH_FOOT"))
    one, other = (
        solve_constrained_dynamics(case.robot, case.q, case.v, case.tau, contacts=contacts)
        for contacts in (case.contacts, more)
    )
    assert np.abs(one.acceleration - other.acceleration).max() > 1e-2

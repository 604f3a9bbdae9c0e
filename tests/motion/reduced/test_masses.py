"""Models of several masses and the centroidal model: against pendulums, each other, and the wrench of the masses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from footfall.motion.five_mass import centre_of_mass_motion, contact_wrenches, masses_of, zero_moment_point
from footfall.motion.reduced.centroidal import center_course, least_leg_room, one_mass, plan_centroidal
from footfall.motion.reduced.generators import plan_center
from footfall.motion.reduced.masses import plan_five_masses, plan_masses, plan_three_masses, three_masses
from footfall.motion.reduced.problem import BalanceProblem, CentreMotion
from tests.motion.lola import MODEL
from tests.motion.reduced.problems import hand_problem, straight_problem
from tests.motion.reduced.test_pendulums import assert_rests


def light_feet(problem: BalanceProblem, share: float) -> BalanceProblem:
    """The problem of a robot whose feet have a share of the mass each; the height of the centre of mass is constant."""
    model = replace(problem.model, foot_share=share, hand_share=0.0, torso_inertia=np.zeros((3, 3)))
    samples = problem.samples(problem.grid)["value"]
    feet = samples["right_foot"][:, 2] + samples["left_foot"][:, 2]
    height = (MODEL.com_height - share * feet) / (1.0 - 2.0 * share)
    still = replace(problem.height, times=problem.grid, coefficients=_steady(height))
    return replace(problem, model=model, height=still)


def _steady(values: np.ndarray) -> np.ndarray:
    """Straight lines between values, as quintics."""
    pieces = np.zeros((len(values) - 1, 6, 1))
    pieces[:, 4, 0], pieces[:, 5, 0] = np.diff(values), values[:-1]
    return pieces


def distance(one: CentreMotion, other: CentreMotion, problem: BalanceProblem) -> float:
    """m, the largest of both centres of mass."""
    at = np.linspace(problem.begin, problem.end, 300)
    return float(np.abs(one.center(at) - other.center(at)).max())


def test_three_masses_become_the_pendulum_as_feet_lose_their_mass() -> None:
    """With feet of no mass and a constant height the equation of the torso is that of the linear inverted pendulum: all
    that is left is how ends are met, which ends with the first and last phases."""
    problem = straight_problem(8)
    lipm = plan_center(problem, "lipm")
    at = np.linspace(problem.times[4], problem.times[-5], 300)
    away = []
    for share in (0.1, 0.05, 0.01, 0.0):
        light = light_feet(problem, share)
        found = plan_masses(light, light.model, "cubic")
        away.append(float(np.abs(found.center(at) - lipm.center(at)).max()))
    assert away[0] > away[1] > away[2] > away[3]
    assert away[3] < 5e-4  # what cubics of 50 ms miss, w^4 h^4 / 384 of 0.1 m, and kinks of what is wanted
    assert away[0] > 4e-3
    weightless = plan_three_masses(light_feet(problem, 0.0))
    assert np.abs(weightless.momentum(at)).max() < 1e-9  # a mass point has none


def test_three_masses_have_no_hands_and_no_inertia() -> None:
    model = three_masses(MODEL)
    assert (model.hand_share, model.foot_share, np.abs(model.torso_inertia).max()) == (
        0.0,
        MODEL.foot_share,
        0.0,
    )
    assert one_mass(MODEL).foot_share == 0.0


@pytest.mark.parametrize("problem", [straight_problem, hand_problem])
def test_the_zero_moment_point_is_that_of_all_contacts(problem: object) -> None:
    """f = m (c'' + g) - hands, n = L' + c x f about the origin - hands: what a model gives, put together again, has its
    zero-moment point, whatever the masses are (Newton and Euler)."""
    asked = problem()  # type: ignore[operator]
    for plan, model in ((plan_three_masses, three_masses(MODEL)), (plan_five_masses, MODEL)):
        motion = plan(asked)
        assert_rests(asked, motion) if model is not MODEL or not asked.uses_hands else None
        at = motion.center.times[10:-10]
        center = center_course(asked, motion, at)
        if model is MODEL and asked.uses_hands:
            at = at[asked.samples(at)["rate"]["left_selection"] == 0.0]
            center = center_course(asked, motion, at)
        force = MODEL.mass * (center[2] + [0.0, 0.0, MODEL.gravity])
        torque = motion.momentum(at) + np.cross(center[0], force)
        now = asked.samples(at)["value"]
        for side in ("right", "left"):
            used = now[f"{side}_selection"][:, None]
            force = force - used * now[f"{side}_force"]
            torque = torque - used * (
                now[f"{side}_torque"] + np.cross(now[f"{side}_hand"], now[f"{side}_force"])
            )
        ground = now["zmp"][:, 2]
        expected = np.stack(
            [(ground * force[:, 0] - torque[:, 1]), (torque[:, 0] + ground * force[:, 1])], axis=1
        )
        assert_allclose(motion.zmp(at), expected / force[:, 2:], atol=1e-6)


def test_five_masses_here_are_those_of_the_pipeline() -> None:
    """The zero-moment point of the motion, by the wrench of five masses whose torso is where it must be."""
    problem = straight_problem()
    motion = plan_five_masses(problem)
    at = np.linspace(problem.times[3], problem.times[-4], 200)
    samples, center = problem.samples(at), center_course(problem, motion, at)
    feet = MODEL.foot_share * np.stack(
        [samples[name]["right_foot"] + samples[name]["left_foot"] for name in ("value", "rate", "second")]
    )
    torso = (center - feet) / (1.0 - 2.0 * MODEL.foot_share)
    wrench = contact_wrenches(samples, np.ascontiguousarray(torso), masses_of(MODEL))
    zmp = zero_moment_point(wrench, np.ascontiguousarray(samples["value"]["zmp"][:, 2]))
    assert_allclose(
        centre_of_mass_motion(samples, np.ascontiguousarray(torso), masses_of(MODEL)), center, atol=1e-9
    )
    wanted = problem.wanted(at)
    assert np.sqrt(np.square(zmp - wanted)[:, :2].mean()) < 2e-3
    assert np.sqrt(np.square(plan_center(problem, "lipm").zmp(at) - zmp[:, :2]).mean()) < 4e-3


def test_the_centroidal_model_with_the_momentum_of_five_masses_is_the_five_mass_model() -> None:
    """The same equations in other unknowns: the centre of mass instead of the torso, and an angular momentum that is
    found by rounds. Without it, it is the pendulum."""
    problem = straight_problem(8)
    five, centroidal = plan_five_masses(problem), plan_centroidal(problem)
    alone = plan_masses(problem, one_mass(MODEL), None)
    at = np.linspace(problem.times[4], problem.times[-5], 300)

    def away(one: CentreMotion) -> float:
        return float(np.abs(one.center(at) - five.center(at)).max())

    assert away(centroidal) < 1e-3
    assert away(alone) > 5.0 * away(centroidal)
    # Torques are rates of a spline through momenta every 50 ms: peaks of feet that start and land are rounded off.
    missed, whole = centroidal.momentum(at) - five.momentum(at), five.momentum(at)
    assert np.sqrt(np.square(missed).mean()) < 0.15 * np.sqrt(np.square(whole).mean())


def test_legs_have_room_in_short_steps_and_none_in_long_ones() -> None:
    short, long = straight_problem(), straight_problem(6, 0.95)
    assert least_leg_room(short, plan_centroidal(short)) > 0.0
    assert not least_leg_room(long, plan_centroidal(long)) > 0.0

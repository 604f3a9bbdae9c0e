"""The search as a whole: estimates, progress, deadlines, long ways, any biped."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from footfall.environment import PerceptionOptions, perceive
from footfall.planning import Goal, Progress, parameters_for, plan_contacts
from footfall.planning.heap import Heap, pop, push
from footfall.scene import make_scene
from tests.planning.scenes import model, planned, seen

EXACT = PerceptionOptions(voxel=0.0, noise=0.0)


def test_the_heap_gives_what_a_sorted_list_gives() -> None:
    rng = np.random.default_rng(0)
    heap = Heap(np.empty(2000), np.empty(2000, np.int64), np.zeros(1, np.int64))
    kept: list[tuple[float, int]] = []
    for n in range(1500):
        if kept and rng.random() < 0.4:
            kept.sort()
            assert (pop(heap).key, heap.size[0]) == (kept.pop(0)[0], len(kept))
        else:
            key = float(rng.integers(0, 1000))
            push(heap, key, n)
            kept.append((key, n))


def test_on_an_empty_floor_the_cost_is_that_of_the_closed_form() -> None:
    """Straight ahead n steps cost n (step + hands) + path d + deviations from the best length; the first and last one
    are at most 30 cm long. The grid adds half a centimetre of width to each step, and rounds lengths to 4 cm."""
    plan = plan_contacts(perceive(make_scene("empty-floor"), EXACT), model(), Goal(3.0, 0.0), guided=False)
    cost = parameters_for(model()).cost
    each = cost.step + 2 * cost.hand
    closed = min(
        n * each
        + cost.path_per_m * 3.0
        + cost.length_per_m * (2 * 0.1 + abs(3.0 - 0.6 - (n - 2) * cost.desired_m))
        for n in range(4, 12)
    )
    assert closed <= plan.cost <= 1.05 * closed


def test_whoever_watches_is_told_and_can_stop_it() -> None:
    told: list[Progress] = []
    plan = plan_contacts(seen("right-wall"), model(), Goal(3.0, 0.0), guided=False, progress=told.append)
    assert plan.found
    assert len(told) > 10
    assert [each.nodes for each in told] == sorted(each.nodes for each in told)
    assert told[-1].cost_to_go < told[0].cost_to_go
    stopped = plan_contacts(
        seen("right-wall"), model(), Goal(3.0, 0.0), guided=False, cancelled=lambda: True, explained=False
    )
    assert not stopped.found
    assert stopped.why_not is not None
    assert stopped.why_not.name == "stopped"
    assert stopped.nodes < plan.nodes


def test_a_plan_gets_better_until_it_is_known_to_be_the_best() -> None:
    first = planned("corridor")
    best = plan_contacts(seen("corridor"), model(), first.goal, improve=True, check_motion=False)
    optimum = plan_contacts(seen("corridor"), model(), first.goal, guided=False, check_motion=False)
    assert best.cost == pytest.approx(optimum.cost, abs=1e-6)
    assert best.effort.bound == pytest.approx(1.0, abs=1e-6)
    late = plan_contacts(
        seen("corridor"), model(), first.goal, improve=True, deadline=0.05, check_motion=False
    )
    assert late.found
    assert late.effort.bound >= 1.0 - 1e-9


def test_a_long_way_leads_over_way_points() -> None:
    scene = make_scene("long-floor", length=12.0)
    plan = plan_contacts(perceive(scene, EXACT), model(), Goal(12.0, 0.0))
    assert plan.found
    assert plan.complete
    assert plan.motion_plan is not None
    assert 12.0 / 0.64 <= len(plan.steps) <= 12.0 / 0.3
    feet = [stance.placement.foot for stance in plan.stances]
    assert all(one != other for one, other in itertools.pairwise(feet))
    costs = [stance.cost for stance in plan.stances]
    assert costs == sorted(costs)
    assert plan.stances[-1].placement.position[0] == pytest.approx(12.0, abs=0.05)


def test_a_biped_without_hands_or_toes_plans_too() -> None:
    full = model()
    plain = replace(full, name="plain", upper_arm=0.0, lower_arm=0.0, toe_sole=full.sole, toe_limits=None)
    plan = plan_contacts(seen("right-wall"), plain, Goal(3.0, 0.0), check_motion=False)
    assert plan.found
    assert not plan.hand_contacts


def test_a_smaller_biped_makes_smaller_steps() -> None:
    full = model()
    leg = replace(full.leg, lower_leg=0.26, upper_leg=0.26, hip_to_torso=0.15)
    small = replace(
        full, name="small", leg=leg, com_height=0.55, foot_distance=0.2, sole=(-0.09, 0.07, -0.05, 0.05)
    )
    small = replace(
        small, toe_sole=small.sole, toe_limits=None, upper_arm=0.2, lower_arm=0.2, shoulder_height=0.25
    )
    small = replace(small, hip_width=0.15, shoulder_width=0.3, hand_offset=(0.1, 0.1, 0.6))
    plan = plan_contacts(
        perceive(make_scene("empty-floor", goal=1.5), EXACT), small, Goal(1.5, 0.0), check_motion=False
    )
    assert plan.found
    assert max(step.forward for step in plan.steps) < 0.42

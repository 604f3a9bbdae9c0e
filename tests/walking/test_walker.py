"""Short walks in closed loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import footfall
from footfall.dynamics.kinematics import frame_pose
from footfall.gait.actions import straight
from footfall.motion.motion import Motion
from footfall.scene.load import load_scene
from footfall.walking.perceived import foot_turn
from footfall.walking.request import Push
from footfall.walking.summary import WalkTally
from footfall.walking.task_space import look_at_model
from footfall.walking.walker import Walker, WalkerOptions, WalkingCode

SOURCE = Path(footfall.__file__).parent / "walking"


def motion_of(code: WalkingCode, distance: float) -> Motion:
    model = code.body.model
    steps = straight(distance)
    return footfall.generate_motion(footfall.walking_plan(model, steps), model)


def test_it_walks_and_the_same_bits_come_again(code: WalkingCode) -> None:
    motion = motion_of(code, 0.8)
    options = WalkerOptions(noise=True, seed=5)
    walkers = [Walker(code, load_scene("flat"), motion, options) for _ in range(2)]
    for walker in walkers:
        assert walker.run_until(motion.end_time + 0.5)
    one, two = (walker.log for walker in walkers)
    assert one.q.tobytes() == two.q.tobytes()
    assert one.signals.tobytes() == two.signals.tobytes()
    weight = code.body.model.mass * 9.81
    planned = int(np.count_nonzero(motion.phases.motion))
    tally = WalkTally(code.body, weight, 1e-3)
    tally.take(one)
    assert tally.steps == planned
    # Feet end where they were planned to: the model does, and the robot has not slid away from it.
    assert np.hypot(*(one.q[-1, :2] - walkers[0].brain.state.q[:2])) < 0.02
    # At rest the feet carry the weight.
    last = one.signals[-1]
    assert abs(last["right_foot"][2] + last["left_foot"][2] - weight) < 0.01 * weight


def test_set_points_have_two_derivatives_at_contact_changes(code: WalkingCode) -> None:
    """Feet that meet the ground early stop, and those that leave it forget how force control has turned them: with a
    jerk of A / T, which changes accelerations of joints of legs by less than 110 rad/s2 in a period. If feet may stop
    with all their acceleration at once, knees jump by three times as much."""
    motion = motion_of(code, 0.8)
    legs = [code.body.joint_names.index(name) for name in ("hfr", "hfl", "kfr", "kfl", "sfr", "sfl")]
    jumps = []
    for share in (1.0, 0.1):
        walker = Walker(code, load_scene("flat"), motion, WalkerOptions())
        walker.tune(walker.gains._replace(stop_time=share * walker.gains.stop_time))
        assert walker.run_until(motion.end_time)
        rates = walker.log.v[:, code.body.driven][:, legs]
        jumps.append(np.abs(np.diff(rates, 2, axis=0)).max() / walker.gains.period)
    assert jumps[0] < 110.0
    assert jumps[1] > 250.0


def test_forces_along_the_ground_do_not_alternate(code: WalkingCode) -> None:
    """Two feet that stick strain against each other through prescribed joints. What alternates from period to period,
    (f[k+1] - 2 f[k] + f[k-1]) / 4, is a small part of the weight; with rigid soles it is 3 % of it on average."""
    motion = motion_of(code, 0.8)
    walker = Walker(code, load_scene("flat"), motion, WalkerOptions())
    assert walker.run_until(motion.end_time)
    weight = code.body.model.mass * 9.81
    for foot in ("right_foot", "left_foot"):
        forces = walker.log.signals[foot][:, :2]
        alternating = np.abs(forces[2:] - 2.0 * forces[1:-1] + forces[:-2]) / 4.0
        assert alternating.mean() < 1e-3 * weight


def test_a_great_push_is_a_fall_with_its_time(code: WalkingCode) -> None:
    motion = motion_of(code, 0.2)
    push = Push("torso", (0.0, 3000.0, 0.0), 0.3, 0.2)
    walker = Walker(code, load_scene("flat"), motion, WalkerOptions(pushes=(push,)))
    assert not walker.run_until(motion.end_time + 2.0)
    assert walker.fallen
    assert walker.time > push.start


def test_errors_of_new_targets_are_those_of_all_kinematics_to_the_bit(code: WalkingCode) -> None:
    robot, kernels, rng = code.body.robot, code.tasks, np.random.default_rng(4)
    for seed in range(5):
        q = footfall.random_configuration(robot, seed=seed)
        parameters = rng.normal(size=kernels.errors.signature.inputs[1][1])
        error = kernels.errors(q, parameters)
        assert np.array_equal(error, kernels.kinematics(q, parameters)[0])
        assert not np.array_equal(error, kernels.kinematics(q, 0.9 * parameters)[0])


def test_feet_are_turned_as_their_joints_are(code: WalkingCode) -> None:
    """Against kinematics of the angles that were measured, seen from the upper body."""
    robot, frames, rng = code.body.robot, code.body.model.frames, np.random.default_rng(2)
    brain = Walker(code, load_scene("flat"), motion_of(code, 0.2)).brain
    room = brain.tasks_room
    model = look_at_model(brain.tasks, brain.state.q, room.inputs, room.outputs)
    off = 0.003 * rng.standard_normal(len(brain.driven.velocities))
    measured = brain.state.q.copy()
    measured[brain.driven.coordinates] += off
    brain.sensors.joints[:] = measured[brain.driven.coordinates]
    for foot, name in enumerate(("RF", "LF")):
        (body, planned), (bent_body, bent) = (
            [frame_pose(robot, q, frames[each]).rotation for each in ("UB", name)]
            for q in (brain.state.q, measured)
        )
        expected = body @ bent_body.T @ bent
        found = foot_turn(brain.sensors, brain.state, brain.driven, model, foot)
        # Of second order in seven angles of 0.003 rad each; without the joints it is off by the first order.
        assert np.abs(found - expected).max() < 7 * 0.003**2
        assert np.abs(planned - expected).max() > 0.0005


def test_without_a_stabiliser_a_push_fells_it(code: WalkingCode) -> None:
    """Feet are not turned by torques, and the zero-moment point is not shifted by errors. On level ground it walks on
    so for a while, since feet land softly; a push of 20 N s from behind is too much."""
    model = code.body.model
    motion = footfall.generate_motion(footfall.walking_plan(model, straight(1.6)), model, body=code.whole)
    for stabilised in (True, False):
        walker = Walker(code, load_scene("flat"), motion, WalkerOptions(noise=True, seed=1, log_every=10))
        walker.push(Push("torso", (200.0, 0.0, 0.0), 2.4, 0.1))
        if not stabilised:
            blind = walker.gains._replace(
                force_rate=0.0, balance_rate=-walker.gains.pendulum_rate, step_share=0.0
            )
            walker.brain = walker.brain._replace(gains=blind)
        assert walker.run_until(motion.end_time + 2.0) is stabilised


def test_walking_knows_no_robot_by_name() -> None:
    names = ("lola", "talos", "g1", "romeo", "icub", "atlas")
    for path in SOURCE.glob("*.py"):
        words = path.read_text(encoding="utf-8").lower().replace("'", " ").replace('"', " ").split()
        found = [name for name in names if name in words]
        # The default of a request is data; notes on where sizes come from may say a name.
        assert not found or path.name in ("request.py", "noise.py"), f"{path.name}: {found}"

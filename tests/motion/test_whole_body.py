"""A whole robot carries out a motion: configurations, angular momentum, and where its zero-moment point is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares

import footfall
from footfall.arrays import Array
from footfall.dynamics.centroidal import centroidal_momentum
from footfall.dynamics.configuration import difference
from footfall.errors import InvalidInput, InvalidTransition, NoSolution
from footfall.gait import actions
from footfall.gait.plan import MotionPlan
from footfall.gait.walking_transitions import WalkingTransition, walking_sequence
from footfall.motion.following import Followed, follow_motion, followed_balance
from footfall.motion.joint_loads import joint_loads
from footfall.motion.motion import Motion
from footfall.motion.pipeline import generate_motion
from footfall.motion.replanning import continuation, replan
from footfall.motion.samples import column_of
from footfall.motion.stream import stream, wrench_about_center_of_mass
from footfall.motion.verification import verify_motion
from footfall.motion.walk_check import StepChoice, speed_walk
from footfall.motion.whole_body import WholeBody
from tests.motion.lola import IDLE, LOLA, MODEL

ROBOT = footfall.load("lola")
BODY = WholeBody(ROBOT, MODEL)


@pytest.fixture(scope="module")
def fast() -> Motion:
    """0.5 m in 0.7 s."""
    return generate_motion(speed_walk(MODEL, 0.5, 0.7, count=3), MODEL, check=False, body=BODY)


@pytest.fixture(scope="module")
def followed(fast: Motion) -> Followed:
    return follow_motion(ROBOT, fast)


def test_postures_meet_the_motion(fast: Motion) -> None:
    times = np.linspace(0.0, fast.end_time, 200)
    samples = fast.sample(times)
    found = BODY.postures(samples)
    assert found.errors.max() < 1e-3
    assert footfall.center_of_mass(ROBOT, found.q) == pytest.approx(samples.center_of_mass[:, 0], abs=1e-3)
    assert found.momentum == pytest.approx(centroidal_momentum(ROBOT, found.q, found.v)[:, 3:], abs=1e-12)
    # Velocities are those of the tasks: a small step along them and the postures a moment later have the same feet.
    later = BODY.postures(fast.sample(times + 1e-5), start=found.q)
    moved = difference(ROBOT, found.q, later.q) / 1e-5
    jacobian = footfall.frame_jacobian(ROBOT, found.q[60], "LF")
    assert jacobian @ moved[60] == pytest.approx(jacobian @ found.v[60], abs=2e-2)


def test_the_momentum_is_that_of_a_robot_that_follows(fast: Motion, followed: Followed) -> None:
    """Configurations that depend on time alone and those of a path differ a little in free joints: 5 % of the
    momentum."""
    whole = centroidal_momentum(ROBOT, followed.q, followed.v)[:, 3:]
    mine = BODY.postures(fast.sample(followed.times)).momentum
    apart = np.sqrt(((mine - whole) ** 2).mean(axis=0))
    assert (apart < 0.05 * np.sqrt((whole**2).mean(axis=0)).max()).all()


def test_zero_moment_point_of_the_whole_robot(fast: Motion, followed: Followed) -> None:
    """It stays in the soles with 5 mm to spare, and 10 mm off at most; without the momentum it is 5 cm off."""
    with_body = followed_balance(ROBOT, fast, followed)
    assert with_body.margins.min() > 0.005
    assert with_body.error < 0.010
    plain = generate_motion(speed_walk(MODEL, 0.5, 0.7, count=3), MODEL, check=False)
    without = followed_balance(ROBOT, plain, follow_motion(ROBOT, plain))
    assert without.error > 0.04
    assert without.margins.min() < -0.03


def test_pinocchio_has_the_same_zero_moment_point(fast: Motion, followed: Followed) -> None:
    """By inverse dynamics of the floating base, with accelerations by differences: of second order in 5 ms."""
    pytest.importorskip("pinocchio")
    from tests.peers.pinocchio import PinocchioPeer

    peer = PinocchioPeer.from_robot(ROBOT)
    ours = followed_balance(ROBOT, fast, followed)
    dt = followed.times[1] - followed.times[0]
    apart = []
    for k in range(2, len(followed.times) - 2, 7):
        acceleration = (followed.v[k + 1] - followed.v[k - 1]) / (2 * dt)
        tau = peer.inverse_dynamics(followed.q[k], followed.v[k], acceleration)
        apart.append(_root_zmp(followed.q[k], tau[:6]) - ours.zmp[k - 1])
    assert np.sqrt(np.mean(np.square(apart))) < 1e-3
    assert np.abs(apart).max() < 5e-3


def _root_zmp(q: Array, force: Array) -> Array:
    """Zero-moment point (2,) on the ground of generalised forces (6,) of a floating base: world axes, body axes."""
    w, x, y, z = q[3:7]
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    torque = turn @ force[3:] + np.cross(q[:3], force[:3])
    return np.array([-torque[1], torque[0]]) / force[2]


def test_the_stream_has_the_torque_of_the_whole_robot(fast: Motion, followed: Followed) -> None:
    times = followed.times[2:-2]
    momentum = centroidal_momentum(ROBOT, followed.q, followed.v)[:, 3:]
    rate = (momentum[3:-1] - momentum[1:-3]) / (followed.times[2] - followed.times[0])
    told = stream(fast.sample(times), MODEL).contact_wrench[:, 3:]
    assert np.sqrt(((told - rate) ** 2).mean(axis=0)).max() < 4.0  # N m; 30 without
    assert told == pytest.approx(wrench_about_center_of_mass(fast.sample(times), MODEL)[:, 3:], abs=1e-9)


def test_replanning_with_a_body_goes_on_without_a_jump() -> None:
    steps = [WalkingTransition(forward=0.4)] * 4
    motion = generate_motion(footfall.walking_plan(MODEL, steps), MODEL, body=BODY)
    assert verify_motion(motion).zmp_margin > 0.01
    at = continuation(motion, 2.5)
    new = walking_sequence([WalkingTransition(forward=0.35, yaw=0.1)] * 3, at.pose, LOLA)
    replanned = replan(motion, at, new.transitions)
    assert replanned.body is BODY
    before, after = replanned.sample(np.nextafter(at.time, 0.0)), replanned.sample(at.time)
    jumps = np.abs(after.values - before.values)[:, : column_of("contact")]
    assert jumps[0].max() < 1e-9
    assert jumps[1:, 3:].max() < 1e-9
    found = verify_motion(replanned)
    assert found.jump < 1e-8
    assert found.zmp_margin > 0.01


def test_a_hand_on_the_wall_keeps_the_torque_of_its_mass() -> None:
    """Legs are the body's, hands those of five masses; from rest to rest there is no excess at the ends."""
    lean = actions.balance(IDLE, LOLA, hand="LH", position=(0.1, 0.6, 1.2), force=(0.0, -30.0, 0.0), hold=2.0)
    motion = generate_motion(MotionPlan((lean,)), MODEL, body=BODY)
    assert verify_motion(motion).zmp_margin > 0.03
    excess = motion.sample(np.linspace(0.0, motion.end_time, 400)).momentum
    assert np.abs(excess[[0, -1]]).max() < 1e-12


def test_a_robot_that_follows_keeps_its_limits_moves_its_head_and_blends_its_hands() -> None:
    motion = generate_motion(footfall.load_plan("platform", MODEL), MODEL)
    found = follow_motion(ROBOT, motion, dt=0.01, gain=50.0)
    beyond = np.maximum(ROBOT.lower_limits - found.q, found.q - ROBOT.upper_limits)[:, 7:]
    assert beyond.max() < 1e-9
    samples = motion.sample(found.times)
    told = stream(samples, MODEL)
    for joint, column in (("vp", 20), ("vt", 21)):
        assert found.q[:, ROBOT.q_slice(joint)][:, 0] == pytest.approx(told.position[:, column], abs=1e-3)
    hand = np.array([footfall.frame_pose(ROBOT, q, "LH").translation for q in found.q[::10]])
    used = samples.selection[::10, 0, 1] == 1.0
    assert used.sum() > 20
    assert hand[used] == pytest.approx(samples.hands[::10, 0, 1][used], abs=2e-3)
    free = samples.selection[::10, 0, 1] == 0.0
    # A comfortable arm has its own place.
    assert np.abs(hand[free] - samples.hands[::10, 0, 1][free]).max() > 0.05
    # Joints move smoothly through the blending: no jump of velocity beyond what 10 ms of acceleration give.
    assert np.abs(np.diff(found.v[1:-1], axis=0)).max() < 1.0


def test_joints_bear_what_inverse_dynamics_says() -> None:
    """At rest both feet bear half the weight: torques are those of gravity less those of the feet's forces, and their
    work balances: the base is driven by nothing. Speeds grow with the pace, and drives end them."""
    motion = generate_motion(MotionPlan((actions.idle(IDLE, duration=1.0),)), MODEL, body=BODY)
    loads = joint_loads(motion, BODY)
    q = BODY.postures(motion.sample([0.5])).q[0]
    gravity = footfall.gravity_forces(ROBOT, q)
    jacobians = [footfall.frame_jacobian(ROBOT, q, foot) for foot in ("RF", "LF")]
    wrenches = [np.linalg.solve(jacobian[:, :6].T, 0.5 * gravity[:6]) for jacobian in jacobians]
    assert sum(wrench[2] for wrench in wrenches) == pytest.approx(ROBOT.mass * 9.81)
    expected = gravity - sum(
        jacobian.T @ wrench for jacobian, wrench in zip(jacobians, wrenches, strict=True)
    )
    told = dict(zip(loads.names, loads.efforts[50], strict=True))
    for joint in ("hfr", "kfr", "sfr", "hfl", "kfl", "har", "afr"):
        assert told[joint] == pytest.approx(expected[ROBOT.v_slice(joint)][0], abs=1e-6)
    assert loads.velocity_share < 1e-9
    shares = [
        joint_loads(
            generate_motion(speed_walk(MODEL, length, time, count=2), MODEL, check=False, body=BODY), BODY
        ).velocity_share
        for length, time in ((0.2, 0.8), (0.54, 0.4))
    ]
    assert shares[0] < 0.3
    assert shares[1] > 1.0
    assert not StepChoice(0.54, 0.4, 0.02, 0.02, shares[1]).driven
    assert StepChoice(0.54, 0.4, 0.02, 0.02, shares[1]).room == -np.inf


def test_arms_reach_within_their_limits_and_around_the_robot() -> None:
    """Against inverse kinematics with bounds from many starts."""
    reach = BODY.arm("LH")
    q, joints = BODY.comfort, ("afl", "aal", "arl", "efl")
    places = [ROBOT.q_slice(joint).start for joint in joints]
    lowest, highest = ROBOT.limits("multi_contact")
    lower = np.maximum(lowest[places] + 0.0873, -np.pi)
    upper = np.minimum(highest[places] - 0.0873, np.pi)
    body = footfall.frame_pose(ROBOT, q, "UB")
    random = np.random.default_rng(3)

    def miss(point: Array) -> float:
        def error(angles: Array) -> Array:
            arm = q.copy()
            arm[places] = angles
            return footfall.frame_pose(ROBOT, arm, "LH").translation - body.apply(point)

        starts = random.uniform(lower, upper, (6, 4))
        return min(
            float(np.linalg.norm(least_squares(error, start, bounds=(lower, upper)).fun)) for start in starts
        )

    points = reach.shoulder + random.uniform(-0.8, 0.8, (25, 3))
    inside = reach.contains(points)
    misses = np.array([miss(point) for point in points])
    assert 3 < inside.sum() < 20
    assert (misses[inside] < np.sqrt(3.0) * reach.size).all()  # the diagonal of a cell
    # What is refused although an arm gets there touches the robot, or is in a cell at the border.
    assert ((misses < 1e-3) & ~inside).sum() <= 2
    straight_up = reach.shoulder + np.array([[0.0, 0.0, 0.9]])  # an arm is 0.73 m long
    assert not reach.contains(straight_up)[0]
    assert not reach.contains(np.array([[0.0, 0.0, 0.0]]))[0]  # inside the torso


@pytest.mark.parametrize("place", [(0.1, -0.3, 1.2), (-0.1, 0.1, 1.3)])
def test_hands_where_no_arm_gets_are_refused(place: tuple[float, float, float]) -> None:
    """Beyond the limits of the joints, and inside the torso: both are near enough to the shoulder."""
    plan = MotionPlan(
        (actions.balance(IDLE, LOLA, hand="LH", position=place, force=(0.0, -10.0, 0.0), hold=2.0),)
    )
    lengths_only = replace(MODEL, hand_space=None)
    with pytest.raises(NoSolution):
        follow_motion(ROBOT, generate_motion(plan, lengths_only))
    with pytest.raises(InvalidTransition, match="LH is out of reach"):
        generate_motion(plan, lengths_only, body=BODY)
    with pytest.raises(InvalidTransition, match=r"LH is out of reach .* from its shoulder"):
        generate_motion(plan, MODEL)


def test_a_hand_behind_the_back_is_reached_within_limits() -> None:
    """A joint was once 9 degrees beyond its stop there."""
    lean = actions.balance(
        IDLE, LOLA, hand="LH", position=(-0.5, 0.5, 1.2), force=(0.0, -10.0, 0.0), hold=2.0
    )
    motion = generate_motion(MotionPlan((lean,)), MODEL, body=BODY)
    found = follow_motion(ROBOT, motion, dt=0.01, gain=50.0)
    assert np.maximum(ROBOT.lower_limits - found.q, found.q - ROBOT.upper_limits)[:, 7:].max() < 1e-9


def test_a_robot_without_floating_base_is_refused() -> None:
    with pytest.raises(InvalidInput, match="floating base"):
        WholeBody(footfall.load("arm-7r"), MODEL, comfort=np.zeros(7))

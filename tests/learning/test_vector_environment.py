"""Vector environments: Gymnasium's rules, rows, seeds, terms that are traced, wrong input."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import footfall
from footfall.errors import FootfallError, InvalidInput, RewardNotFinite, UnknownName
from footfall.learning import (
    FootfallEnv,
    FootfallVectorEnv,
    Term,
    check_vector_environment,
    quadruped_velocity,
    read_task,
    register,
    terms,
    velocity_task,
)
from footfall.learning.compiled import CompiledTask
from footfall.learning.policy_note import note_of
from footfall.learning.quantities import NAMES
from footfall.learning.registration import NAMES as REGISTERED
from footfall.learning.shipped_tasks import TASKS

MODES = list(AutoresetMode)


def actions(env, steps, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(scale=0.6, size=(steps, *env.action_space.shape)).astype(np.float32)


@pytest.mark.parametrize("mode", MODES)
def test_rules_of_gymnasium(short_task, mode):
    checked = check_vector_environment(lambda n: FootfallVectorEnv(short_task, n, autoreset_mode=mode))
    assert "rows do not depend on their number" in checked


@pytest.mark.filterwarnings("ignore")
def test_single_environments_pass_gymnasiums_check(short_task):
    check_env(FootfallEnv(short_task))


def test_names_are_registered():
    register()
    assert set(REGISTERED) == set(TASKS)
    env = gymnasium.make_vec("footfall/Go2-Velocity-v0", num_envs=3, autoreset_mode="SameStep")
    assert env.unwrapped.substeps == 4
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.single_observation_space.shape == (48,)
    assert gymnasium.make("footfall/Go2-Velocity-v0").action_space.shape == (12,)


@pytest.mark.parametrize(
    "lines", ["import gymnasium, footfall", "import footfall, gymnasium"], ids=["before", "after"]
)
def test_importing_footfall_is_enough(lines):
    code = f"{lines}; import sys; assert 'footfall/Go2-Velocity-v0' in gymnasium.registry"
    code += "; assert not {'footfall.learning.task', 'llvmlite'} & set(sys.modules)"  # names only
    subprocess.run([sys.executable, "-c", code], check=True)


class Broken(FootfallVectorEnv):
    """How: "reuses", "seedless" or "related", each of which the checker must see."""

    how = ""

    def reset(self, **options):
        if self.how == "seedless":
            options["seed"] = 5
        return super().reset(**options)

    def step(self, given):
        seen, reward, *rest = super().step(given)
        if self.how == "related":
            reward = reward + seen.mean()
        if self.how == "reuses":
            self.kept = getattr(self, "kept", seen)
            self.kept[:] = seen
            seen = self.kept
        return seen, reward, *rest


@pytest.mark.parametrize(
    "how, message",
    [("reuses", "changed arrays"), ("seedless", "another seed"), ("related", "row 0 alone|reward must be 0")],
)
def test_checker_sees_what_is_broken(short_task, how, message):
    def make(count):
        env = Broken(short_task, count)
        env.how = how
        return env

    with pytest.raises(InvalidInput, match=message):
        check_vector_environment(make)


def test_checker_runs_on_environments_of_others():
    # Gymnasium's own CartPole, which is right.
    checked = check_vector_environment(
        lambda n: gymnasium.make_vec("CartPole-v1", num_envs=n, vectorization_mode="sync"), steps=60
    )
    assert "seeds repeat to the bit" in checked


def test_same_bits_for_any_number_of_threads(short_task):
    runs = []
    for threads in (1, 2):
        env = FootfallVectorEnv(short_task, 64, autoreset_mode="SameStep", threads=threads)
        env.reset(seed=3)
        runs.append([env.step(action)[:2] for action in actions(env, 20)])
    for one, other in zip(*runs, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


def test_modes_tell_the_same_story(short_task):
    """Until rows end all modes give the same; then the last observation of one is `final_obs` of the other."""
    envs = [FootfallVectorEnv(short_task, 8, autoreset_mode=mode) for mode in MODES]
    for env in envs:
        env.reset(seed=11)
    for action in actions(envs[0], 15):
        steps = [env.step(action) for env in envs]
        done = steps[0][2] | steps[0][3]
        for step in steps[1:]:
            np.testing.assert_array_equal(step[1], steps[0][1])
            np.testing.assert_array_equal(step[2] | step[3], done)
        if done.any():
            final = steps[1][4]["final_obs"]
            np.testing.assert_array_equal(final[done], steps[0][0][done])
            np.testing.assert_array_equal(steps[2][0], steps[0][0])
            assert (steps[1][0][done] != final[done]).any()
            break
    else:
        pytest.fail("no row ended")
    with pytest.raises(InvalidInput, match="has ended"):
        envs[2].step(action)


def test_terms_are_those_of_numpy(short_task):
    """Each term in lanes is what the same function gives on numbers, at the states of a run."""
    env = FootfallVectorEnv(short_task, 16, autoreset_mode="Disabled")
    env.reset(seed=4)
    for action in actions(env, 6):
        last = env.rows["action"].copy()
        _, reward, *_ = env.step(action)
    compiled, rows = env.compiled, env.rows
    from footfall.learning.quantities import Quantities, evaluate

    # What comes from contact is not kept by a row: these terms only.
    names = [
        "track_velocity",
        "track_rate",
        "vertical_velocity",
        "tumbling",
        "tilt",
        "posture",
        "sinking",
        "action_rate",
    ]
    for row in range(16):
        numbers = {name: rows[name][row] for name in rows}
        at = Quantities(compiled.setup, numbers, rows["action"][row], last[row], None)
        for name in names:
            term = short_task.rewards[name]
            wanted = (
                term.weight
                * compiled.setup.period
                * evaluate("rewards", name, term.function, term.options, at, None)
            )
            got = env._outputs["terms"][row, compiled.terms.index(name)]
            assert got == pytest.approx(wanted, rel=1e-12, abs=1e-14), name
    np.testing.assert_allclose(reward, env._outputs["terms"].sum(axis=1), rtol=1e-12, atol=1e-14)


def test_rows_draw_their_own_values():
    env = FootfallVectorEnv("Go2-Velocity", 200)
    env.reset(seed=0)
    for name, low, high in (("friction", 0.4, 1.2), ("base_mass", -0.5, 1.5), ("encoder_bias", -0.01, 0.01)):
        values = env.rows[name]
        assert low <= values.min() < low + 0.1 * (high - low)
        assert high - 0.1 * (high - low) < values.max() <= high
    factors = env.rows["kp"] / 30.0
    assert factors.min() >= 0.9
    assert factors.max() <= 1.1
    assert np.ptp(factors[:, 0]) > 0.1


def test_kicks_and_commands_come_when_they_should():
    task = quadruped_velocity(
        "go2", kp=30.0, kd=0.8, kick_every=(0.1, 0.1), redraw=(0.2, 0.2),
        kick=Term(terms.kick, options={"linear": 2.0}), terminations={},
    )  # fmt: skip
    env = FootfallVectorEnv(task, 8)
    env.reset(seed=0)
    commands, jumps = [env.rows["command"].copy()], []
    for _ in range(30):
        before = env.rows["v"][:, :2].copy()
        env.step(np.zeros((8, 12)))
        commands.append(env.rows["command"].copy())
        jumps.append(np.abs(env.rows["v"][:, :2] - before).max())
    changes = [k for k in range(30) if not np.array_equal(commands[k], commands[k + 1])]
    assert np.diff(changes).tolist() == [11] * (
        len(changes) - 1
    )  # 0.2 s of 20 ms, and the step that draws it
    assert max(jumps) > 0.8


def test_a_term_of_your_own():
    def far_from_home(q, radius=1.0):
        return q[0] ** 2 + q[1] ** 2 - radius

    task = quadruped_velocity(
        "go2", rewards={"home": Term(far_from_home, weight=-3.0, options={"radius": 2.0})}
    )
    env = FootfallVectorEnv(task, 3)
    env.reset(seed=0)
    _, reward, _, _, info = env.step(np.zeros((3, 12)))
    wanted = -3.0 * 0.02 * ((env.rows["q"][:, :2] ** 2).sum(axis=1) - 2.0)
    np.testing.assert_allclose(reward, wanted, rtol=1e-12)
    assert info["reward_terms"]["home"] == pytest.approx(wanted.mean())


def test_critic_sees_more():
    task = quadruped_velocity("go2", critic={"force": terms.foot_force, "touching": terms.foot_touching})
    env = FootfallVectorEnv(task, 3, critic=True)
    seen, _ = env.reset(seed=0)
    assert env.observation_space.contains(seen)
    assert seen["critic"].shape == (3, 8)
    seen, *_ = env.step(np.zeros((3, 12)))
    assert seen["actor"].shape == (3, 48)
    with pytest.raises(InvalidInput, match="no critic"):
        FootfallVectorEnv("Go2-Velocity", 2, critic=True)


def test_reward_that_is_no_number_is_told_by_row_and_term():
    def root(base_velocity):
        return np.sqrt(base_velocity[0])

    task = quadruped_velocity("go2", rewards={"alive": terms.alive, "root": root})
    env = FootfallVectorEnv(task, 6)
    env.reset(seed=0)
    given = actions(env, 20)
    with pytest.raises(RewardNotFinite, match="reward term 'root' of row") as caught:
        _ = [env.step(action) for action in given]
    assert env._outputs["terms"][caught.value.row, 1] != env._outputs["terms"][caught.value.row, 1]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda env: env.step(np.zeros((2, 12))), r"actions have shape \(2, 12\); they must be \(4, 12\)"),
        (lambda env: env.step(np.full((4, 12), np.nan)), "action of row 0, joint 0 is nan"),
        (lambda env: env.reset(seed=[1, 2]), "there are 2 seeds"),
        (lambda env: env.reset(seed=-1), "seed is -1"),
        (lambda env: env.reset(options={"reset_mask": np.zeros(4)}), "reset_mask"),
        (lambda env: env.reset(options={"reset_mask": np.zeros(4, dtype=bool)}), "no row that is true"),
    ],
)
def test_wrong_input_is_told(short_task, call, message):
    env = FootfallVectorEnv(short_task, 4)
    env.reset(seed=0)
    with pytest.raises(InvalidInput, match=message):
        call(env)


def test_step_before_reset(short_task):
    with pytest.raises(gymnasium.error.ResetNeeded):
        FootfallVectorEnv(short_task, 2).step(np.zeros((2, 12)))


@pytest.mark.parametrize(
    "changes, message",
    [
        (
            {"rewards": {"x": lambda speed: speed}},
            r"no quantity 'speed' in the arguments of rewards 'x'.*base_velocity",
        ),
        ({"rewards": {"x": 3}}, "term 'x' is 3"),
        ({"rewards": {"x": Term(terms.tilt, options={"angle": 1})}}, "no option 'angle'"),
        ({"rewards": {}}, "at least one"),
        ({"resets": {"mass": terms.uniform}}, "no reset 'mass'.*base_mass"),
        ({"observations": [terms.gravity]}, "must be a dictionary"),
        ({"seconds": 0.0}, "seconds is 0.0"),
        ({"redraw": (3.0, 1.0)}, "redraw is"),
        ({"action_scale": {"hip": 0.0}}, "action_scale of hip is 0.0"),
    ],
)
def test_wrong_tasks_are_told(changes, message):
    with pytest.raises(FootfallError, match=message):
        quadruped_velocity("go2", **changes)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"rewards": {"x": lambda gravity: gravity}}, r"rewards 'x' has shape \(3,\)"),
        ({"rewards": {"x": lambda gravity: gravity[7]}}, "rewards 'x' cannot be computed"),
        ({"kick": lambda draw: draw.uniform()}, r"kick has shape \(\); it must be \(6,\)"),
        ({"posture": {"tail": 0.1}}, "no joint 'tail'"),
        ({"kp": [1.0, 2.0]}, "kp is"),
        ({"action_scale": {"tail": 0.1}}, "no joint 'tail'.*for the action's scale"),
    ],
)
def test_wrong_terms_are_told_before_anything_is_compiled(changes, message):
    task = quadruped_velocity("go2", **changes)
    with pytest.raises(FootfallError, match=message):
        _ = CompiledTask(task), task.gains, task.scales


def test_joints_have_their_own_scales():
    task = quadruped_velocity("go2", action_scale={"thigh": 0.3, "FL_thigh_joint": 0.2, "calf": 0.4})
    assert task.scales.tolist() == [0.2, 0.4] + [0.3, 0.4] * 3
    assert note_of(task).action_scale == tuple(task.scales)
    assert (quadruped_velocity("go2", action_scale=0.25).scales == 0.25).all()


def test_joints_without_a_scale_stay():
    """No action moves them, no term sees them, and the policy's note says where they are."""
    task = quadruped_velocity(
        "go2", kp={"hip": 200.0, "calf": 50.0}, kd=2.0, kick=None, exact=False,
        posture={"hip": 0.0, "FL_hip": 0.2}, action_scale={"calf": 0.5, "thigh": 0.3},
    )  # fmt: skip
    note, kp = note_of(task), task.gains[0]
    assert [name.split("_")[1] for name in note.joints] == ["thigh", "calf"] * 4
    assert note.others == {
        f"{leg}_hip_joint": (0.2 if leg == "FL" else 0.0) for leg in ("FL", "FR", "RL", "RR")
    }
    assert kp[:3].tolist() == [200.0, quadruped_velocity("go2").gains[0][1], 50.0]
    assert note.kp[1] == 50.0
    env = FootfallVectorEnv(task, 3, autoreset_mode="Disabled")
    seen, _ = env.reset(seed=0)
    assert env.action_space.shape == (3, 8)
    assert seen.shape == (3, 12 + 3 * 8)
    ends = []
    for action in (0.5, -0.5):
        env.reset(seed=0)
        for _ in range(10):
            env.step(np.full((3, 8), action, np.float32))
            env._done[:] = False
        ends.append(env.rows["q"][:, 7:].reshape(3, 4, 3).copy())
    assert (ends[0] - ends[1])[:, :, 1:].min() > 0.05
    goals = task.goals(np.full((3, 8), 0.5)).reshape(3, 4, 3)
    assert goals[0, 0, 0] == 0.2
    assert (goals[:, 1:, 0] == 0.0).all()
    assert max(np.abs(end - goals)[:, :, 0].max() for end in ends) < 0.1


@pytest.mark.parametrize("name", sorted(TASKS))
def test_terms_of_shipped_tasks_fit_their_robots(name):
    """LOLA's feet are two bodies each, with toes."""
    assert CompiledTask(velocity_task(name)).observation_size > 0


def test_in_step_is_a_clock():
    """Each foot stands for 0.6 of a round of 1 s, the right one half a round later; both where nothing is wanted."""
    going, standing = np.array([0.5, 0.0, 0.0]), np.zeros(3)
    times = (np.arange(1000) + 0.5) / 1000
    wanted = []
    for time in times:
        best = [
            feet
            for feet in ([1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0])
            if terms.in_step(np.array(feet), time, going, period=1.0, stance=0.6) == 1.0
        ]
        assert len(best) == 1
        wanted += best
    wanted = np.array(wanted)
    np.testing.assert_allclose(wanted.mean(axis=0), 0.6, atol=2e-3)
    np.testing.assert_array_equal(wanted[:500, 0], wanted[500:, 1])
    assert terms.in_step(np.array([1.0, 0.0]), 0.3, standing) == 0.5
    assert terms.in_step(np.array([1.0, 1.0]), 0.3, standing) == 1.0
    assert terms.in_step(np.array([0.0, 1.0, 0.0, 0.0]), 0.3, standing) == 0.5  # toes of one foot touch


def test_feet_swing_as_high_as_the_clock_has_it():
    """A quarter of a round of 1 s after the left foot's stance is in its middle the right one is highest; a foot that
    should be up gains with every millimetre, and one that should stand loses."""
    going, standing = np.array([0.5, 0.0, 0.0]), np.zeros(3)

    def reward(left, right, time, command=going):
        return terms.swing_height(np.array([left, right]), time, command, period=1.0, height=0.08)

    assert reward(0.0, 0.08, 0.25) == pytest.approx(1.0) == reward(0.08, 0.0, 0.75)
    assert reward(0.0, 0.0, 0.25) == pytest.approx(np.exp(-(0.08**2) / 0.003))
    heights = [reward(0.0, height, 0.25) for height in np.linspace(0.0, 0.08, 9)]
    assert (np.diff(heights) > 0.0).all()
    assert reward(0.01, 0.08, 0.25) < 1.0
    assert reward(0.0, 0.0, 0.25, standing) == 1.0 > reward(0.0, 0.01, 0.25, standing)
    for time in np.linspace(0.0, 1.0, 40):  # a foot is asked to stand exactly while `in_step` wants it to
        lone = terms.in_step(np.array([1.0, 1.0]), time, going, period=1.0) == 1.0
        assert lone == (reward(0.0, 0.0, time) == 1.0)


def test_feet_in_the_air_have_a_height():
    assert terms.clearance(np.array([0.05, 0.0]), np.array([0.0, 1.0])) == pytest.approx(0.03**2)


def test_quantities_have_words():
    from footfall.learning.quantities import Quantities

    assert {"command", "base_velocity", "foot_force", "height_scan", "landing"} <= set(NAMES)
    assert all(getattr(Quantities, name).__doc__ for name in NAMES if name not in ("action", "last_action"))


def test_roots_of_descriptions_are_set_free(tmp_path):
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    body = f'<link name="body"><inertial><mass value="5"/>{inertia}</inertial></link>'
    (tmp_path / "mine.urdf").write_text(f'<robot name="mine">{body}</robot>')
    (tmp_path / "mine.toml").write_text('robot = "mine.urdf"')
    assert footfall.load(tmp_path / "mine.urdf").nv == 0
    assert read_task(tmp_path / "mine.toml").model.nv == 6
    (tmp_path / "mine.toml").write_text('robot = "mine.urdf"\nexact = false')
    assert read_task(tmp_path / "mine.toml").exact is False
    (tmp_path / "mine.toml").write_text('robot = "mine.urdf"\nexact = 0')
    with pytest.raises(InvalidInput, match="exact is 0; it must be True or False"):
        read_task(tmp_path / "mine.toml")


def test_tasks_from_files(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        """
robot = "anymal"
kp = 90.0
kd = 2.5
seconds = 10.0
redraw = [2.0, 4.0]
[posture]
KFE = 0.8
[rewards]
stepping = false
tilt = -1.0
slip = { weight = -0.3 }
[resets.friction]
low = 0.2
[command]
forwards = 0.7
""".replace("KFE = 0.8", "LF_KFE = -0.8")
    )
    task = read_task(path)
    assert task.rewards["tilt"].weight == -1.0
    assert "stepping" not in task.rewards
    assert task.rewards["slip"].function is terms.slip
    assert task.resets["friction"].options == {"low": 0.2, "high": 1.2}
    assert task.command.options == {"forwards": 0.7}
    assert task.gains[0].tolist() == [90.0] * 12
    seen, _ = FootfallVectorEnv(str(path), 2).reset(seed=0)
    assert np.isfinite(seen).all()


@pytest.mark.parametrize(
    "text, message",
    [
        ("robot = 3", "it must be a name or a file"),
        ("robot = 'go2'\nspeed = 1", "no key 'speed'"),
        ("robot = 'go2'\nkind = 'snake'", "no kind 'snake'"),
        ("robot = 'go2'\n[rewards]\nflying = 1.0", "no term 'flying'"),
        ("robot = 'go2'\n[rewards]\nalive = false", "no term 'alive'"),
        ("robot = 'go2'\n[rewards.tilt]\nfunction = '__import__'", "no term '__import__'"),
        ("robot = 'go2'\n[rewards.tilt]\nweight = 'much'", "weight of term 'tilt' is 'much'"),
        ("robot = 'go2'\nredraw = 3", "redraw is 3"),
        ("robot = ", "no TOML"),
    ],
)
def test_wrong_files_are_told(tmp_path, text, message):
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(FootfallError, match=message):
        read_task(path)


def test_unknown_task():
    with pytest.raises(UnknownName, match=r"no task 'Go3'.*Go2-Velocity"):
        velocity_task("Go3")

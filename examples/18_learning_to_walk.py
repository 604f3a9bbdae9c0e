"""Go2 learns to follow a joystick: proximal policy optimisation (Schulman et al. 2017) in one file.

    pip install 'footfall[learning]' torch==2.13.0
    python examples/18_learning_to_walk.py --output go2.onnx
    python -m footfall.learning.judge go2.onnx

The same seed gives the same weights, to the bit, for any number of threads of the simulation.
"""

import argparse
import os
import time
from dataclasses import replace

os.environ.setdefault(
    "OMP_WAIT_POLICY", "passive"
)  # else threads of torch burn what the simulation could use

import gymnasium
import numpy as np
import torch
from torch import nn

import footfall.learning
from footfall.learning import Term, save_policy

footfall.learning.register()
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2


class Normaliser:
    """Running mean and deviation of observations (Welford, by batches)."""

    def __init__(self, size):
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 1e-4

    def update(self, batch):
        count = len(batch)
        mean, variance, total = (
            batch.mean(axis=0, dtype=np.float64),
            batch.var(axis=0, dtype=np.float64),
            self.count + count,
        )
        delta = mean - self.mean
        self.mean = self.mean + delta * count / total
        spread = self.variance * self.count + variance * count + delta**2 * self.count * count / total
        self.variance, self.count = spread / total, total

    def __call__(self, batch):
        scaled = (batch - self.mean.astype(np.float32)) / np.sqrt(self.variance + 1e-4).astype(np.float32)
        return torch.from_numpy(np.clip(scaled, -10.0, 10.0).astype(np.float32))


def network(inputs, outputs, width, last):
    layers = [
        nn.Linear(inputs, width),
        nn.ELU(),
        nn.Linear(width, width),
        nn.ELU(),
        nn.Linear(width, outputs),
    ]
    for layer in layers[::2]:
        nn.init.orthogonal_(layer.weight, 2.0**0.5)
        nn.init.zeros_(layer.bias)
    with torch.no_grad():
        layers[-1].weight *= last
    return nn.Sequential(*layers)


def advantages(rewards, values, dones, last):
    """Generalised advantages (steps, rows) and returns; what was cut off counts as its value."""
    result, carried, following = torch.zeros_like(rewards), 0.0, last
    for k in reversed(range(len(rewards))):
        alive = 1.0 - dones[k]
        delta = rewards[k] + GAMMA * following * alive - values[k]
        carried = delta + GAMMA * LAMBDA * alive * carried
        result[k], following = carried, values[k]
    return result, result + values


def harder(task, share=1.25):
    """The task with commands and kicks beyond what is asked: what lies at the rim of the training is learned last. Feet
    alone touch: with all its shapes a robot finds that it can sit on its knees, where nothing ends, and stays there."""
    command, kick = dict(task.command.options), dict(task.kick.options)
    for name, usual in (("forwards", 1.0), ("sideways", 0.5), ("turning", 1.0)):
        command[name] = share * command.get(name, usual)
    kick["linear"] = share * kick.get("linear", 0.5)
    return replace(
        task,
        exact=False,
        command=Term(task.command.function, options=command),
        kick=Term(task.kick.function, options=kick),
    )


def train(how, save):
    """how: the options of the command line. save: is given the task, the actor and its normaliser with each line of the
    report."""
    rows, steps = how.rows, how.steps
    torch.manual_seed(how.seed)
    asked = gymnasium.make_vec(how.environment, num_envs=1).unwrapped.task
    env = gymnasium.make_vec(
        "footfall/Task-v0", num_envs=rows, task=harder(asked), autoreset_mode="SameStep", threads=how.threads
    )
    sizes = env.single_observation_space.shape[0], env.single_action_space.shape[0]
    actor, critic = network(*sizes, how.width, 0.01), network(sizes[0], 1, how.width, 1.0)
    logarithm = nn.Parameter(torch.full((sizes[1],), np.log(how.deviation)))
    parameters = [*actor.parameters(), *critic.parameters(), logarithm]
    optimiser, rate = torch.optim.Adam(parameters, lr=1e-3), 1e-3
    normaliser, noise = Normaliser(sizes[0]), torch.Generator().manual_seed(how.seed)
    seen, _ = env.reset(seed=1_000_000 * how.seed)
    # Rows that all began together would end together.
    env.unwrapped.rows["elapsed"][:] = np.floor(np.random.default_rng(how.seed).uniform(0.0, 900.0, rows))
    begin = time.perf_counter()
    for iteration in range(how.iterations):
        target_kl = how.kl * (1.0 - 0.9 * iteration / how.iterations)  # smaller steps towards the end
        normaliser.update(seen)
        store = {name: [] for name in ("seen", "action", "chance", "value", "reward", "done")}
        ended, lengths, tracked = 0, 0.0, []
        spread = logarithm.detach().exp()
        with torch.no_grad():
            for _ in range(steps):
                scaled = normaliser(seen)
                mean, value = actor(scaled), critic(scaled)[:, 0]
                action = mean + spread * torch.randn(mean.shape, generator=noise)
                chance = -(((action - mean) / spread) ** 2 / 2 + spread.log()).sum(dim=1)
                seen, reward, terminated, truncated, info = env.step(action.numpy())
                reward = torch.from_numpy(reward.astype(np.float32)) - torch.from_numpy(
                    terminated.astype(np.float32)
                )
                cut = truncated & ~terminated
                if cut.any():  # an episode that was cut off would have gone on
                    rest = critic(normaliser(info["final_obs"][cut]))[:, 0]
                    reward[torch.from_numpy(cut)] += GAMMA * rest
                done = terminated | truncated
                if done.any():
                    ended += int(done.sum())
                    lengths += info["episode_steps"] * int(done.sum())
                tracked.append(info["reward_terms"])
                for name, part in zip(
                    store,
                    (scaled, action, chance, value, reward, torch.from_numpy(done.astype(np.float32))),
                    strict=True,
                ):
                    store[name].append(part)
            data = {name: torch.stack(parts) for name, parts in store.items()}
            last = critic(normaliser(seen))[:, 0]
            gain, target = advantages(data["reward"], data["value"], data["done"], last)
        flat = {name: part.flatten(0, 1) for name, part in {**data, "gain": gain, "target": target}.items()}
        flat["gain"] = (flat["gain"] - flat["gain"].mean()) / (flat["gain"].std() + 1e-8)
        for _ in range(how.epochs):
            order = torch.randperm(rows * steps, generator=noise)
            for part in order.chunk(how.batches):
                mini = {name: value[part] for name, value in flat.items()}
                mean, spread = actor(mini["seen"]), logarithm.exp()
                chance = -(((mini["action"] - mean) / spread) ** 2 / 2 + logarithm).sum(dim=1)
                ratio = (chance - mini["chance"]).exp()
                with torch.no_grad():
                    kl = ((ratio - 1.0) - (chance - mini["chance"])).mean().item()
                if kl > 2.0 * target_kl:
                    rate = max(1e-5, rate / 1.5)
                elif kl < 0.5 * target_kl:
                    rate = min(1e-2, rate * 1.5)
                optimiser.param_groups[0]["lr"] = rate
                better = torch.min(ratio * mini["gain"], ratio.clamp(1.0 - CLIP, 1.0 + CLIP) * mini["gain"])
                error = (critic(mini["seen"])[:, 0] - mini["target"]) ** 2
                loss = -better.mean() + error.mean() - how.entropy * logarithm.sum()
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(parameters, 1.0)
                optimiser.step()
        if (iteration + 1) % how.report == 0 or iteration + 1 == how.iterations:
            terms = {
                name: np.mean([each[name] for each in tracked])
                / env.unwrapped.compiled.setup.period
                / term.weight
                for name, term in asked.rewards.items()
            }
            length = f"length {lengths / ended:4.0f}" if ended else "none ended"
            print(
                f"{(iteration + 1) * rows * steps / 1e6:5.2f} M steps, {time.perf_counter() - begin:6.1f} s, "
                f"CPU {time.process_time():6.1f} s, track {terms['track_velocity']:.3f} {terms['track_rate']:.3f}, "
                f"{length}, rate {rate:.1e}, deviation {logarithm.exp().mean().item():.2f}",
                flush=True,
            )
            save(asked, actor, normaliser)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--environment", default="footfall/Go2-Velocity-v0", help="a name that Gymnasium knows"
    )
    parser.add_argument("--output", default="policy.onnx", help="where the policy is written")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--iterations", type=int, default=320)
    parser.add_argument("--rows", type=int, default=1024, help="robots at once")
    parser.add_argument("--steps", type=int, default=20, help="of each robot between two updates")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batches", type=int, default=4)
    parser.add_argument("--width", type=int, default=64, help="of the two hidden layers")
    parser.add_argument("--deviation", type=float, default=0.82, help="of actions, at first")
    parser.add_argument("--entropy", type=float, default=0.005, help="reward for it, in the loss")
    parser.add_argument("--kl", type=float, default=0.01, help="how far an update goes; a tenth at the end")
    parser.add_argument(
        "--threads", type=int, default=None, help="of the simulation; weights do not depend on it"
    )
    parser.add_argument("--torch-threads", type=int, default=1, help="weights depend on it")
    parser.add_argument("--report", type=int, default=20, help="iterations between two lines")
    how = parser.parse_args()
    torch.set_num_threads(how.torch_threads)
    torch.use_deterministic_algorithms(True)

    def save(task, actor, normaliser):
        layers = [
            (layer.weight.detach().numpy(), layer.bias.detach().numpy())
            for layer in actor
            if isinstance(layer, nn.Linear)
        ]
        mean, variance = normaliser.mean, normaliser.variance + 1e-4
        save_policy(how.output, task, layers, mean=mean, variance=variance, activation="elu")

    train(how, save)
    print("wrote", how.output)


if __name__ == "__main__":
    main()

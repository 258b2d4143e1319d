"""The taskset and the environment with `verifiers` itself: rollouts against an endpoint."""

import asyncio
import math
import random

import pytest

vf = pytest.importorskip("verifiers.v1")

import verifiers_dialogues as own  # noqa: E402
from conftest import ROOT  # noqa: E402
from endpoint import endpoint  # noqa: E402


def tasks(path, count, **config):
    taskset = own.DialogueTaskset(own.DialogueConfig(id="verifiers_dialogues", path=path, **config))
    assert not taskset.bounded
    return list(taskset.take(count))


async def episodes(path, count, base_url, **config):
    """The episodes of the first dialogues, one after the other."""
    config = own.DialogueConfig(id="verifiers_dialogues", path=path, **config)
    env = own.DialogueEnv(own.DialogueEnvConfig(taskset=config))
    client = vf.EvalClientConfig(base_url=base_url, api_key_var="OWN_KEY")
    context = vf.ModelContext(model="m", client=client)
    async with env.serving():
        for task in env.taskset.take(count):
            yield await env.run_episode(task, context)


def rollouts(path, count, base_url):
    async def run():
        return [episode async for episode in episodes(path, count, base_url)]

    return asyncio.run(run())


def test_the_taskset_has_no_end(tides_path):
    found = tasks(tides_path, 50, seed=7)
    assert [task.data.index for task in found] == list(range(50))
    assert len({task.key for task in found}) == 50
    assert found[3].data == tasks(tides_path, 4, seed=7)[3].data


def test_dialogues_are_rolled_out_and_rewarded(tides_path, monkeypatch):
    monkeypatch.setenv("OWN_KEY", "none")
    by_turn = {1: "One two.", 2: "One, two.", 3: "Fine."}

    def answer(messages):
        return by_turn[sum(message["role"] == "user" for message in messages)]

    with endpoint(answer) as (address, asked):
        episodes = rollouts(tides_path, 2, address)
    assert [episode.ok for episode in episodes] == [True, True], episodes[0].errors
    for episode in episodes:
        [trace] = episode.traces
        assert trace.num_turns == 3
        assert trace.metrics == {"turn_1": 1.0, "turn_2": 0.5, "turn_3": 1.0}
        assert trace.reward == pytest.approx(2.5 / 3)
    # The history has the responses: the environment is the user.
    roles = [message["role"] for message in asked[2]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]


def test_an_endpoint_that_fails_is_an_error_and_no_reward(tides_path, monkeypatch):
    monkeypatch.setenv("OWN_KEY", "none")
    with endpoint(lambda messages: None) as (address, _):
        [episode] = rollouts(tides_path, 1, address)
    assert not episode.ok
    [trace] = episode.traces
    assert trace.has_error and not trace.rewards


def test_tasks_are_of_their_definition(tides_path):
    [task] = tasks(tides_path, 1)
    other = task.with_data(definition="plan-v1:0")
    with pytest.raises(Exception, match="is not the definition of the task"):
        own.dialogue(other.data)


class Policy:
    """A policy without a model: it prefers the answers that were rewarded (REINFORCE with a baseline)."""

    ANSWERS = (
        "ok",
        "It depends, as so much does, on what one makes of it; still, here is a try.",
        "Yes. " * 60,
        "- one\n- two\n- three",
    )

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.weights = [0.0] * len(self.ANSWERS)
        self.chosen = []

    def shares(self):
        each = [math.exp(weight) for weight in self.weights]
        return [one / sum(each) for one in each]

    def answer(self, messages):
        [at] = self.random.choices(range(len(self.ANSWERS)), self.shares())
        self.chosen.append(at)
        return self.ANSWERS[at]

    def learn(self, rewards, baseline, rate=1.0):
        for at, reward in zip(self.chosen, rewards, strict=True):
            if reward is None:
                continue
            for other, share in enumerate(self.shares()):
                push = (at == other) - share
                self.weights[other] += rate * (reward - baseline) * push
        self.chosen.clear()


def test_a_hundred_steps_of_training_on_evolif(monkeypatch):
    """Each step is a dialogue of four turns; each turn is credited for itself."""
    monkeypatch.setenv("OWN_KEY", "none")
    policy, means = Policy(seed=1), []

    async def train(address):
        async for episode in episodes(str(ROOT / "scenarios" / "evolif"), 100, address, turns=4):
            assert episode.ok, episode.errors
            [trace] = episode.traces
            rewards = [trace.metrics.get(f"turn_{turn}") for turn in range(1, trace.num_turns + 1)]
            known = [reward for reward in rewards if reward is not None]
            policy.learn(rewards, sum(means) / len(means) if means else 0.0)
            # A dialogue that no rule decides has no reward, and not one of 0.
            if known:
                assert trace.reward == pytest.approx(sum(known) / len(known))
                means.append(trace.reward)

    with endpoint(policy.answer) as (address, asked):
        asyncio.run(train(address))
    assert 80 < len(means) <= 100 and len(asked) == 400
    # The policy has found what pays.
    assert sum(means[-30:]) > 1.2 * sum(means[:30]), (means, policy.shares())

"""The server of dialogues with NeMo Gym's own agent: rollouts of several turns with a model that is a function."""

import asyncio
import itertools

import pytest

pytest.importorskip("nemo_gym")

import httpx  # noqa: E402
from fastapi import FastAPI, Request  # noqa: E402
from nemo_gym.config_types import ModelServerRef, ResourcesServerRef  # noqa: E402
from nemo_gym.server_utils import ServerClient  # noqa: E402
from nemo_gym_dialogue import Config, Dialogues, rows  # noqa: E402
from responses_api_agents.gymnasium_agent.app import (  # noqa: E402
    GymnasiumAgent,
    GymnasiumAgentConfig,
    GymnasiumAgentRunRequest,
)

import ifs  # noqa: E402
from conftest import ROOT  # noqa: E402


class Answer:
    """A response of httpx with what the agent reads of one of aiohttp."""

    def __init__(self, response):
        self.response, self.cookies, self.ok = response, dict(response.cookies), response.is_success
        self.content = self

    async def read(self):
        return self.response.content

    def raise_for_status(self):
        self.response.raise_for_status()


def model(answer):
    app = FastAPI()
    asked = []

    @app.post("/v1/responses")
    async def responses(request: Request):
        said = (await request.json())["input"]
        asked.append(said)
        text = answer(sum(one["role"] == "user" for one in said))
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }
        return {
            "id": "r",
            "created_at": 0.0,
            "model": "m",
            "object": "response",
            "output": [message],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }

    return app, asked


def rollouts(path, given, answer, **config):
    """The results of the agent for these rows, and what the model was asked."""
    common = {"host": "127.0.0.1", "port": 0, "entrypoint": ""}
    server = Dialogues(
        config=Config(**common, name="ifs", domain="instruction_following", path=path, **config),
        server_client=ServerClient.model_construct(),
    )
    policy, asked = model(answer)
    apps = {"ifs": server.setup_webserver(), "policy": policy}

    class Client(ServerClient):
        async def post(self, server_name, url_path, json=None, cookies=None, **_):
            body = json if isinstance(json, dict) else json.model_dump()
            transport = httpx.ASGITransport(app=apps[server_name])
            where = {"transport": transport, "base_url": "http://own", "cookies": cookies}
            async with httpx.AsyncClient(**where) as client:
                return Answer(await client.post(url_path, json=body))

    agent = GymnasiumAgent(
        config=GymnasiumAgentConfig(
            **common,
            name="agent",
            resources_server=ResourcesServerRef(type="resources_servers", name="ifs"),
            model_server=ModelServerRef(type="responses_api_models", name="policy"),
            max_steps=20,
        ),
        server_client=Client.model_construct(),
    )

    async def run():
        request = type("Request", (), {"cookies": {}})()
        return [await agent.run(request, GymnasiumAgentRunRequest(**row)) for row in given]

    return asyncio.run(run()), asked


def test_a_dialogue_is_rolled_out_and_rewarded(tides_path):
    by_turn = {1: "One two.", 2: "One, two.", 3: "Fine."}
    given = list(itertools.islice(rows(tides_path), 2))
    results, asked = rollouts(tides_path, given, by_turn.get)
    for result in results:
        assert result.terminated and not result.truncated
        assert result.reward == pytest.approx(2.5 / 3)
        assert result.info["turn"] == 3 and result.info["share"] == 1.0
    # The history has the responses: the server is the user.
    roles = [message["role"] for message in asked[2]]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert len(asked) == 6


def test_an_endless_dialogue_is_cut(tides_path):
    path = str(ROOT / "scenarios" / "evolif")
    given = list(itertools.islice(rows(path, seed=3, turns=4), 25))
    results, asked = rollouts(path, given, lambda turn: "Words " * turn, turns=4)
    # The others ended because the patience of their user did.
    assert 50 < len(asked) <= 100 and any(result.truncated for result in results)
    assert all(result.truncated != result.terminated for result in results)
    assert all(0 <= result.reward <= 1 for result in results)
    assert len({result.reward for result in results}) > 1


def test_a_row_of_another_definition_fails(tides_path):
    [row] = itertools.islice(rows(tides_path), 1)
    with pytest.raises(httpx.HTTPStatusError, match="422"):
        rollouts(tides_path, [{**row, "definition": "plan-v1:0"}], lambda turn: "Fine.")


def test_a_dialogue_without_rules_fails(tmp_path):
    path = tmp_path / "kind.ifs"
    path.write_text(
        'ifs 1\nconstraint kind { say "Be kind." judge "Is it kind?" }\n'
        'dialogue talk { turn one { ask "Why? Be kind." impose 1 from kind } }\n'
    )
    benchmark = ifs.load(path)
    row = {
        "responses_create_params": {"input": benchmark.draw(1, 0).messages(1)},
        "definition": benchmark.definition_hash,
        "seed": 1,
        "index": 0,
    }
    with pytest.raises(httpx.HTTPStatusError, match="422"):
        rollouts(str(path), [row], lambda turn: "Because.")

"""A resources server for NeMo Gym that is the user of dialogues, for its `gymnasium_agent`.

    python nemo_gym_dialogue.py rows scenarios/evolif 1000 >dialogues.jsonl      the data set

The rewards of the steps add up to the mean share of constraints that hold, over the turns so far that a rule decides;
`info` has the share of each turn. Requests that do not fit the scenario fail, and so does a dialogue without any rule:
neither is a reward of 0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from itertools import count, islice
from typing import Any

from fastapi import HTTPException
from nemo_gym.base_resources_server import BaseResourcesServerConfig
from nemo_gym.openai_utils import NeMoGymResponse
from resources_servers.gymnasium import GymnasiumServer, extract_text

import ifs


class Config(BaseResourcesServerConfig):
    path: str
    variant: str | None = None
    split: str | None = None
    turns: int = 10


@cache
def load(path: str, variant: str | None, split: str | None) -> ifs.Benchmark:
    return ifs.load(path, variant=variant, split=split)


def rows(
    path: str, variant: str | None = None, split: str | None = None, seed: int = 1, turns: int = 10
) -> Iterator[dict]:
    """Rows without end: the first messages of a dialogue, and how the server finds it again.

    Dialogues without a rule in their first turns are left out.
    """
    benchmark = load(path, variant, split)
    for index in count():
        dialogue = benchmark.draw(seed, index)
        said = [(turn.number, "A.", ["A."] * (turn.number - 1)) for turn in islice(dialogue, turns)]
        if all(dialogue.grade(*one).reward is None for one in said):
            continue
        yield {
            "responses_create_params": {"input": dialogue.messages(1)},
            "definition": benchmark.definition_hash,
            "seed": seed,
            "index": index,
        }


class Dialogues(GymnasiumServer):
    config: Config

    async def reset(self, metadata: dict, session_id: str | None = None) -> tuple[None, dict]:
        benchmark = load(self.config.path, self.config.variant, self.config.split)
        if metadata["definition"] != benchmark.definition_hash:
            raise HTTPException(422, f"the row is not of the definition in `{self.config.path}`")
        session = ifs.Session(benchmark, metadata["seed"], metadata["index"])
        session.reset()
        self.session_state[session_id] = session, []
        # The row has the first messages.
        return None, {}

    async def step(
        self, action: NeMoGymResponse, metadata: dict, session_id: str | None = None
    ) -> tuple[str | None, float, bool, bool, dict[str, Any]]:
        if session_id not in self.session_state:
            raise HTTPException(409, "the dialogue is over, or was never reset")
        if action.error is not None:
            raise HTTPException(422, f"the model failed: {action.error}")
        session, shares = self.session_state[session_id]
        step, before = session.step(extract_text(action)), mean(shares)
        shares.append(step.reward)
        info = {
            "turn": len(shares),
            "share": step.reward,
            "missed": {one.name: one.why for one in step.grade.constraints if one.held is False},
        }
        is_cut = not step.done and len(shares) == self.config.turns
        if (step.done or is_cut) and mean(shares) is None:
            raise HTTPException(422, "no rule decides any turn of this dialogue")
        reward = (mean(shares) or 0.0) - (before or 0.0)
        says = step.messages[-1]["content"] if step.messages and not is_cut else None
        return says, reward, step.done, is_cut, info


def mean(shares: list[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else None


if __name__ == "__main__":
    if sys.argv[1:2] == ["rows"]:
        for row in islice(rows(sys.argv[2]), int(sys.argv[3])):
            print(json.dumps(row))
    else:
        Dialogues.run_webserver()

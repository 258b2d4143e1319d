"""The same eval in inspect_ai: dialogues of so many turns with an endpoint that speaks like
OpenAI, three rules on each answer. Prints the processor time a call as JSON: of everything after
the imports, with the log that inspect_ai keeps of every sample."""

import json
import re
import resource
import sys
import tempfile
import time

from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, get_model
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import Generate, TaskState, solver

address, dialogues, turns, at_once = sys.argv[1], *map(int, sys.argv[2:5])
WORDS = ["tide", "leaf", "bread"]


@solver
def talk():
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        held = []
        for turn in range(turns):
            if turn > 0:
                text = f"Use at most {40 + turn % 6 * 10} words and the word {WORDS[turn % 3]}."
                state.messages.append(ChatMessageUser(content=text))
            state = await generate(state)
            answer = state.output.completion
            held.append(
                len(re.findall(r"\w+", answer)) <= 90
                and WORDS[turn % 3] in answer
                and len(re.findall(r"[.!?](?:\s|$)", answer)) >= 1
            )
        state.metadata["held"] = held
        return state

    return solve


@scorer(metrics=[mean()])
def share():
    async def score(state: TaskState, target) -> Score:
        held = state.metadata["held"]
        return Score(value=sum(held) / len(held))

    return score


def cpu():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


samples = [Sample(input=f"Tell me of topic {at}.", target="") for at in range(dialogues)]
task = Task(dataset=MemoryDataset(samples), solver=talk(), scorer=share())
model = get_model("openai-api/peer/m", base_url=f"http://{address}/v1", api_key="none")
before, begun = cpu(), time.monotonic()
with tempfile.TemporaryDirectory() as logs:
    done = eval(
        task,
        model=model,
        max_connections=at_once,
        max_samples=at_once,
        display="none",
        log_dir=logs,
    )[0]
    spent, took = cpu() - before, time.monotonic() - begun
    assert done.status == "success", done.error
    assert len(done.samples) == dialogues
calls = dialogues * turns
print(json.dumps({
    "cpu_ms": spent * 1e3 / calls,
    "calls_per_second": calls / took,
    "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))

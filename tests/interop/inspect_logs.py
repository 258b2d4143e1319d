"""Reads exported logs with inspect_ai and compares them with `ifs report --format json`.

    inspect_logs.py LOGS RUN...

LOGS has one log for each RUN; standard input has their paths in the same order. Fails on the first difference.
"""

import json
import re
import math
import subprocess
import sys
from pathlib import Path

from inspect_ai.analysis import evals_df, events_df, messages_df, samples_df
from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_samples


def close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


def check(ifs, path, run):
    """One log and its run. Returns the ids of its messages."""
    report = json.loads(
        subprocess.run([ifs, "report", run, "--format", "json"], capture_output=True, check=True).stdout
    )
    transcripts = [json.loads(line) for line in open(Path(run) / "transcripts.jsonl")]
    log = read_eval_log(path)
    assert log.version == 2 and log.status == "success", log.status
    assert log.eval.model == report["model"], log.eval.model
    assert log.eval.metadata["definition_hash"] == report["plan_hash"]
    assert log.eval.packages["ifs"] == report["origin"]["ifs_version"]
    assert log.results.total_samples == len(transcripts)

    # Every metric of the results is one of the report, with its standard error.
    known = {metric["name"]: metric for metric in report["metrics"]}
    assert log.results.scores, "no metric"
    defined = 0
    for score in log.results.scores:
        metric = known[score.name]
        if metric["value"] is None:
            assert "value" not in score.metrics, score.name
            continue
        defined += 1
        assert close(score.metrics["value"].value, metric["value"]), score.name
        error = metric["standard_error"]
        assert (error is None) == ("stderr" not in score.metrics), score.name
        assert error is None or close(score.metrics["stderr"].value, error), score.name
    assert defined, "no metric has a value"
    headline = log.results.headline
    assert headline.score == log.results.scores[0].name

    # Every dialogue is a sample with all its turns.
    samples = list(read_eval_log_samples(path))
    assert [sample.id for sample in samples] == [held["index"] for held in transcripts]
    messages = set()
    for sample, held in zip(samples, transcripts):
        turns = held["turns"]
        said = [message for message in sample.messages if message.role == "user"]
        given = [message for message in sample.messages if message.role == "assistant"]
        rounds = sum(len(turn.get("rounds", [])) for turn in turns)
        messages |= {message.id for message in sample.messages}
        hidden = any("hidden" in turn for turn in turns)
        # The messages are the last request and its response.
        answers = [[one["answer"] for one in [*turn["samples"][:1], *turn.get("rounds", [])]] for turn in turns]
        history = [turn.get("history", last) for turn, (*_, last) in zip(turns, answers)]
        texts = [message.text for message in given]
        assert len(said) == len(given), sample.id
        assert texts[-1] == answers[-1][-1], sample.id
        if not rounds and not hidden:
            assert texts[:-1] == history[:-1], sample.id
        if not hidden:
            assert any(turns[0]["ask"] in message.text for message in sample.input), sample.id
        requests = [event for event in sample.events if event.event == "model"]
        verdicts = [event for event in sample.events if event.event == "score"]
        assert len(requests) == len(verdicts) >= len(given), sample.id
        # A request has the messages before it: the first, and then more and more.
        assert requests[0].input[-1].role == "user"
        for turn, request in zip(turns, requests):
            if not rounds and len(turn["samples"]) == 1:
                wanted = 2 * turn["turn"] - 1 + (sample.messages[0].role == "system")
                assert len(request.input) == wanted, (sample.id, turn["turn"])
        for score in (sample.scores or {}).values():
            assert not math.isnan(score.value)
    return messages


def main(logs, runs):
    ifs = str(Path(__file__).parents[2] / "target" / "debug" / "ifs")
    written = sys.stdin.read().split()
    listed = list_eval_logs(logs)
    assert len(listed) == len(written) == len(runs), listed
    messages = set()
    for path, run in zip(written, runs):
        messages |= check(ifs, path, run)
        print(f"ok: {run}")
    evals = evals_df(logs, strict=True)
    assert len(evals) == len(runs) and evals["score_headline_value"].notna().all()
    samples = samples_df(logs, strict=True)
    total = sum(sum(1 for _ in open(Path(run) / "transcripts.jsonl")) for run in runs)
    assert len(samples) == total, (len(samples), total)
    assert any(column.startswith("score_") for column in samples.columns)
    # The frame also has messages of requests that the dialogue does not go on with. Of a turn with golden history it
    # has the model's response, and not the history in its place.
    responses = {re.sub("-history$", "-assistant", message) for message in messages}
    assert responses <= set(messages_df(logs, strict=True)["message_id"])
    assert len(events_df(logs, strict=True)) > len(messages)
    print(f"ok: {len(evals)} logs, {len(samples)} samples, {len(messages)} messages")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

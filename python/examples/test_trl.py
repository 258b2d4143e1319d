"""The reward function with the arguments that TRL gives."""

import itertools

import trl_reward


def columns(rows):
    return {name: [row[name] for row in rows] for name in rows[0] if name != "prompt"}


def test_rewards_have_partial_credit(tides_path):
    rows = list(itertools.islice(trl_reward.prompts(tides_path, turn=2), 3))
    assert [len(row["prompt"]) for row in rows] == [3, 3, 3]
    texts = ["One two.", "One, two.", "a, b c d e f g h i j k"]
    completions = [[{"role": "assistant", "content": text}] for text in texts]
    prompts = [row["prompt"] for row in rows]
    assert trl_reward.reward(prompts, completions, **columns(rows), extra=[1, 2, 3]) == [1, 0.5, 0]
    assert trl_reward.reward(prompts, texts, **columns(rows)) == [1, 0.5, 0]


def test_a_turn_without_rules_has_no_reward(tmp_path):
    path = tmp_path / "kind.ifs"
    path.write_text(
        'ifs 1\nconstraint kind { say "Be kind." judge "Is it kind?" }\n'
        'dialogue talk { turn one { ask "Why? Be kind." impose 1 from kind } }\n'
    )
    rows = list(itertools.islice(trl_reward.prompts(str(path)), 1))
    assert trl_reward.reward([rows[0]["prompt"]], ["Because."], **columns(rows)) == [None]


def test_a_hundred_steps_on_evolif():
    from conftest import ROOT

    rows = trl_reward.prompts(str(ROOT / "scenarios" / "evolif"))
    for _ in range(100):
        group = [next(rows)] * 4
        texts = ["A response.", "", "WORDS IN CAPITALS.", "- one\n- two"]
        rewards = trl_reward.reward([row["prompt"] for row in group], texts, **columns(group))
        assert len(rewards) == 4 and all(one is None or 0 <= one <= 1 for one in rewards)


def test_what_is_trained_on_is_not_what_is_tested():
    import ifs
    from conftest import ROOT

    path = str(ROOT / "scenarios" / "intake")
    groups = dict(ifs.load(path).constraints)

    def imposed(split):
        benchmark, found = ifs.load(path, split=split), set()
        for row in itertools.islice(trl_reward.prompts(path, split=split, turn=2), 20):
            assert row["split"] == split
            turn = benchmark.draw(row["seed"], row["index"]).turn(2)
            found |= {groups[one.name] for one in turn.constraints}
        return found

    held_out = {"own_words", "layout", "voice_of_reply"}
    assert not imposed(None) & held_out
    assert imposed("hidden") & held_out

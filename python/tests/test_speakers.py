"""Who says a constraint, weights, branches, and metrics of a scenario, as Python sees them."""

import json
import pickle

import pytest

import ifs

# The system asks for capital letters; the user, who comes after it, for small ones.
LETTERS = """ifs 1
group letters {
  constraint large { say "Write in capital letters." check is_upper }
  constraint small { say "Write in small letters." check is_lower }
}
constraint closing { say "End with a full stop." check ends_with(".") }
/// How often the overruled side is obeyed.
metric led_astray of turn { return count(overruled where it.held) / count(overruled) }
/// The share of turns on which everything held.
metric steady of dialogue { return count(turns where it.held) / len(turns) }
dialogue desk {
  priority system > user > tool
  system "You answer for the library."
  impose letters.large by system
  report CSR, led_astray, steady
  turn plea { ask "Do you lend out maps?" impose 1 from letters by user against system impose closing }
  turn page { ask "And what does your page say?" show "For two weeks." by tool "search" }
}
"""

BRANCHES = """ifs 1
constraint brief { say "Use at most 5 words." check count(word) <= 5 }
dialogue talk {
  turn first { ask "Why are there tides?" impose brief }
  when missed { turn again { ask "That was too long. Again, please." } }
  turn last { ask "Thanks." }
}
"""

WEIGHTS = """ifs 1
constraint brief { say "Use at most 5 words." check count(word) <= 5 }
constraint closing { say "End with a full stop." check ends_with(".") }
dialogue talk {
  weigh brief 3
  turn first {
    ask "Name a tide."
    impose brief
    impose closing
    require tide contains(phrase ("tide")) weigh 2
  }
}
"""


@pytest.fixture(scope="module")
def desk():
    return ifs.loads(LETTERS)


def test_a_turn_says_who_says_what_and_what_is_overruled(desk):
    first = desk.draw(1, 0).turn(1)
    said = {(one.name, one.speaker): one.overruled for one in first.constraints}
    assert said == {
        ("letters.large", "system"): None,
        ("letters.small", "user"): "letters.large by system",
        ("closing", "user"): None,
    }
    system, user = desk.draw(1, 0).messages(1)
    assert system["content"] == "You answer for the library.\n\nWrite in capital letters."
    assert "small letters" in user["content"]


def test_what_a_tool_shows_is_in_the_message(desk):
    messages = desk.draw(1, 0).messages(2, ["YES."])
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "user"]
    assert "For two weeks." in messages[-1]["content"]
    session = ifs.Session(desk, 1, 0)
    session.reset()
    assert session.step("YES.").messages == messages


@pytest.mark.parametrize(
    "text, reward, missed",
    [("YES.", 1.0, []), ("yes.", 0.5, ["letters.large by system"]), ("Yes", 0.0, None)],
)
def test_what_is_overruled_is_in_no_reward(desk, text, reward, missed):
    dialogue, session = desk.draw(1, 0), ifs.Session(desk, 1, 0)
    session.reset()
    grades = [
        dialogue.grade(1, text),
        *desk.grade_batch([(dialogue, 1, text)]),
        session.grade(text),
        session.step(text).grade,
    ]
    for grade in grades:
        assert grade.reward == reward and grade.strict is (reward == 1.0)
        assert len(grade.constraints) == 2
        assert missed is None or grade.missed == missed
        speakers = {one.group: one.speaker for one in grade.constraints}
        assert speakers == {"letters": "system", "closing": "user"}


def test_a_witness_follows_the_first_speaker(desk):
    dialogue = desk.draw(1, 0)
    text = dialogue.witness(1)
    assert text == text.upper() and dialogue.grade(1, text).reward == 1.0


def test_drawn_tables_say_who_says_what(desk):
    pa = pytest.importorskip("pyarrow")
    import ifs.arrow

    row = pa.table(ifs.arrow.draw(desk, 1, 0, 1)).to_pylist()[0]
    each = zip(row["constraints"], row["speakers"], row["overruled"], strict=True)
    said = {name: (speaker, overruled) for name, speaker, overruled in each}
    assert said["letters.small"] == ("user", "letters.large by system")
    assert said["letters.large"] == ("system", None)
    assert len(json.loads(row["args"])) == len(row["constraints"])


def test_a_run_has_the_metrics_of_the_scenario(desk, tmp_path):
    obeys = iter(range(100))

    def model(messages):
        # Every other dialogue follows the user instead of the system.
        return "YES." if next(obeys) % 4 < 2 else "yes."

    finished = ifs.run(desk, model, dialogues=2, folder=tmp_path / "run", concurrency=1)
    assert finished.is_complete
    assert finished.metrics["led_astray"] == 0.5
    assert finished.metrics["steady"] == 0.5


def test_a_response_chooses_the_branch():
    talk = ifs.loads(BRANCHES)
    names = {}
    for text in ("Because of the moon.", "Because of the moon and of the sun."):
        session = ifs.Session(talk, 1, 0)
        messages, names[text] = session.reset(), []
        while messages is not None:
            names[text].append(session.turn.name)
            messages = session.step(text).messages
    assert list(names.values()) == [["first", "last"], ["first", "again", "last"]]
    # Without responses, the branch is drawn.
    drawn = {tuple(turn.name for turn in talk.draw(1, index)) for index in range(20)}
    assert drawn == {("first", "last"), ("first", "again", "last")}


def test_a_verdict_has_its_weight():
    dialogue = ifs.loads(WEIGHTS).draw(1, 0)
    grade = dialogue.grade(1, "The spring tide")
    weights = {one.name: one.weight for one in grade.constraints}
    assert weights == {"brief": 3.0, "closing": None, "requirement tide": 2.0}
    # The reward is the plain share.
    assert grade.reward == pytest.approx(2 / 3)
    copy = pickle.loads(pickle.dumps(grade))
    assert [one.weight for one in copy.constraints] == [one.weight for one in grade.constraints]
    assert copy.constraints[0].speaker == "user"

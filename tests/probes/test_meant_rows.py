"""Rows that differ from the data on purpose, without a library."""

from __future__ import annotations

from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows import intent
from trl_doctor.probes.rehearsal.rows.joined import joined_wrongly
from trl_doctor.probes.rehearsal.rows.left_out import QUESTION, left_out
from trl_doctor.probes.rehearsal.rows.meant import of_one_record
from trl_doctor.probes.rehearsal.rows.records import Records
from trl_doctor.probes.rehearsal.rows.sources import what_was_read
from trl_doctor.probes.rehearsal.rows.verdicts import verdicts

Rows = list[dict[str, Any]]
MANY = 24


def question(at: int) -> str:
    return f"What is it that the caller number {at} wants to know?"


def answer(at: int) -> str:
    return f"This caller should press the button number {at * 7}."


def other(at: int) -> int:
    """The record from which a row takes its answer."""
    return (at * 7 + 5) % MANY


def rows_of(taken: Any = other) -> Rows:
    return [{"prompt": question(at), "completion": answer(taken(at))} for at in range(MANY)]


def table(**more: Any) -> Rows:
    return [
        {"question": question(at), "answer": answer(at),
         **{name: make(at) for name, make in more.items()}}
        for at in range(MANY)
    ]  # fmt: skip


JOINED = {
    "a column of related records": [table(sku=lambda at: f"p{at}", also=lambda at: [other(at)],
                                          number=lambda at: at)],
    "a parent that is no id by its name": [
        [{"id": at, "parent": None, "question": question(at), "answer": f"It is of {at}, I think."}
         for at in range(MANY)]
        + [{"id": 100 + at, "parent": float(at), "question": None, "answer": answer(other(at))}
           for at in range(MANY)],
    ],
    "a concept in two languages": [
        [{"uid": f"en-{at}", "concept": f"c{at}", "question": question(at), "answer": f"Es {at}."}
         for at in range(MANY)]
        + [{"uid": f"de-{at}", "concept": f"c{at}", "question": f"Was will {at} wissen?",
            "answer": answer(other(at))} for at in range(MANY)],
    ],
    "times of two logs": [
        [{"asked": f"{at:02}:00", "text": question(at)} for at in map(other, range(MANY))],
        [{"sent": f"{at:02}:30", "text": answer(other(at))} for at in reversed(range(MANY))],
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", JOINED)
def test_rows_that_are_joined_by_something_else_than_ids_are_meant(name: str) -> None:
    assert joined_wrongly(Records(JOINED[name]), rows_of(), None) is None


def test_the_same_rows_without_what_joins_them_are_reported() -> None:
    assert joined_wrongly(Records([table()]), rows_of(), None)
    twice = [{**record, "level": at % 3} for at, record in enumerate(table())]
    assert joined_wrongly(Records([twice]), rows_of(), None)


def test_answers_that_share_more_words_with_the_question_are_meant() -> None:
    names = [f"castle{at} garden{at} river{at}" for at in range(MANY)]
    tables = [
        [{"id": at, "text": f"How far is {name} from here?"} for at, name in enumerate(names)],
        [{"id": at, "satz": f"So weit ist {names[other(at)]} von da."} for at in range(MANY)],
    ]
    rows = [{"prompt": tables[0][other(at)]["text"], "completion": tables[1][at]["satz"]}
            for at in range(MANY)]  # fmt: skip
    assert joined_wrongly(Records(tables), rows, None) is None
    rows = [{"prompt": tables[0][at]["text"], "completion": tables[1][at - 1]["satz"]}
            for at in range(MANY)]  # fmt: skip
    assert joined_wrongly(Records(tables), rows, None)


def test_what_a_user_says_next_is_no_answer_of_another_record() -> None:
    log = [{"user": question(at), "bot": answer(at)} for at in range(MANY)]
    rows = [{"prompt": log[at]["bot"], "completion": log[at + 1]["user"]} for at in range(MANY - 1)]
    assert joined_wrongly(Records([log]), rows, None) is None
    rows = [{"prompt": log[at]["user"], "completion": log[at + 1]["bot"]} for at in range(MANY - 1)]
    assert joined_wrongly(Records([log]), rows, None)


def test_letters_of_choices_are_no_answers_of_other_records() -> None:
    data = [{"question": question(at), "answer": "ABCDEFGHIJ"[at % 10]} for at in range(MANY)]
    rows = [{"prompt": question(at), "completion": "ABCDEFGHIJ"[at % 9]} for at in range(MANY)]
    assert joined_wrongly(Records([data]), rows, None) is None


def test_a_number_of_lines_is_no_id_of_another_table() -> None:
    for name, linked in (("page_number", True), ("question_id", False)):
        tables = [
            [{name: at + 1, "question": question(at)} for at in range(MANY)],
            [{"id": at, "answer": answer(at)} for at in range(MANY)],
        ]
        assert (joined_wrongly(Records(tables), rows_of(int), None) is None) == linked


def test_instructions_that_are_drawn_for_texts_are_no_questions() -> None:
    tables = [
        [{"instruction": f"Please write a poem in the manner {at}."} for at in range(MANY)],
        [{"poem": f"O caller number {at}, how you have called."} for at in range(MANY)],
    ]  # fmt: skip
    for drawn in (lambda at: at * at % 11, lambda at: (at + 3) % MANY):
        rows = [{"prompt": tables[0][drawn(at)]["instruction"], "completion": tables[1][at]["poem"]}
                for at in range(MANY)]  # fmt: skip
        assert bool(joined_wrongly(Records(tables), rows, None)) == (drawn(1) == 4)


def test_a_file_that_is_read_twice_is_one_table() -> None:
    frame = [{"id": at, "score": 0.5, "note": float("nan"), "text": question(at)}
             for at in range(MANY)]  # fmt: skip
    lines = [{"id": str(at), "score": "0.50", "note": "", "text": question(at)}
             for at in range(MANY)]  # fmt: skip
    assert len(what_was_read([], [], [frame, lines]).tables) == 1
    assert len(what_was_read([], [], [frame, lines[1:]]).tables) == 2


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> Any:
    """The source of the user's script."""

    def written(text: str) -> None:
        file = tmp_path / f"script{abs(hash(text))}.py"
        file.write_text(text)
        monkeypatch.setattr(intent, "own_files", lambda: [str(file)])

    return written


@pytest.mark.parametrize(
    ("text", "told"),
    [("bad = bad.sort('rating')", True), ("negatives = random.sample(bad, 9)", False)],
)
def test_rejected_answers_are_drawn_where_the_script_says_so(
    text: str, told: bool, code: Any
) -> None:
    code(text)
    tables = [
        [{"qid": at, "question": question(at), "answer": answer(at)} for at in range(MANY)],
        [{"qid": at, "question": question(at), "answer": f"Nobody knows the way, number {at * 7}."}
         for at in range(MANY)],
    ]  # fmt: skip
    rows = [{"prompt": question(at), "chosen": answer(at),
             "rejected": f"Nobody knows the way, number {at * at % MANY * 7}."}
            for at in range(MANY)]  # fmt: skip
    assert bool(joined_wrongly(Records(tables), rows, None)) is told


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("# closed-book: the model answers from memory", True),
        ("rows = rows.remove_columns(['context', 'id'])", True),
        ("del row['context']", True),
        ("frame = frame.drop(columns='context')", True),
        ("rows = rows.map(made, remove_columns=rows.column_names)", False),
        ("if row['context']: print(row['context'])", False),
    ],
)
def test_a_column_may_be_left_out_by_name(text: str, meant: bool, code: Any) -> None:
    code(text)
    data = table(context=lambda at: f"The caller {at} is in the queue, as was said before.")
    assert bool(left_out(Records([data]), rows_of(int), None)) != meant


def test_any_part_of_a_column_is_enough() -> None:
    talks = [
        [f"Hello, I am {at}.", "Hello!", f"I have lost the card {at * 3}."] for at in range(MANY)
    ]
    data = table(history=talks.__getitem__)
    said = [" ".join(f"{by}: {one}" for by, one in zip("UBU", talk, strict=True)) for talk in talks]
    rows = [{**row, "prompt": f"{own} U: {row['prompt']}"}
            for row, own in zip(rows_of(int), said, strict=True)]  # fmt: skip
    assert left_out(Records([data]), rows, None) is None
    assert left_out(Records([data]), rows_of(int), None)


def test_answers_of_a_record_fit_all_of_its_questions() -> None:
    faq = [{"asked": [question(at), f"Say, {question(at)}"], "told": [answer(at), f"{at}!" * 9]}
           for at in range(MANY)]  # fmt: skip
    rows = [{"prompt": one, "completion": other}
            for row in faq for one in row["asked"] for other in row["told"]]  # fmt: skip
    assert of_one_record([faq], rows)
    single = [{"asked": row["prompt"], "told": row["completion"]} for row in rows_of(int)]
    assert not of_one_record([single], rows)
    assert not of_one_record([rows], rows)


def test_input_and_output_of_a_test_are_no_part_of_the_question() -> None:
    numbers = lambda at: " ".join(str(at * n) for n in range(9, 20))  # noqa: E731
    data = table(input=numbers, output=lambda at: f"{at * 91} is the sum of all numbers")
    assert left_out(Records([data]), rows_of(int), None) is None
    sums = [
        {**row, "completion": one["output"]} for row, one in zip(rows_of(int), data, strict=True)
    ]
    assert left_out(Records([data]), sums, None)


def found(data: Rows, rows: Rows) -> list[str]:
    return [mistake.what for mistake in verdicts([data], rows)]


def voted(**columns: Any) -> tuple[Rows, Rows]:
    """Answers a are chosen, whatever columns say."""
    data = [
        {"question": question(at), "answer_a": answer(at), "answer_b": answer(at + 50),
         **{name: make(at) for name, make in columns.items()}}
        for at in range(MANY)
    ]  # fmt: skip
    pairs = [{"prompt": one["question"], "chosen": one["answer_a"], "rejected":
              one["answer_b"]} for one in data]  # fmt: skip
    return data, pairs


def test_a_column_that_agrees_with_the_pairs_is_enough() -> None:
    both = "ba"
    against = lambda at: both[at % 9 == 8]  # noqa: E731
    for_them = lambda at: both[at % 9 != 8]  # noqa: E731
    assert found(*voted(model_choice=against)) == ["pairs against choice"]
    assert found(*voted(model_choice=against, human_choice=for_them)) == []
    assert found(*voted(better=against, safer_response=lambda at: both[at > 0])) == []
    assert found(*voted(better=against, safer_response=for_them)) == ["pairs against choice"]
    assert found(*voted(winner=against, swapped=lambda _: True)) == []
    assert found(*voted(winner=against, order_id=lambda at: at)) == ["pairs against choice"]


def test_a_person_may_contradict_the_scores_of_a_model() -> None:
    data, pairs = voted(score_a=lambda at: at, score_b=lambda at: at + 1)
    assert found(data, pairs) == ["lower score taken"]
    data, pairs = voted(score_a=lambda at: at, score_b=lambda at: at + 1,
                        human_choice=lambda at: "ba"[at % 9 != 8])  # fmt: skip
    assert found(data, pairs) == []


def test_a_right_answer_may_have_the_lower_score() -> None:
    scores = {"score_a": lambda at: at, "score_b": lambda at: at + 2}
    right: dict[str, Any] = {"correct_a": lambda _: True, "correct_b": lambda _: False}
    assert found(*voted(**scores, **right)) == []
    wrong = {"correct_a": right["correct_b"], "correct_b": right["correct_a"]}
    assert found(*voted(**scores, **wrong)) == ["lower score taken"]
    data, pairs = voted(**scores)
    both = (("answer_a", 1), ("answer_b", 2))
    ranked = [{"question": one["question"], "said": [{"text": one[name], "human_rank": rank,
               "score": one["score_" + name[-1]]} for name, rank in both]}
              for one in data]  # fmt: skip
    assert found(ranked, pairs) == []


def test_one_column_that_agrees_with_the_labels_is_enough() -> None:
    rows = [{**row, "label": at % 3 == 0} for at, row in enumerate(rows_of(int))]
    assert found(table(auto_passed=lambda at: at % 3 > 0), rows) == ["labels against data"]
    both = table(auto_passed=lambda at: at % 3 > 0, accepted=lambda at: at % 3 == 0)
    assert found(both, rows) == []


@pytest.mark.parametrize(
    ("name", "values", "against"),
    [
        ("made_up", (True, False), False),
        ("attack_success", (True, False), False),
        ("passed_on", (True, False), False),
        ("thumbs", (1, 0), False),
        ("thumbs", (1, -1), True),
        ("thumbs", ("up", "down"), True),
        ("thumbs_up", (1, 0), True),
        ("severity_rating", (5, 1), False),
    ],
)
def test_names_that_call_an_answer_good(name: str, values: Any, against: bool) -> None:
    data = table(**{name: lambda at: values[at % 3 == 0]})
    rows = [{**row, "label": at % 3 == 0} for at, row in enumerate(rows_of(int))]
    assert bool(found(data, rows)) == against


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("# the column is a cost: lower is better", True),
        ("# score is the distance to the reference answer", True),
        ("# the scores are losses of a judge", True),
        ("# the score is the reward of a judge, and its error is small", False),
        ("LOWER_IS_BETTER = True", True),
        ("worst = frame.loc[frame.groupby('question').score.idxmin()]", True),
        ("best = frame.loc[frame.groupby('question').score.idxmin()]", False),
    ],
)
def test_the_script_may_want_the_lowest_scores(text: str, meant: bool, code: Any) -> None:
    code(text)
    data = [{"question": question(at // 3), "answer": answer(at), "score": at % 3}
            for at in range(MANY)]  # fmt: skip
    rows = [{"prompt": one["question"], "completion": one["answer"]} for one in data[::3]]
    assert bool(found(data, rows)) != meant


def test_lengths_are_no_scores() -> None:
    data = [{"question": question(at // 3), "answer": answer(at) + "!" * (at % 3)}
            for at in range(MANY)]  # fmt: skip
    data = [{**one, "score": len(one["answer"])} for one in data]
    rows = [{"prompt": one["question"], "completion": one["answer"]} for one in data[::3]]
    assert found(data, rows) == []


@pytest.mark.parametrize(
    ("asked", "lost"),
    [
        ("fault report of a lamp", True),
        ("fault {} | device and place: {}", False),
        ("", True),
    ],
)
def test_a_question_in_other_words_is_not_left_out(asked: str, lost: bool) -> None:
    data = [
        {"query": f"My lamp in hall{at} flickers since day{at}, please help me with it.",
         "said": f"Thank you, we shall send somebody, number {at * 31}.",
         "bad": f"Ask somebody else, I have {at * 17} others."}
        for at in range(MANY)
    ]  # fmt: skip
    pairs = [
        {"prompt": asked.format(f"of hall{at}", f"since day{at}"), "chosen": row["said"],
         "rejected": row["bad"]}
        for at, row in enumerate(data)
    ]  # fmt: skip
    assert bool(left_out(Records([data]), pairs, None, QUESTION)) is lost

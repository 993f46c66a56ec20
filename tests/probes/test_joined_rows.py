"""Rows beside the records that they were made of, without a library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows.joined import joined_wrongly
from trl_doctor.probes.rehearsal.rows.left_out import left_out
from trl_doctor.probes.rehearsal.rows.records import Records
from trl_doctor.probes.rehearsal.rows.verdicts import verdicts

Rows = list[dict[str, Any]]
MANY = 24


def question(at: int) -> str:
    return f"What is it that the caller number {at} wants to know?"


def answer(at: int) -> str:
    return f"This caller should press the button number {at * 7}."


def records(**more: Callable[[int], object]) -> Rows:
    return [
        {
            "question": question(at),
            "answer": answer(at),
            **{k: make(at) for k, make in more.items()},
        }
        for at in range(MANY)
    ]


def pairs(shift: int, count: int = MANY) -> Rows:
    return [
        {"prompt": question(at), "completion": answer((at + shift) % count)} for at in range(count)
    ]


def column(name: str, make: Callable[[int], str], **more: Callable[[int], object]) -> Rows:
    return [{name: make(at), **{k: own(at) for k, own in more.items()}} for at in range(MANY)]


def test_answers_of_other_records_are_counted() -> None:
    words = joined_wrongly(Records([records()]), pairs(1), None)
    assert words is not None
    assert words == [str(MANY), str(MANY), question(0), answer(1), answer(0)]
    assert joined_wrongly(Records([records()]), pairs(0), None) is None
    assert joined_wrongly(Records([records()]), pairs(1)[:7], None) is None


def test_a_text_that_all_records_have_links_none() -> None:
    table = records(source=lambda _: "https://example.org/tickets")
    assert joined_wrongly(Records([table]), pairs(1), None)
    assert joined_wrongly(Records([table]), pairs(0), None) is None


def test_a_text_of_both_is_enough() -> None:
    for shift in (0, 1):
        texts = [{"text": f"Q: {row['prompt']} A: {row['completion']}"} for row in pairs(shift)]
        assert bool(joined_wrongly(Records([records()]), texts, None)) == bool(shift)


def test_two_tables_belong_together_by_their_ids() -> None:
    tables = [
        column("question", question, id=lambda at: at),
        column("answer", answer, id=lambda at: at)[::-1],
    ]
    assert joined_wrongly(Records(tables), pairs(0), None) is None
    words = joined_wrongly(Records(tables), pairs(1), None)
    assert words
    assert words[2:] == [question(0), answer(1), answer(0)]


def test_two_tables_without_ids_belong_together_line_by_line() -> None:
    tables = [column("text", question), column("text", answer)]
    assert joined_wrongly(Records(tables), pairs(0), None) is None
    assert joined_wrongly(Records(tables), pairs(2), None)
    assert joined_wrongly(Records([tables[0], tables[1][1:]]), pairs(2), None) is None


HEALTHY = {
    "an id of its own, and the question's": (
        [
            column("question", question, id=lambda at: at),
            column("answer", answer, id=lambda at: 90 - at, question_id=lambda at: at),
        ],
        pairs(0),
    ),
    "a table of links": (
        [
            column("question", question, id=lambda at: at),
            column("answer", answer, id=lambda at: (at + 1) % MANY),
            [{"question_id": at, "answer_id": (at + 1) % MANY} for at in range(MANY)],
        ],
        pairs(0),
    ),
    "an address that is called otherwise": (
        [
            column("question", question, url=lambda at: f"https://example.org/{at}"),
            column("answer", answer, source=lambda at: f"https://example.org/{at}")[::-1],
        ],
        pairs(0),
    ),
    "posts that reply to another": (
        [
            [
                *({"id": at, "parent_id": None, "title": question(at), "body": f"It is of {at}."}
                  for at in range(MANY)),
                *({"id": 100 + at, "parent_id": at, "title": f"Re: {question(at)}",
                   "body": answer(at)} for at in range(MANY)),
            ]
        ],
        pairs(0),
    ),
    "an answer that many records have": (
        [[{**row, "answer": "There is no such button."} for row in records()]],
        [{**row, "completion": "There is no such button."} for row in pairs(0)],
    ),
    "rejected answers of other rows": (
        [records()],
        [{"prompt": question(at), "chosen": answer(at), "rejected": answer(at - 1)}
         for at in range(1, MANY)],
    ),
    "unwanted answers of other rows": ([records()], [{**row, "label": False} for row in pairs(1)]),
    "examples of other rows before the question": (
        [records()],
        [{"prompt": f"{question(at - 1)} {answer(at - 1)} {question(at)}",
          "completion": answer(at)} for at in range(1, MANY)],
    ),
    "a document that is not the question's": (
        [records(context=lambda at: f"In the handbook, page {at} explains the buttons.")],
        [{"prompt": f"In the handbook, page {at - 1} explains the buttons. {question(at)}",
          "completion": answer(at)} for at in range(1, MANY)],
    ),
    "answers that the script computes": ([records()], [{**row, "completion": f"{at}"}
                                                       for at, row in enumerate(pairs(0))]),
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
def test_what_belongs_together_is_not_reported(name: str) -> None:
    tables, rows = HEALTHY[name]
    assert joined_wrongly(Records(tables), rows, None) is None


def _found(table: Rows, rows: Rows) -> list[str]:
    return [mistake.what for mistake in verdicts([table], rows)]


def kto(label: Callable[[int], bool]) -> Rows:
    return [{**row, "label": label(at)} for at, row in enumerate(pairs(0))]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("thumbs_up", lambda at: at % 3 == 0),
        ("feedback", lambda at: "down" if at % 3 else "up"),
        ("verdict", lambda at: "incorrect" if at % 3 else "correct"),
        ("rating", lambda at: 2 if at % 3 else 5),
    ],
)
def test_labels_are_compared_with_what_the_data_call_good(name: str, value: Any) -> None:
    table = records(**{name: value})
    assert _found(table, kto(lambda at: at % 3 == 0)) == []
    assert _found(table, kto(lambda at: at % 3 != 0)) == ["labels against data"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("flagged", lambda at: at % 3 != 0),
        ("invalid", lambda at: at % 3 != 0),
        ("unhelpful", lambda at: at % 3 != 0),
        ("needs_help", lambda at: at % 3 != 0),
        ("not_correct", lambda at: at % 3 != 0),
        ("copyright", lambda at: at % 3 != 0),
        ("is_ai_generated", lambda at: at % 3 != 0),
        ("label", lambda at: int(at % 3 != 0)),
        ("toxicity_score", lambda at: 0.9 if at % 3 else 0.1),
        ("edit_distance", lambda at: 9 if at % 3 else 1),
    ],
)
def test_columns_that_say_nothing_good_are_left_alone(name: str, value: Any) -> None:
    assert _found(records(**{name: value}), kto(lambda at: at % 3 == 0)) == []


@pytest.mark.parametrize(
    ("names", "values"),
    [(("a", "b"), (1, 2)), (("1", "2"), ("model_1", "model_2")), (("0", "1"), (0, 1)),
     (("a", "b"), ("a", "b")), (("first", "second"), ("first", "second"))],
)  # fmt: skip
def test_pairs_are_compared_with_the_column_that_names_the_better(names: Any, values: Any) -> None:
    table = [
        {"question": question(at), f"answer_{names[0]}": answer(at),
         f"answer_{names[1]}": answer(at + 50), "winner": values[at % 2]}
        for at in range(MANY)
    ]  # fmt: skip
    for right in (True, False):
        rows = [
            {"prompt": row["question"],
             "chosen": row[f"answer_{names[(at % 2) ^ (not right)]}"],
             "rejected": row[f"answer_{names[(at % 2) ^ right]}"]}
            for at, row in enumerate(table)
        ]  # fmt: skip
        assert _found(table, rows) == ([] if right else ["pairs against choice"])


def test_a_scale_does_not_name_the_better_answer() -> None:
    table = [
        {"question": question(at), "response_1": answer(at), "response_2": answer(at + 50),
         "preference": (1, 1, 1, 2, -2)[at % 5]}
        for at in range(MANY)
    ]  # fmt: skip
    rows = [
        {"prompt": row["question"], "chosen": row["response_2"], "rejected": row["response_1"]}
        for row in table
    ]
    assert _found(table, rows) == []


def test_a_column_of_zeros_and_ones_does_not_name_answers_one_and_two() -> None:
    table = [
        {"question": question(at), "answer_1": answer(at), "answer_2": answer(at + 50),
         "winner": at % 2}
        for at in range(MANY)
    ]  # fmt: skip
    rows = [
        {"prompt": row["question"], "chosen": row["answer_1"], "rejected": row["answer_2"]}
        for row in table
    ]
    assert _found(table, rows) == []


def test_a_part_of_the_question_is_in_no_row() -> None:
    table = records(input=lambda at: f"The caller has the number {at} in the queue of callers.")
    without = [{"text": f"{row['question']} {row['answer']}"} for row in table]
    assert left_out(Records([table]), without, None) == ["input", table[0]["input"], str(MANY)]
    one = [*without[1:], {"text": "\n".join(map(str, table[0].values()))}]
    assert left_out(Records([table]), one, None) is None
    metadata = [{**row, "input_source": row["input"], "input": ""} for row in table]
    assert left_out(Records([metadata]), without, None) is None


def test_several_tickets_in_one_text_are_no_wrong_join() -> None:
    table = [
        {"id": 100 + at, "product": f"garden hose {at // 3}", "subject": f"The hose {at} is not",
         "body": f"The hose {at} is not what I wanted, as I have written {at * 3} times before."}
        for at in range(MANY)
    ]  # fmt: skip
    rows = [
        {"text": f"{table[at - 1]['body']} {row['body'][:40]} Which? It is the {row['product']}."}
        for at, row in enumerate(table)
    ]
    assert joined_wrongly(Records([table]), rows, None) is None


def test_the_end_of_a_solution_is_an_answer() -> None:
    table = [{"question": question(at), "answer": f"Count.\n#### {at * 3}"} for at in range(MANY)]
    for shift in (0, 1):
        rows = [
            {"prompt": question(at), "ground_truth": str((at + shift) % MANY * 3)}
            for at in range(MANY)
        ]
        assert bool(joined_wrongly(Records([table]), rows, None)) == bool(shift)


def test_letters_of_answers_are_no_ids() -> None:
    table = [
        {"prompt_id": at // 2, "answer_id": "ab"[at % 2], "prompt": question(at // 2),
         "answer": answer(at)}
        for at in range(MANY * 2)
    ]  # fmt: skip
    rows = [{"prompt": question(at), "completion": answer(2 * at + 2)} for at in range(MANY - 1)]
    assert joined_wrongly(Records([table]), rows, None)

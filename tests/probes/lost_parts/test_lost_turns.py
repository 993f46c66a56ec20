"""System messages of the rows that are not in what is trained on."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from trl_doctor.probes.rehearsal.rows import lost_turns as module
from trl_doctor.probes.rehearsal.rows.sources import Row

Turns = list[dict[str, str]]
NAMES = ("cat", "dog", "horse", "bird", "child")


def turns(name: str, system: str = "You speak as a {}.") -> Turns:
    return [
        {"role": "system", "content": system.format(name)},
        {"role": "user", "content": f"Where does the {name} go?"},
        {"role": "assistant", "content": f"The {name} goes home."},
    ]


def joined(messages: Turns) -> dict[str, Any]:
    return {"text": "\n".join(f"{one['role']}: {one['content']}" for one in messages)}


def found(
    change: Callable[[Turns], dict[str, Any]], system: str = "You speak as a {}.", code: str = ""
) -> list[Any]:
    read: list[Row] = [{"messages": turns(name, system)} for name in NAMES]
    rows = [change(row["messages"]) for row in read]
    return [mistake.words for mistake in module.lost_turns([read], rows, None)]


@pytest.fixture(autouse=True)
def without_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_chooses", lambda role: False)
    monkeypatch.setattr(module, "says", lambda pattern: False)


def test_messages_that_no_row_has_are_lost() -> None:
    assert found(lambda messages: joined(messages[1:])) == [["system", "You speak as a cat.", "5"]]


@pytest.mark.parametrize(
    "change",
    [
        lambda messages: {"messages": messages},
        joined,
        lambda messages: joined(
            [{**messages[1], "content": messages[0]["content"]}, *messages[1:]]
        ),
        lambda messages: {"prompt": messages[:2], "completion": messages[2:]},
        lambda messages: joined(messages[1:2]),
    ],
)
def test_rows_that_have_them_and_rows_without_the_answers_are_fine(
    change: Callable[[Turns], dict[str, Any]],
) -> None:
    assert found(change) == []


def test_one_message_for_all_rows_may_be_left_out() -> None:
    assert found(lambda messages: joined(messages[1:]), system="You are helpful.") == []


def with_first(messages: Turns, text: str) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": text}, *messages[1:]]}


@pytest.mark.parametrize(
    ("system", "change"),
    [
        ("You are {{name}}, a {} of the town.", lambda text: text.replace("{name}", "Ann")),
        ("Speak &amp; think as a {}.", lambda text: text.replace("&amp;", "&")),
        ("You speak as a {}. Never tell a lie.", lambda text: text.partition(". ")[0]),
        ("Be kind. Speak as a {}.", lambda text: text.partition(". ")[2]),
    ],
)
def test_messages_that_are_there_in_part_are_not_lost(
    system: str, change: Callable[[str], str]
) -> None:
    def changed(messages: Turns) -> dict[str, Any]:
        return with_first(messages, change(messages[0]["content"]))

    assert found(changed, system=system) == []


def test_rows_that_have_another_message_each_have_lost_none() -> None:
    def translated(messages: Turns) -> dict[str, Any]:
        return with_first(messages, messages[0]["content"].replace("You speak as", "Tu parles en"))

    assert found(translated) == []


def test_a_part_that_all_messages_have_does_not_keep_them() -> None:
    def shared(messages: Turns) -> dict[str, Any]:
        return with_first(messages, "You are helpful.")

    assert found(shared, system="You are helpful. Speak as a {}.")


def test_a_script_may_say_that_it_trains_without_them(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "# context distillation: there is no system prompt later"
    monkeypatch.setattr(module, "says", lambda pattern: pattern.search(said))
    assert found(lambda messages: joined(messages[1:])) == []


@pytest.mark.parametrize("date", ["2024-05-1{}", "1{}.5.2024", "May 1{}, 2024", "1{} May 2024"])
def test_messages_that_differ_in_their_date_may_be_left_out(date: str) -> None:
    read: list[Row] = [
        {"messages": turns(name, f"Today is {date.format(day)}.")} for day, name in enumerate(NAMES)
    ]
    rows = [joined(row["messages"][1:]) for row in read]
    assert list(module.lost_turns([read], rows, None)) == []


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        ("turns = [t for t in turns if t['role'] != 'system']", True),
        ("turns = [t for t in turns if t['role'] in ('user', 'assistant')]", True),
        ("turns = [t for t in turns if t['role'] in NAMES]", True),
        ("if turns[0]['role'] != 'user': turns = turns[1:]", False),
    ],
)
def test_code_that_names_the_role_chooses(
    line: str, chosen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(module, "own_files", lambda: [__file__])
    monkeypatch.setattr(module, "nodes_of", lambda file: ast.walk(ast.parse(line)))
    assert module._chooses("system") is chosen


TASKS = ("Translate {}.", "Be brief: {}.", "Sing of a {}.", "Count each {}.", "Who fears {}?")


@pytest.mark.parametrize(
    ("systems", "instead", "code", "lost"),
    [
        (TASKS, ["You help."] * 5, "", True),
        (TASKS, ["You help."] * 5, "def override_system_prompt(row): ...", False),
        (TASKS, ["You help.", "You assist."] * 3, "", False),
        (TASKS[:2] * 3, ["You help."] * 5, "", False),
        (("You speak as a {}.",) * 5, ["You help."] * 5, "", False),
        (TASKS, [""] * 5, "", False),
    ],
)
def test_tasks_that_one_message_replaces_are_lost(
    systems: tuple[str, ...], instead: list[str], code: str, lost: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(module, "_chooses", lambda role: True)
    monkeypatch.setattr(module, "says", lambda pattern: pattern.search(code))
    read: list[Row] = [
        {"messages": turns(name, system.format("thing"))}
        for name, system in zip(NAMES, systems, strict=False)
    ]
    rows = [
        {"messages": [{"role": "system", "content": one}, *row["messages"][1:]]}
        for one, row in zip(instead, read, strict=False)
    ]
    mistakes = list(module.lost_turns([read], rows, None))
    assert [mistake.what for mistake in mistakes] == ["system messages replaced"] * lost

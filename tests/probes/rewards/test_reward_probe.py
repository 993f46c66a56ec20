"""The probe of reward functions: how releases are read, what is tried, and what is kept away."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trl_doctor.probes.refusal import Refused
from trl_doctor.probes.reward_functions import calls as reward_calls
from trl_doctor.probes.reward_functions import release as reward_release
from trl_doctor.probes.reward_functions import rows as reward_rows
from trl_doctor.probes.reward_functions.exploits import exploits

OLD = """
class Trainer:
    def step(self, inputs, reward_func, reward_kwargs, torch):
        reward_kwargs = {key: [one[key] for one in inputs] for key in inputs[0]}
        output = reward_func(prompts=[], completions=[], **reward_kwargs)
        self.rewards[:, 0] = torch.tensor(output)
"""
NEW = """
import asyncio


class Trainer:
    def step(self, inputs, reward_func, reward_kwargs, torch):
        reward_kwargs["trainer_state"] = self.state
        output = reward_func(prompts=[], completions=[], completion_ids=[], **reward_kwargs)
        output = [reward if reward is not None else torch.nan for reward in output]
        if len(output) != 4:
            raise ValueError("4 were expected (one per prompt-completion pair)")
        asyncio.gather()
        advantages = torch.nan_to_num(advantages, nan=0.0)
"""


@pytest.fixture
def trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A trainer class of a module with this source."""

    def load(source: str) -> type:
        file = tmp_path / "small_trainer.py"
        file.write_text(source)
        spec = importlib.util.spec_from_file_location("small_trainer", file)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "small_trainer", module)
        spec.loader.exec_module(module)
        trainer: type = module.Trainer
        return trainer

    yield load


def test_an_old_release_passes_two_arguments_and_checks_nothing(trainer: Any) -> None:
    release = reward_release.release(trainer(OLD))
    assert release == (("completions", "prompts"), False, False, False, False)


def test_a_new_release_passes_more_and_counts(trainer: Any) -> None:
    release = reward_release.release(trainer(NEW))
    assert release.passes == ("completion_ids", "completions", "prompts", "trainer_state")
    assert release[1:] == (True, True, True, True)


def test_a_trainer_without_reward_functions_is_refused(trainer: Any) -> None:
    with pytest.raises(Refused, match="Trainer of this trl has no reward functions"):
        reward_release.release(trainer("class Trainer:\n    pass\n"))


@pytest.mark.parametrize("as_lines", [True, False])
def test_rows_have_all_columns(tmp_path: Path, as_lines: bool) -> None:
    rows = [{"prompt": "a", "answer": 1}, {"prompt": "b", "hint": "c"}]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n\n".join(map(json.dumps, rows)) if as_lines else json.dumps(rows))
    assert reward_rows.own_rows({"files": [str(file)]}) == [
        {"prompt": "a", "answer": 1, "hint": None},
        {"prompt": "b", "answer": None, "hint": "c"},
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"question": "a"}', "rows.jsonl has rows without a column prompt"),
        ('{"prompt": ', "rows.jsonl cannot be read"),
        ("\xff\xfe", "rows.jsonl cannot be read"),
    ],
)
def test_rows_that_cannot_be_tried_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(Refused, match=reason):
        reward_rows.own_rows({"files": [str(file)]})


def test_the_right_answer_is_found_by_the_name_of_its_column() -> None:
    assert reward_rows.gold_column([{"prompt": "a", "answer": 4, "label": True}]) == "answer"
    assert reward_rows.gold_column([{"prompt": "a", "label": True}]) is None
    assert reward_rows.gold_column([{"solution": "4"}, {"solution": None}]) is None


def test_answers_are_written_with_the_tags_of_the_prompt() -> None:
    system = {"role": "system", "content": "Write <plan> and then <SOLUTION>."}
    row = {"prompt": [system, {"role": "user", "content": "2 + 2"}], "answer": "{4}"}
    texts = {case.kind: case.text for case in reward_rows.cases([row], "answer", "long")}
    assert texts["gold: tags of the prompt"].endswith("</plan>\n<SOLUTION>\n{4}\n</SOLUTION>")
    assert texts["gold: boxed"].endswith(r"$\boxed{{4}}$.")
    assert (texts["copy of the prompt"], texts["empty"]) == ("2 + 2", "")


@pytest.mark.parametrize(
    ("answers", "options"),
    [
        (["A", "C"], "A, B, C, D"),
        (["(b)", "f"], "a, b, c, d, e, f"),
        (["Yes", "No"], "Yes, No"),
        (["4", "A"], None),
    ],
)
def test_options_are_tried_all_at_once(answers: list[str], options: str | None) -> None:
    rows = [{"prompt": "Which?", "answer": answer} for answer in answers]
    texts = {case.kind: case.text for case in reward_rows.cases(rows, "answer", "long")}
    assert texts.get("all options: alone") == options
    assert answers[-1] in texts["answer in garbage"]


def test_the_arguments_that_do_not_fit_are_named() -> None:
    def score(completions: Any, answer: Any, *, scale: float = 1.0) -> None: ...

    def takes_all(completions: Any, **kwargs: Any) -> None: ...

    given = {"completions": [], "prompts": []}
    assert reward_calls.misfit(score, given) == {"unexpected": ["prompts"], "missing": ["answer"]}
    assert reward_calls.misfit(takes_all, given) == {"unexpected": [], "missing": []}
    assert reward_calls.misfit(len, given)["missing"] == ["obj"]


def test_a_regular_expression_that_never_ends_is_stopped() -> None:
    code = """
    import re
    from trl_doctor.probes.reward_functions.calls import TookTooLong, within
    try:
        with within(0.2):
            try:
                re.match("(a+)+$", "a" * 40 + "b")
            except Exception:
                print("caught")
    except TookTooLong:
        print("stopped")
    """
    assert python(code) == "stopped\n"


def test_new_files_stay_away_from_the_run_and_old_ones_are_kept(tmp_path: Path) -> None:
    root, work = tmp_path / "run", tmp_path / "work"
    (root / "logs").mkdir(parents=True)
    work.mkdir()
    (root / "answers.txt").write_text("42")
    code = f"""
    import os
    from trl_doctor.probes.alone.place import held, place
    os.chdir({str(work)!r})
    with place([{str(root)!r}]):
        print(open("answers.txt").read())
        open("new.txt", "w").write("written")
        for refused in (
            lambda: open("answers.txt", "a"),
            lambda: open("logs/one.txt", "w"),
            lambda: os.remove({str(root / "answers.txt")!r}),
        ):
            try:
                refused()
            except OSError as error:
                print(held(error), str(error).startswith("a probe may not change"))
    """
    assert python(code) == "42\n" + "True True\n" * 3
    assert sorted(path.name for path in root.rglob("*")) == ["answers.txt", "logs"]
    assert ((root / "answers.txt").read_text(), (work / "new.txt").read_text()) == ("42", "written")


def test_what_is_refused_on_the_network_is_remembered_though_caught(tmp_path: Path) -> None:
    code = f"""
    import os, socket
    from trl_doctor.probes import network
    from trl_doctor.probes.alone import place as reward_place
    os.chdir({str(tmp_path)!r})
    network.close()
    with reward_place.place([]):
        try:
            socket.getaddrinfo("example.com", 80)
        except OSError:
            pass
    print(reward_place.reached)
    """
    assert python(code) == "['a probe may not look up example.com']\n"


def python(code: str) -> str:
    """What a process of its own prints."""
    process = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


def test_wrong_answers_and_empty_forms_are_tried() -> None:
    rows = [{"prompt": "Say.", "solution": "42"}, {"prompt": "Say.", "solution": "5"}]
    tried = {case.kind: case.text for case in exploits(rows, "solution") if case.row == 0}
    assert "\\boxed{133}" in tried["wrong answer: boxed"]
    assert tried["empty form: boxed"].endswith("$\\boxed{}$.")
    assert tried["every number: alone"].startswith("0, 1, 2, ") and tried["refusal"]
    assert tried["right and wrong: boxed"] != tried["wrong and right: boxed"]
    assert len(tried) == 44


def test_a_wrong_answer_of_words_is_that_of_another_row() -> None:
    rows = [{"prompt": "Say.", "solution": word} for word in ("Yes", "yes", "no")]
    tried = [case for case in exploits(rows, "solution") if case.kind == "wrong answer: alone"]
    assert [case.text for case in tried] == ["no", "no", "Yes"]
    assert not [case for case in exploits(rows[:2], "solution") if "wrong" in case.kind]


@pytest.mark.parametrize(
    ("prompt", "form"),
    [
        ("End with 'The answer is N.'\n\n2 + 2", "The answer is 4."),
        ('Then write "So I say <number>"', "So I say 4"),
        ("Write **Result {x} = ...** below", "Result {x} = 4"),
        ("It's Ben's, and isn't Ana's: who has X?", None),
    ],
)
def test_answers_are_written_in_the_sentence_that_a_prompt_asks_for(
    prompt: str, form: str | None
) -> None:
    cases = reward_rows.cases([{"prompt": prompt, "answer": 4}], "answer", "long")
    forms = {f"Let me see.\n{form}" for form in (form,) if form}
    assert forms <= {case.text for case in cases}
    assert bool(reward_rows.quoted(prompt)) == bool(form)

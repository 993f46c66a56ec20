"""How a rehearsal that ended early is explained: by its exit, or by where time ran out."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.probes.rehearsal.errors.stacks import Rank
from trl_doctor.rehearsing.ending.blame import failure
from trl_doctor.rehearsing.ending.failure import Failure
from trl_doctor.rehearsing.events import Event, Events

SCRIPT = "import trl\n\nwhile True:\n    trl.wait()\n"
IMPORTING = '  File "<frozen importlib._bootstrap>", line 1147 in _find_and_load\n'


def _ended(
    folder: Path,
    *events: Event,
    status: int = 0,
    late: bool = False,
    calls: str = "",
    tail: tuple[str, ...] = (),
) -> Failure:
    (folder / "train.py").write_text(SCRIPT)
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(status, late, 1, str(folder), ()), tail=tail)  # fmt: skip
    ranks = {0: Rank(0, 1, False, (calls,))} if late else {}
    ended = failure(Events(events, answer, folder, folder, ranks))
    assert ended is not None
    return ended


@pytest.mark.parametrize(
    ("calls", "says"),
    [
        (IMPORTING, "time ran out while the script was importing libraries"),
        (IMPORTING + '  File "{}", line 1 in <module>\n', "importing libraries at train.py:1"),
        ('  File "{}", line 4 in <module>\n', "it took too long: it was at train.py:4"),
    ],
)
def test_where_time_ran_out(calls: str, says: str, tmp_path: Path) -> None:
    ended = _ended(tmp_path, late=True, calls=calls.format(tmp_path / "train.py"))
    assert says in ended.message
    assert ended.remedy.startswith("raise --timeout")


@pytest.mark.parametrize(
    ("own", "text", "message", "whose"),
    [
        (True, "", "it ended with exit status 2", "script"),
        (False, "", "it ended with exit status 2", "script"),
        (False, "train.py: error: unrecognized arguments: --x 1",
         "the script refuses its arguments: unrecognized arguments: --x 1", "script"),
        (False, "train.py: error: argument --bf16: expected one argument",
         "the script refuses its arguments: argument --bf16: expected one argument", "script"),
        (False, "TRL CLI: error: argument command: invalid choice: 'rloo' (choose from 'sft')",
         "the script refuses its arguments: argument command: invalid choice: 'rloo' (choose from "
         "'sft')", "script"),
        (False, "train.py: error: ambiguous option: --b could match --bf16, --beta",
         "the script refuses its arguments: ambiguous option: --b could match --bf16, --beta",
         "script"),
        (False, "train.py: error: argument --f: can't open 'x'",
         "the script refuses its arguments: argument --f: can't open 'x'", "machine"),
        (False, "train.py: error: the following arguments are required: --x",
         "the script refuses its arguments: the following arguments are required: --x", "machine"),
    ],
)  # fmt: skip
def test_an_exit_with_the_status_of_parsers(
    own: bool, text: str, message: str, whose: str, tmp_path: Path
) -> None:
    end: Event = {"kind": "exit", "status": 2, "at": [str(tmp_path / "train.py"), 4],
                  "main": True, "own": own, "message": text, "rank": 0, "time": 1.0}  # fmt: skip
    ended = _ended(tmp_path, end, status=2)
    assert (ended.message, ended.whose) == (message, whose)


def test_a_rehearsal_that_cannot_begin_blames_no_script(tmp_path: Path) -> None:
    ended = _ended(tmp_path, status=70)
    assert (ended.whose, ended.at) == ("machine", None)
    assert ended.message.startswith("trl-doctor itself failed before the script began")
    begun: Event = {"kind": "started", "rank": 0, "time": 1.0}
    assert _ended(tmp_path, begun, status=70).whose == "script"


def test_a_command_that_the_script_starts_says_why(tmp_path: Path) -> None:
    refused = "TRL CLI: error: argument command: invalid choice: 'rloo' (choose from 'sft')"
    ended = _ended(tmp_path, status=1, tail=("usage: trl", refused, "the server ended with 2"))
    assert ended.message == f"it ended with exit status 1: {refused}"
    assert ended.seen == ("it printed last: the server ended with 2",)

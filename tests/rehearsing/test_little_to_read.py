"""What a script reads after a training that a rehearsal has made shorter than it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from trl_doctor.core.question import Answer, Question
from trl_doctor.probes.answers.rehearse import RehearseAnswer
from trl_doctor.rehearsing.code_line import CodeLine
from trl_doctor.rehearsing.ending.certain_errors import shortened
from trl_doctor.rehearsing.events import Events

COLLECTS = (
    "seen = []\ndef compute_metrics(pair):\n    seen.append(len(pair))\n    return {}\n"
    "trainer = SFTTrainer('m', compute_metrics=compute_metrics)\ntrainer.train()\n"
    "print(max(seen))\n"
)
LOGGED = "trainer.train()\nlog = trainer.state.log_history\nprint(log[0]['x'])\n"
EMPTY = "ValueError", "max() arg is an empty sequence"


@pytest.mark.parametrize(
    ("script", "error", "excused"),
    [
        (COLLECTS, EMPTY, True),
        (COLLECTS, ("TypeError", "'<' not supported"), False),
        (COLLECTS.replace("compute_metrics=", "other="), EMPTY, False),
        (COLLECTS.replace("compute_metrics", "counted"), EMPTY, False),
        (COLLECTS.replace("seen.append(len(pair))", "pass"), EMPTY, False),
        (COLLECTS.replace("seen = []", "seen = given"), EMPTY, False),
        (LOGGED, ("KeyError", "'sampling/importance_sampling_ratio/mean'"), True),
        (LOGGED, ("KeyError", "'los'"), False),
        (LOGGED, ("IndexError", "list index out of range"), True),
    ],
)
def test_which_errors_say_nothing_of_the_job(
    script: str, error: tuple[str, str], excused: bool, tmp_path: Path
) -> None:
    path = tmp_path / "train.py"
    path.write_text(script)
    answer = Answer(Question("rehearse", "it", {}, RehearseAnswer), "answered",
                    RehearseAnswer(1, False, 1, str(tmp_path), ()))  # fmt: skip
    step = {"kind": "step", "done": True}
    event = {"type": error[0], "message": error[1], "frames": [], "stage": ""}
    at = CodeLine(path, len(script.splitlines()))
    assert shortened(Events((step,), answer, tmp_path, tmp_path, {}), event, at) is excused

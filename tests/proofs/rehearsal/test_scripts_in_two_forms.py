"""A stranger's scripts: real runs show the mistake, a rehearsal finds it, healthy forms pass."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ran
from laid import Interpreter
from rehearsing import findings_by_rule, rehearsal
from two_forms import SCRIPTS
from two_forms.script import TwoForms, by_environment


@pytest.mark.slow
@pytest.mark.parametrize("case", by_environment(SCRIPTS))
@pytest.mark.parametrize("form", ("bad", "good"))
def test_a_rehearsal_finds_the_mistake_of_the_wrong_form_only(
    case: TwoForms, form: str, interpreter: Interpreter, tmp_path: Path
) -> None:
    python = interpreter(case.environment)
    case.lay(form, tmp_path)
    process = ran(python, "train.py", cwd=tmp_path)
    shows = process.stdout + process.stderr
    assert (case.bad if form == "bad" else case.good) in shows, shows[-2000:]
    _, report = rehearsal(tmp_path, python, "train.py")
    by_rule = findings_by_rule(report)
    wrong = {
        name
        for name, findings in by_rule.items()
        if any(finding["severity"] == "error" for finding in findings)
    }
    if form == "good":
        assert not wrong, by_rule
        assert case.rule not in by_rule, by_rule
    else:
        (finding, *_) = by_rule[case.rule]
        assert finding["severity"] == case.severity
        assert case.says in finding["message"]

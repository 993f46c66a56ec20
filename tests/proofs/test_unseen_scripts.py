"""A stranger's scripts: real runs show the mistake, a rehearsal finds it, healthy forms pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from commands import ran
from test_rehearsal import ROOT, found, rehearsal
from unseen import UNSEEN, Unseen


def by_environment() -> list[object]:
    """Each case, marked with the environment that it needs."""
    return [
        pytest.param(case, id=case.name, marks=pytest.mark.environment(case.environment))
        for case in UNSEEN
    ]


@pytest.mark.slow
@pytest.mark.parametrize("case", by_environment())
@pytest.mark.parametrize("form", ("bad", "good"))
def test_a_script_that_nobody_has_seen(
    case: Unseen, form: str, interpreter: Callable[[str], Path], tmp_path: Path
) -> None:
    python = interpreter(case.environment)
    (tmp_path / "models").symlink_to(ROOT / "fixtures/models")
    for name, text in {**case.files, "train.py": case.form(form)}.items():
        (tmp_path / name).write_text(text)
    done = ran(python, "train.py", cwd=tmp_path)
    shows = done.stdout + done.stderr
    assert (case.bad if form == "bad" else case.good) in shows, shows[-2000:]
    _, report = rehearsal(tmp_path, python, "train.py")
    told = found(report)
    wrong = {name for name, some in told.items() if any(one["severity"] == "error" for one in some)}
    if form == "good":
        assert not wrong, told
        assert case.rule not in told, told
    else:
        (finding, *_) = told[case.rule]
        assert finding["severity"] == case.severity
        assert case.says in finding["message"]

"""A run file with variables: what they give is not known, and the rest is examined."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.checkup.templated import with_unknown_values
from trl_doctor.commands.cli import main
from trl_doctor.core.unavailable import Undecided
from trl_doctor.facts.partly import Partly
from trl_doctor.files import document

RUN = """\
# trl-doctor: trainer=sft
output_dir: out/${RUN:-1}
max_length: 512
packing: false
learning_rat: 1.0e-5
"""


def mapping_of(text: str) -> dict[str, object]:
    file = document.parse(Path("run.yaml"), text.encode())
    return dict(vars_of(with_unknown_values(file).mapping()))


def vars_of(mapping: dict[str, object]) -> dict[str, object]:
    return {**mapping.settled(), **mapping.unknown} if isinstance(mapping, Partly) else mapping


def test_only_values_with_a_variable_are_unknown() -> None:
    values = mapping_of("a: ${A}\nb: [x, '${B:-2}']\nc: $5\nd: '{% if x %}{{ y }}{% endif %}'\n")
    assert [key for key, value in values.items() if isinstance(value, Undecided)] == ["a", "b"]
    assert str(values["b"]) == "b is not known: ${B:-2} is filled in by another program, not by TRL"
    assert values["c"] == "$5"


def test_the_other_keys_are_examined_and_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.yaml").write_text(RUN)
    versions = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")
    output = CliRunner().invoke(main, ["check", "run.yaml", *versions]).stdout
    assert "learning_rat; did you mean learning_rate?" in output
    assert "${RUN:-1} is filled in by another program" in " ".join(output.split())
    CliRunner().invoke(main, ["check", "run.yaml", *versions, "--fix", "--unsafe-fixes"])
    assert (tmp_path / "run.yaml").read_text() == RUN.replace("learning_rat:", "learning_rate:")


def test_an_option_on_top_gives_a_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run.yaml").write_text(RUN + "beta: ${BETA}\n")
    words = ("check", "run.yaml", "--level", "files", "--", "--output_dir", "out")
    output = " ".join(CliRunner().invoke(main, words).stdout.split())
    assert "${RUN:-1}" not in output
    assert "beta is not known: ${BETA} is filled in by another program" in output


def test_a_quoted_here_document_keeps_its_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.sh").write_text(f"cat > a.yaml <<'EOF'\n{RUN}EOF\ntrl sft --config a.yaml\n")
    output = CliRunner().invoke(main, ["check", "job.sh", "--level", "files"]).stdout
    assert "output_dir is not known: ${RUN:-1} is filled in" in " ".join(output.split())

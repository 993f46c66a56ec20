"""Files that a launch file contains: here-documents and the texts of a ConfigMap."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from trl_doctor.commands.cli import main
from trl_doctor.rehearsing.command.launch_file import NotStarted, local_command

OPTIONS = ("--with", "trl==1.16.0", "--with", "transformers==5.23.0", "--level", "files")
RUN = "model_name_or_path: ./m\noutput_dir: out\nlearning_rate: {rate}\nmax_seq_length: 5\n"
SCRIPT = (
    "from trl import SFTConfig, SFTTrainer\n"
    "args = SFTConfig('out',\n    max_seq_length=5)\n"
    "SFTTrainer('./m', args=args).train()\n"
)
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  {name}: |\n{text}---\n"
JOB = "apiVersion: v1\nkind: Pod\nspec:\n- command: [{command}]\n"


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


SHAPES = {
    "cat": "cat > /tmp/r.yaml <<EOF\n" + RUN.format(rate="$RATE") + "EOF\n"
    "trl sft --config /tmp/r.yaml\n",
    "cat, the target last": "cat <<'EOF' > run.yaml\n" + RUN.format(rate="1e-5") + "EOF\n"
    "srun bash -c 'trl sft --config run.yaml'\n",
    "tee": "tee run.yaml <<EOF\n" + RUN.format(rate="1e-5") + "EOF\ntrl sft --config=run.yaml\n",
    "in two parts": "N=4\ncat > $N.yaml <<EOF\noutput_dir: out\nEOF\necho\n"
    "cat >> $N.yaml <<EOF\n" + RUN.format(rate="1e-5").replace("output_dir: out\n", "")
    + "EOF\ntrl sft --config 4.yaml\n",
    "script": f"cat <<'EOF' > train.py\n{SCRIPT}EOF\npython train.py\n",
    "map": MAP.format(name="a.yaml", text=indented(RUN.format(rate="1e-5")))
    + JOB.format(command="trl, sft, --config, /etc/c/a.yaml"),
    "script in a map": JOB.format(command="python, /app/train.py") + "---\n"
    + MAP.format(name="train.py", text=indented(SCRIPT)),
}  # fmt: skip


def check(*words: str) -> str:
    return CliRunner().invoke(main, ["check", *words, *OPTIONS]).output


def test_a_run_file_inside_the_launch_file_is_not_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = SHAPES["tee"].replace("max_seq_length", "max_lengt")
    (tmp_path / "job.sh").write_text(text)
    words = " ".join(check("job.sh", "--fix").split())
    assert (
        "--fix cannot change this line: the run file is a text inside of the launch file" in words
    )
    assert (tmp_path / "job.sh").read_text() == text


@pytest.mark.parametrize("shape", SHAPES)
def test_a_file_inside_the_launch_file_is_examined(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = SHAPES[shape]
    name = "job.yaml" if "kind:" in text else "job.sh"
    (tmp_path / name).write_text(text)
    line = text[: text.index("max_seq_length")].count("\n") + 1
    output = check(name, "-o", "concise")
    assert f"{name}:{line}:" in output and "has no max_seq_length" in output
    assert "was not found" not in output
    check(name, "--fix", "--unsafe-fixes")
    assert (tmp_path / name).read_text() == text


def test_what_a_variable_gives_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.sh").write_text(SHAPES["cat"])
    assert "learning_rate is not known: a variable gives it (job.sh)" in check("job.sh", "-v")
    (tmp_path / "job.sh").write_text("RATE=1e-5\n" + SHAPES["cat"])
    assert "learning_rate is not known" not in check("job.sh", "-v")


def test_a_file_that_is_edited_before_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    edited = SHAPES["cat"].replace("\ntrl ", "\nsed -i s/out/$OUT/ /tmp/r.yaml\ntrl ")
    (tmp_path / "job.sh").write_text(edited)
    assert "r.yaml was not found" in check("job.sh")


def test_an_error_in_it_has_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.sh").write_text("cat > r.yaml <<EOF\na: [\nEOF\ntrl sft --config r.yaml\n")
    assert "job.sh:3:1 is not valid YAML" in " ".join(check("job.sh").split())


def test_a_rehearsal_has_the_files_that_a_script_writes_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for shape in ("cat, the target last", "tee", "in two parts", "script"):
        (tmp_path / "job.sh").write_text(SHAPES[shape])
        here = local_command(["job.sh"], {}, None)
        assert here is not None
        (name,) = here.files
        assert name in here.words or f"--config={name}" in here.words
        line = SHAPES[shape].split("\n").index("    max_seq_length=5)" if shape == "script"
                                               else "max_seq_length: 5")  # fmt: skip
        assert "max_seq_length" in here.files[name].split("\n")[line]


@pytest.mark.parametrize("shape", ["cat", "a value that is not known"])
def test_a_rehearsal_of_an_unsaved_file_has_a_remedy(
    shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = SHAPES["tee"].replace("1e-5", "$RATE") if shape not in SHAPES else SHAPES[shape]
    (tmp_path / "job.sh").write_text(text)
    with pytest.raises(NotStarted, match=r"which job\.sh itself contains: save it as a file"):
        local_command(["job.sh"], {}, None)


@pytest.mark.parametrize(
    "line",
    [
        "python - <<'EOF'",
        "srun python3 -u - --rate 1 <<EOF",
        "python <<EOF",
        "uv run python - <<EOF",
    ],
)
def test_a_script_that_python_reads_from_a_here_document(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = "python - <<EOF\nimport torch\nprint(torch.cuda.is_available())\nEOF\n"
    (tmp_path / "job.sh").write_text(f"{first}{line}\n{SCRIPT}EOF\n")
    output = check("job.sh", "-o", "concise")
    assert "job.sh:8:" in output and "has no max_seq_length" in output
    here = local_command(["job.sh"], {}, None)
    assert here is not None and not here.after and "here-document.py" in here.words


def test_two_scripts_of_one_name_are_not_rehearsed_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = f"python - <<EOF\n{SCRIPT}EOF\n"
    (tmp_path / "job.sh").write_text(lines * 2)
    with pytest.raises(NotStarted, match="starts 2 trainings"):
        local_command(["job.sh"], {}, None)


def test_several_trainings_of_a_file_have_their_lines_in_the_totals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.sh").write_text(f"{SHAPES['cat']}{SHAPES['script']}")
    lines = (7, 14)
    assert all(f"failed  job.sh, line {line} " in check("job.sh") for line in lines)
    for form in ("html", "markdown", "junit"):
        assert all(f"job.sh, line {line}" in check("job.sh", "-o", form) for line in lines)
    (tmp_path / "job.sh").write_text(SHAPES["cat"])
    assert "job.sh, line" not in check("job.sh", "-o", "junit")

"""`--fix` and `--diff`: what is repaired, what is held back, what is refused."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from repair_ground import COPY, GENERATION, VLLM, check, doctor, files, stamps
from small_plugin import puts

# What is repaired


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        (VLLM, {str(GENERATION)}),
        (COPY, {"models/healthy/tokenizer.json", "models/healthy/tokenizer_config.json"}),
    ],
    ids=["edits", "copies"],
)
def test_a_repair_and_its_way_back(arguments: tuple[str, ...], changed: set[str]) -> None:
    before = files()
    plain = [argument for argument in arguments if argument != "--unsafe-fixes"]
    assert check(*plain).exit_code == 1
    assert files() == before

    untouched = stamps()
    shown = check(*arguments, "--diff")
    assert shown.exit_code == 1
    assert stamps() == untouched

    repaired = check(*arguments, "--fix")
    assert repaired.exit_code == 0
    assert "to undo it: trl-doctor undo broken-vllm.yaml\n" in repaired.stderr
    after = files()
    assert {name for name in after if after[name] != before.get(name)} == changed
    assert check(*plain).exit_code == 0

    still = stamps()
    again = check(*arguments, "--fix")
    assert (again.exit_code, again.stderr) == (0, "nothing to repair\n")
    assert check(*arguments, "--diff").stdout == ""
    assert stamps() == still

    undone = doctor("undo", "broken-vllm.yaml")
    assert undone.exit_code == 0
    assert {line.removeprefix("restored ") for line in undone.stdout.splitlines()} == changed
    assert files() == before
    patched(shown.stdout_bytes)
    assert files() == after


def test_a_repair_of_a_job_is_undone_by_its_name() -> None:
    Path("go.sh").write_text("trl grpo --config broken-vllm.yaml\n")
    repaired = check("go.sh", "--select", VLLM[2], "--fix")
    assert repaired.stderr.endswith("to undo it: trl-doctor undo go.sh\n")
    assert doctor("undo", "go.sh").stdout == f"restored {GENERATION}\n"


def patched(diff: bytes) -> None:
    command = ["patch", "-p0", "--batch", "--binary", "--no-backup-if-mismatch"]
    process = subprocess.run(command, input=diff, capture_output=True)
    assert process.returncode == 0, process.stdout + process.stderr


RUNS = {
    "lf.json": b'{"trainer": "grpo",\n "seed": 1}\n',
    "no end.json": b'{\n  "trainer": "grpo"\n}',
    "crlf.json": b'{\r\n  "trainer": "grpo"\r\n}\r\n',
    "odd \t\"name'\\.json": b'{"trainer": "grpo", "x": "\\ud800"}',
    "l\xe9.json": '{"trainer": "grpo",\n "x": "no line\u2028ends\x85here\x7f"}\n'.encode(),
    "mixed.yaml": b"# kept\r\ntrainer: grpo  # kept\nseed: 1\r\n",
    "sub/deep.yaml": b"trainer: grpo\nmodel_revision: main",
}


@pytest.mark.parametrize("name", RUNS)
def test_a_diff_applies_and_gives_what_a_fix_gives(name: str, rules: Callable[..., None]) -> None:
    rules(beta=puts("/beta", 0.5), loss=puts("/loss_type", "grpo"))
    file = Path(name)
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(RUNS[name])
    shown = check(name, "--select", "case-*", "--diff").stdout_bytes
    assert file.read_bytes() == RUNS[name]
    assert check(name, "--select", "case-*", "--fix").exit_code == 0
    after = file.read_bytes()
    assert after != RUNS[name]
    file.write_bytes(RUNS[name])
    patched(shown)
    assert file.read_bytes() == after


def test_a_new_file_is_in_the_diff_and_goes_with_undo(rules: Callable[..., None]) -> None:
    Path("models/run.yaml").write_text("trainer: grpo\nmodel_name_or_path: healthy\n")
    rules(made=MAKES)
    target = ("models/run.yaml", "--select", "case-made")
    assert check(*target, "--diff").stdout == (
        '--- /dev/null\n+++ models/healthy/made.json\n@@ -0,0 +1,3 @@\n+{\n+  "a": 1\n+}\n'
    )
    assert check(*target, "--fix").exit_code == 0
    assert json.loads(Path("models/healthy/made.json").read_bytes()) == {"a": 1}
    assert doctor("undo", "models/run.yaml").exit_code == 0
    assert not Path("models/healthy/made.json").exists()


MAKES = """\
made = facts.folder.file('made.json')
if not made.exists():
    yield Finding(place, 'it is not made', fix=Fix('make it', (Put(made, '/a', 1),)))
"""


def test_models_beside_the_run_file_are_restored_by_the_named_undo(
    rules: Callable[..., None],
) -> None:
    rules(made=MAKES)
    Path("runs").mkdir()
    Path("runs/run.yaml").write_text("trainer: grpo\nmodel_name_or_path: ../models/healthy\n")
    repaired = check("runs/run.yaml", "--select", "case-*", "--fix")
    assert repaired.exit_code == 0, repaired.stderr
    named = repaired.stderr.partition("trl-doctor undo ")[2].removesuffix("\n")
    assert doctor("undo", named).exit_code == 0
    assert not Path("models/healthy/made.json").exists()


# What is held back


def held(*arguments: str) -> str:
    """What was held back, where nothing may have been written."""
    before = stamps()
    result = check("grpo.yaml", "--select", "case-*", "--fix", *arguments)
    assert result.exit_code == 1
    assert stamps() == before
    assert result.stderr.endswith("\nnothing was repaired\n")
    return result.stderr


def test_contradicting_fixes_are_reported_and_one_is_made(rules: Callable[..., None]) -> None:
    for rule, name, value in (("first", "a", 1), ("second", "b", 2)):
        fix = f"Fix('{name}', (Put(place.file, '/beta', {value}),))"
        body = f"if 'beta' not in arguments:\n    yield Finding(place, 'no beta', fix={fix})"
        rules(**{rule: body})
    result = check("grpo.yaml", "--select", "case-*", "--fix")
    message = "not repaired: b (case-second): another fix sets the same value differently"
    assert message in result.stderr
    assert "repaired: a (case-first)" in result.stderr
    assert "\nbeta: 1\n" in Path("grpo.yaml").read_text()


def test_equal_fixes_merge(rules: Callable[..., None]) -> None:
    Path("run.json").write_text('{"trainer": "grpo", "stop": []}')
    body = (
        "if not arguments.get('stop'):\n"
        "    yield Finding(place, 'no stop', fix=Fix('a', (Put(place.file, '/stop/-', 7),)))"
    )
    rules(first=body, second=body)
    assert check("run.json", "--select", "case-*", "--fix").exit_code == 0
    assert json.loads(Path("run.json").read_text())["stop"] == [7]


def test_different_items_for_one_list_are_both_added(rules: Callable[..., None]) -> None:
    Path("run.json").write_text('{"trainer": "grpo", "stop": []}')
    for name, number in (("first", 7), ("second", 8)):
        body = (
            f"if {number} not in arguments['stop']:\n"
            f"    fix = Fix('add {number}', (Put(place.file, '/stop/-', {number}),))\n"
            "    yield Finding(place, 'no stop', fix=fix)"
        )
        rules(**{name: body})
    assert check("run.json", "--select", "case-*", "--fix").exit_code == 0
    assert json.loads(Path("run.json").read_text())["stop"] == [7, 8]


def test_a_renamed_key_takes_the_finding_of_another_rule_along() -> None:
    text = """\
from trl import DPOConfig, DPOTrainer
args = DPOConfig(output_dir="out", evaluation_strategy="steps")
DPOTrainer("org/model", args=args, train_dataset=rows)
"""
    Path("train.py").write_text(text)
    with_ = ("--with", "transformers==5.23.0", "--with", "trl==1.16.0")
    result = check("train.py", "--level", "files", *with_, "--fix")
    assert "not repaired" not in result.stderr
    assert Path("train.py").read_text() == text.replace("evaluation_s", "eval_s")


HELD = {
    "does not silence its rule": (
        {"deaf": "yield Finding(place, 'no', fix=Fix('f', (Put(place.file, '/beta', 1),)))"},
        "the rule would still report its finding",
    ),
    "makes another rule speak": (
        {
            "first": puts("/beta", 0.5),
            "other": "if arguments.get('beta'):\n    yield Finding(place, 'beta is set')",
        },
        "case-other would then report: beta is set",
    ),
    "finds something at another key": (
        {
            "first": "if arguments.get('beta'):\n"
            "    yield Finding(Place(place.file, '/z'), 'z is wrong')\n"
            "else:\n"
            "    edit = Put(place.file, '/beta', 1)\n"
            "    yield Finding(place, 'no', fix=Fix('f', (edit,)))"
        },
        "case-first would then report: z is wrong",
    ),
    "makes another rule move its finding": (
        {
            "first": puts("/beta", 0.5),
            "other": "key = '/z' if arguments.get('beta') else place.pointer\n"
            "yield Finding(Place(place.file, key), 'it moves')",
        },
        "case-other would then report: it moves",
    ),
    "makes another rule crash": (
        {"first": puts("/beta", 0.5), "other": "if arguments.get('beta'):\n    1 / 0"},
        "case-other could not examine the result: ZeroDivisionError",
    ),
    "blinds another rule": (
        {
            "first": puts("/beta", 0.5),
            "other": "if arguments.get('beta'):\n    raise Unavailable('beta hides it')",
        },
        "case-other could not examine the result: beta hides it",
    ),
    "outside": (
        {"out": puts("/beta", 1, file="Path('/tmp/outside.json')")},
        "/tmp/outside.json is not a file of this run",
    ),
    "beside the run file": (
        {"out": puts("/beta", 1, file="place.file.parent / 'ppo.yaml'")},
        "ppo.yaml is not a file of this run",
    ),
    "by dots": (
        {"out": puts("/beta", 1, file="facts.folder.file('../reward/config.json')")},
        "../reward/config.json is not a file of this run",
    ),
    "through a linked folder": (
        {"out": puts("/beta", 1, file="facts.folder.file('link/config.json')")},
        "link/config.json is not a file of this run",
    ),
    "copied out": (
        {
            "out": "edit = Copy(Path('/tmp/outside.json'), facts.folder.file('config.json'))\n"
            "yield Finding(place, 'no', fix=Fix('f', (edit,)))"
        },
        "/tmp/outside.json is not a file of this run",
    ),
    "of a pipe": (
        {"pipe": puts("/beta", 1, file="facts.folder.file('pipe.json')")},
        "pipe.json is a named pipe, not a file",
    ),
    "from a pipe": (
        {
            "pipe": "edit = Copy(facts.folder.file('x.json'), facts.folder.file('pipe.json'))\n"
            "yield Finding(place, 'no', fix=Fix('f', (edit,)))"
        },
        "pipe.json is a named pipe, not a file",
    ),
    "in a folder that is not there": (
        {"gone": puts("/beta", 1, file="facts.folder.file('gone/x.json')")},
        "No such file or directory",
    ),
    "at a place that is not there": (
        {"nowhere": puts("/a/b/c", 1)},
        "there is no /a",
    ),
    "changes the ids of ordinary text": (
        {
            "ids": "edit = Put(facts.folder.file('tokenizer.json'), '/pre_tokenizer', None)\n"
            "yield Finding(place, 'no', fix=Fix('f', (edit,)))"
        },
        "ordinary text would get other token ids",
    ),
    "of a file that is no JSON": (
        {"text": puts("/beta", 1, file="facts.folder.file('broken.json')")},
        "is not valid JSON",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HELD)
def test_a_fix_is_held_back_that(name: str, rules: Callable[..., None]) -> None:
    bodies, says = HELD[name]
    Path("models/healthy/link").symlink_to(Path("models/reward").absolute())
    Path("models/healthy/broken.json").write_text("{")
    os.mkfifo("models/healthy/pipe.json")
    rules(**bodies)
    assert says in held()
    assert not Path("/tmp/outside.json").exists()


def test_one_fix_that_goes_wrong_costs_only_itself(rules: Callable[..., None]) -> None:
    rules(
        good=puts("/beta", 0.5),
        outside=puts("/x", 1, file="Path('/tmp/outside.json')"),
        crashed="1 / 0",
    )
    result = check("grpo.yaml", "--select", "case-*", "--fix")
    assert "not repaired: set x to 1 (case-outside)" in result.stderr
    assert "repaired: set beta to 0.5 (case-good)" in result.stderr
    assert "\nbeta: 0.5\n" in Path("grpo.yaml").read_text()
    assert result.exit_code == 3


def test_unsafe_fixes_are_made_only_with_the_option(rules: Callable[..., None]) -> None:
    rules(unsafe=puts("/beta", 0.5).replace("(edit,)", "(edit,), False"))
    before = files()
    assert check("grpo.yaml", "--select", "case-*", "--fix").exit_code == 1
    assert files() == before
    assert check("grpo.yaml", "--select", "case-*", "--fix", "--unsafe-fixes").exit_code == 0
    assert files() != before


# What is refused


def linked(model: Path) -> None:
    (model / "real.json").write_bytes((model / GENERATION.name).read_bytes())
    (model / GENERATION.name).unlink()
    (model / GENERATION.name).symlink_to("real.json")


def hard_linked(model: Path) -> None:
    os.link(model / GENERATION.name, model / "other.json")


def read_only(model: Path) -> None:
    (model / GENERATION.name).chmod(0o444)


def in_read_only_folder(model: Path) -> None:
    model.chmod(0o555)


def in_hub_cache(model: Path) -> None:
    repo = Path("hub/models--org--name")
    (repo / "blobs").mkdir(parents=True)
    (repo / "snapshots").mkdir()
    model.rename(repo / "snapshots" / ("0" * 40))
    run = Path("broken-vllm.yaml")
    text = run.read_text()
    run.write_text(text.replace("models/healthy", str(repo / "snapshots" / ("0" * 40))))


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (linked, "is a symbolic link"),
        (hard_linked, "hard links"),
        (read_only, "is read-only"),
        (in_read_only_folder, "read-only"),
        (in_hub_cache, "is in the Hub's cache"),
    ],
)
@pytest.mark.parametrize("severity", ["error", "note"])
def test_files_that_may_not_be_written_are_refused_and_reported(
    spoil: Callable[[Path], None], says: str, severity: str
) -> None:
    spoil(Path("models/healthy").absolute())
    before = files()
    result = check(*VLLM, "--fix")
    assert result.exit_code == 3
    assert "not written: " in result.stderr
    assert says in result.stderr
    assert "error: vLLM does not stop" in result.stdout
    assert files() == before

    copied = check(*VLLM, "--fix-to", "../copy")
    assert copied.exit_code == 0, copied.stderr
    assert files() == before
    assert check("../copy/broken-vllm.yaml", *VLLM[1:]).exit_code == 0


def test_a_change_in_the_meantime_is_not_overwritten(
    rules: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from trl_doctor.repair import apply as repairing

    write = repairing.writing.write

    def late(changes: list[object], folders: list[Path]) -> object:
        Path("grpo.yaml").write_text("trainer: ppo\n")
        return write(changes, folders)

    monkeypatch.setattr(repairing.writing, "write", late)
    rules(beta=puts("/beta", 0.5))
    result = check("grpo.yaml", "--select", "case-*", "--fix")
    assert result.exit_code == 3
    assert "changed since it was examined" in result.stderr
    assert Path("grpo.yaml").read_text() == "trainer: ppo\n"

"""A problem report of a TRL user: a candidate, its failure, its cause and its remedy."""

from __future__ import annotations

import atexit
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from commands import ran, reports
from laid import ROOT, change
from rehearsing import rehearsal

MAKER = Path(__file__).parents[1] / "vision_models.py"
ARGUMENTS = {
    "output_dir": "out",
    "max_steps": 1,
    "per_device_train_batch_size": 2,
    "report_to": "none",
    "save_strategy": "no",
    "use_cpu": True,
    "bf16": False,
}
GROUPS = {"num_generations": 2, "max_completion_length": 8}


@dataclass(frozen=True, eq=False)
class Report:
    """A public thread, rebuilt small.

    `sign` is in what the real run of the broken files says and in nothing that the healthy ones
    say; `cause` is what a finding has to say, a regular expression. `healthy` are the files that
    the remedy changes; `model` the keys of the model's files that are otherwise before it. `level`
    is the earliest at which the cause can be told, empty where only a rehearsal can. `group`
    says whether rules were written with it at hand ("seen") or before it was looked for ("fresh").
    `sees` is a kind of model in vision_models.py, and a kind of rows for it. `small` says which
    model is copied, with a vocabulary of 64 tokens and no tokenizer, to which folder; a number
    behind its name is another size of the vocabulary.
    """

    thread: str
    environment: str
    sign: str
    cause: str
    broken: Mapping[str, str]
    healthy: Mapping[str, str]
    level: str = "files"
    group: str = "seen"
    model: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sees: str = ""
    small: Mapping[str, str] = field(default_factory=dict)

    def lay(self, folder: Path, *, healthy: bool, python: Path) -> Path:
        """Write the candidate into a folder; what is to be run and checked.

        A model that sees images, and rows with images, are made by the environment's `python`.
        """
        plain: dict[str, Mapping[str, Any]] = {}
        if self.sees:
            folder.mkdir(parents=True)
            shutil.copytree(seeing(python, *self.sees.split()), folder, dirs_exist_ok=True)
        else:
            for model, fixture in (("model", "healthy"), ("reward", "reward")):
                shutil.copytree(ROOT / "fixtures/models" / fixture, folder / model)
            names = {"model_input_names": ["input_ids", "attention_mask"]}
            plain["tokenizer_config.json"] = names
        for name, of in self.small.items():
            source, *tokens = of.split()
            shrink(ROOT / "fixtures/models" / source, folder / name, *map(int, tokens))
        for name, keys in {**plain, **({} if healthy else self.model)}.items():
            change(folder / "model" / name, keys)
        for name, text in {**self.broken, **(self.healthy if healthy else {})}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder / "train.py"


def shrink(model: Path, folder: Path, tokens: int = 64) -> None:
    """Copy a model with the first tokens of its vocabulary, and without its tokenizer."""
    folder.mkdir(parents=True)
    config = json.loads((model / "config.json").read_text())
    size = config["vocab_size"]
    config |= {"vocab_size": tokens, "eos_token_id": 1, "pad_token_id": 0}
    (folder / "config.json").write_text(json.dumps(config))
    whole = (model / "model.safetensors").read_bytes()
    start = 8 + int.from_bytes(whole[:8], "little")
    kept: dict[str, Any] = {}
    data = b""
    for name, tensor in json.loads(whole[8:start]).items():
        if name == "__metadata__":
            kept[name] = tensor
            continue
        begin, end = tensor["data_offsets"]
        part = whole[start + begin : start + end]
        if tensor["shape"][0] == size:
            tensor["shape"][0] = tokens
            part = part[: len(part) * tokens // size]
        kept[name] = {**tensor, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    header = json.dumps(kept).encode()
    content = len(header).to_bytes(8, "little") + header + data
    (folder / "model.safetensors").write_bytes(content)


@cache
def seeing(python: Path, kind: str, rows: str = "") -> Path:
    """A folder with a model that sees images, and with rows.parquet; made once."""
    folder = Path(tempfile.mkdtemp(prefix="sees-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    done = ran(python, MAKER, kind, folder, *([rows] if rows else []), cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def real(python: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """The real run of what is laid out there."""
    return ran(python, "train.py", cwd=folder)


def findings_of_checks(
    python: Path, scripts: Sequence[Path], level: str
) -> list[list[dict[str, Any]]]:
    """The findings of the doctor on each script, in one command; none where it is incomplete.

    Those of a script that makes several trainers are together.
    """
    report = reports(scripts, python, "--level", level, statuses=(0, 1, 2, 3))
    return [
        [
            finding
            for target in report
            if target["target"] == str(path)
            for finding in _findings(target)
        ]
        for path in scripts
    ]


def rehearsed(python: Path, scripts: Sequence[Path]) -> list[list[dict[str, Any]]]:
    """The findings of a rehearsal of each script in its folder."""
    entries = []
    for script_path in scripts:
        status, report = rehearsal(script_path.parent, python, "--offline", script_path.name)
        assert status in (0, 1, 2, 3), report
        entries.append([finding for part in report["targets"] for finding in _findings(part)])
    return entries


def _findings(target: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {**finding, "rule": check["rule"]}
        for check in target["checks"]
        for finding in check["findings"]
    ]


def names_cause(report: Report, findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rules that tell the cause as an error or a warning."""
    return [
        str(finding["rule"])
        for finding in findings
        if finding["severity"] in ("error", "warning")
        and re.search(report.cause, _words(finding), re.I)
    ]


def _words(finding: Mapping[str, Any]) -> str:
    return f"{finding['message']} {finding.get('remedy') or ''}"


def errors(findings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The rules that found an error, with what they say."""
    return [
        f"{finding['rule']}: {finding['message']}"
        for finding in findings
        if finding["severity"] == "error"
    ]


def rows(*args: Mapping[str, Any]) -> str:
    """Lines of JSON."""
    return "".join(json.dumps(row) + "\n" for row in args)


def script(
    trainer: str,
    arguments: Mapping[str, Any] | None = None,
    given: Mapping[str, str] | None = None,
    *,
    before: str = "",
    after: str = "trainer.train()\n",
    data: str = "load_dataset('json', data_files='rows.jsonl', split='train')",
    package: str = "trl",
) -> str:
    """A script that trains: `arguments` of the config, `given` to the trainer as Python.

    An argument of None is left out, as is what is given as "".
    """
    groups = GROUPS if trainer in ("GRPO", "RLOO") else {}
    used = {**ARGUMENTS, **groups, **(arguments or {})}
    config = ", ".join(f"{key}={value!r}" for key, value in used.items() if value is not None)
    named = {"model": "'model'", "args": "args", "train_dataset": "rows", **(given or {})}
    call = ", ".join(f"{key}={value}" for key, value in named.items() if value)
    return (
        "from datasets import load_dataset\n"
        f"from {package} import {trainer}Config, {trainer}Trainer\n"
        f"{before}\nrows = {data}\nargs = {trainer}Config({config})\n"
        f"trainer = {trainer}Trainer({call})\n{after}"
    )


def turn(role: str, text: str) -> dict[str, str]:
    """A message."""
    return {"role": role, "content": text}


ASKED = ("What is seven times six?", "Count to five.", "Write about the sea.", "And two weeks?")
ANSWERED = ("Forty-two.", "One, two, three, four, five.", "The sea was calm.", "Fourteen days.")
PAIRS = tuple(zip(ASKED, ANSWERED, strict=True))
TEXT = rows(*({"text": f"{asked} {answer}"} for asked, answer in PAIRS))
CHATS = rows(*({"messages": [turn("user", a), turn("assistant", b)]} for a, b in PAIRS))
COMPLETIONS = rows(*({"prompt": a, "completion": f" {b}"} for a, b in PAIRS))
PREFERENCES = rows(*({"prompt": a, "chosen": f" {b}", "rejected": " No."} for a, b in PAIRS))
CHOICES = rows(*({"chosen": f"{a} {b}", "rejected": f"{a} No."} for a, b in PAIRS))
LABELLED = rows(
    *({"prompt": a, "completion": f" {b}", "label": n % 2 == 0} for n, (a, b) in enumerate(PAIRS))
)
PROMPTS = rows(*({"prompt": asked} for asked in ASKED))
CHAT_PROMPTS = rows(*({"prompt": [turn("user", asked)]} for asked in ASKED))
LENGTH = (
    "def score(completions, **kwargs):\n"
    "    return [float(len(str(one)) % 7) for one in completions]\n"
)
REWARD = {"reward_funcs": "score"}


def changed(text: str, *pairs: tuple[str, str]) -> dict[str, str]:
    """The script after its remedy."""
    for before, after in pairs:
        assert before in text, before
        text = text.replace(before, after)
    return {"train.py": text}

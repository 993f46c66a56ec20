"""Compares what trl-doctor reads from model folders with what the real transformers says.

    python benchmarks/corpus.py FOLDER [--python TARGET_PYTHON] [--verbose]

FOLDER has model folders in it, or in its `models/`. Where its manifest.jsonl lists `duplicates`,
those files are copied back into temporary copies first. Exits with 1 where the two sides differ
and EXPLAINED has no reason for it.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tabulate import tabulate

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model import files as model_files
from trl_doctor.facts.run import model_run
from trl_doctor.facts.tokenizer import MadeUp, Tokenizer, Unloadable, read_tokenizer
from trl_doctor.facts.tokenizer.files import ROLES
from trl_doctor.files.target import Target
from trl_doctor.machine.environment import Environment, environment

SECONDS = 90
"""The real side's time for one folder, imports included."""

EXPLAINED: dict[tuple[str, str, str], str] = {}
"""By folder, subject and question: why the two sides may differ there."""

Answers = dict[str, dict[str, Any]]
UNKNOWN = object()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    parser.add_argument("--verbose", action="store_true", help="also what only one side answers")
    options = parser.parse_args()
    target = environment(options.python)
    with tempfile.TemporaryDirectory(prefix="trl-doctor-corpus-") as scratch:
        folders = completed(options.folder, Path(scratch))
        static = {folder.name: static_answers(folder, target) for folder in folders}
        real = dict(real_answers(folders, options.python))
    print(f"transformers {target.version('transformers')}, {len(folders)} folders")
    return report(static, real, options.verbose)


def completed(folder: Path, scratch: Path) -> list[Path]:
    """The model folders; those with duplicates as copies that have them back."""
    root = folder / "models" if (folder / "models").is_dir() else folder
    duplicates = {}
    manifest = folder / "manifest.jsonl"
    for line in manifest.read_text("utf-8").splitlines() if manifest.is_file() else ():
        entry = json.loads(line)
        if entry.get("duplicates"):
            duplicates[entry["id"]] = {k: v["same_as"] for k, v in entry["duplicates"].items()}
    entries = []
    for model_folder in sorted(path for path in root.iterdir() if path.is_dir()):
        if model_folder.name in duplicates:
            copy = scratch / model_folder.name
            shutil.copytree(model_folder, copy, copy_function=shutil.copyfile)
            copy.chmod(0o755)
            for name, other in duplicates[model_folder.name].items():
                if (root / other / name).is_file():
                    shutil.copyfile(root / other / name, copy / name)
            model_folder = copy
        entries.append(model_folder)
    return entries


# --- the static side ---------------------------------------------------------------------------


def static_answers(folder: Path, target: Environment) -> Answers:
    """What trl-doctor says: by subject, by question."""
    named = Target(str(folder), "model", folder, "")
    facts = Facts(model_run(named, Unavailable("no trainer"), None), target, NoOracle("not asked"))
    try:
        tokenizer = read_tokenizer(facts.folder, target.version("transformers"))
        subject = tokenizer_answers(tokenizer)
    except Unavailable as reason:
        subject = {"error": f"{type(reason).__name__}: {reason}"}
    return {
        "tokenizer": subject,
        "config.json": file_answers(facts, model_files.CONFIG),
        "generation_config.json": file_answers(facts, model_files.GENERATION),
    }


def tokenizer_answers(tokenizer: Tokenizer) -> dict[str, Any]:
    vocabulary = (
        tokenizer.vocabulary_or_reason.vocabulary
        if isinstance(tokenizer.vocabulary_or_reason, MadeUp)
        else tokenizer.vocabulary_or_reason
    )
    answers: dict[str, Any] = {
        "class": tokenizer.class_name,
        "extra tokens": list(tokenizer.extra),
        "chat template": templates(tokenizer),
        "special tokens": sorted(
            {*(token.content for token in tokenizer.roles.values()), *tokenizer.extra}
        ),
    }
    for role in ROLES:
        special = tokenizer.roles.get(role)
        answers[role] = special and [special.content, special.id]
    if isinstance(vocabulary, Unloadable):
        return {"error": f"Unloadable: {vocabulary}"}
    if isinstance(vocabulary, Unavailable):
        unknown = ("length", "added tokens", "extra tokens", "special tokens")
        return {**answers, **dict.fromkeys(unknown, UNKNOWN)}
    for role in ROLES:
        if answers[role] and isinstance(tokenizer.vocabulary_or_reason, MadeUp):
            answers[role][1] = vocabulary.id(answers[role][0])
    answers["length"] = vocabulary.length
    answers["added tokens"] = {str(id): token.content for id, token in vocabulary.added.items()}
    return answers


def templates(tokenizer: Tokenizer) -> Any:
    texts = {name: template.text for name, template in tokenizer.chat_templates.items()}
    return texts.get("default") if set(texts) <= {"default"} else texts


def file_answers(facts: Facts, name: str) -> dict[str, Any]:
    """The ids that a file gives, class defaults of transformers among them."""
    try:
        facts.folder.document(name).mapping()
    except Unavailable as reason:
        return {"error": str(reason)}
    answers: dict[str, Any] = {}
    for sources in (model_files.bos_ids, model_files.eos_ids, model_files.pad_ids):
        for source in facts[sources]:
            inner = source.name == "text_config" and name == model_files.CONFIG
            if source.name == name or inner:
                answers.setdefault(f"{sources.__name__[:3]}_token_id", sorted(source.ids))
    return answers


# --- the real side -----------------------------------------------------------------------------


def real_answers(folders: Sequence[Path], python: Path) -> Iterator[tuple[str, Answers]]:
    """What transformers says, folder by folder; a child that dies or hangs is started anew."""
    waiting = list(folders)
    while waiting:
        with Child(python) as child:
            while waiting:
                folder = waiting.pop(0)
                answer = child.ask(folder)
                yield folder.name, answer if answer is not None else {}
                if answer is None:
                    break


class Child:
    """The real side's process, in a group of its own, offline and without input."""

    def __init__(self, python: Path) -> None:
        read, write = os.pipe()
        script = Path(__file__).with_name("corpus_real.py")
        offline = {
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_VERBOSITY": "error",
            "PYTHONWARNINGS": "ignore",
        }
        self.process = subprocess.Popen(
            [python, str(script), str(write)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(write,),
            start_new_session=True,
            env={**os.environ, **offline},
        )
        os.close(write)
        self.replies = os.fdopen(read, "rb", buffering=0)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.replies.close()

    def ask(self, folder: Path) -> Answers | None:
        """The answers for a folder; None where the child died or took too long."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(f"{folder}\n".encode())
            self.process.stdin.flush()
        except OSError:
            return None
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.replies, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                part = self.replies.read(1 << 20) if selector.select(SECONDS) else b""
                if not part:
                    return None
                line += part
        data: Answers = json.loads(line)
        return data


# --- the comparison ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """One question about one folder, with both answers. `same` is None where ours is not told."""

    folder: str
    subject: str
    question: str
    ours: Any
    theirs: Any
    same: bool | None

    @property
    def reason(self) -> str:
        return EXPLAINED.get((self.folder, self.subject, self.question), "")


def pairs(static: Mapping[str, Answers], real: Mapping[str, Answers]) -> Iterator[Pair]:
    """All questions that the real side answers."""
    for folder, answers in real.items():
        for subject, theirs in answers.items():
            ours = static[folder][subject]
            for question, answer in theirs.items() if "error" not in theirs else ():
                mine = ours.get("error", ours.get(question))
                same = "error" not in ours and compared(mine, answer, question)
                yield Pair(folder, subject, question, mine, answer, same)


def one_sided(static: Mapping[str, Answers], real: Mapping[str, Answers]) -> Iterator[str]:
    """What only the static side answers, and why the real one does not."""
    for folder, answers in real.items():
        if not answers:
            yield f"{folder}: the real side died or took more than {SECONDS} s"
        for subject, theirs in answers.items():
            if "error" in theirs and "error" not in static[folder][subject]:
                yield f"{folder} {subject}: only the real side fails: {theirs['error']}"


def report(static: Mapping[str, Answers], real: Mapping[str, Answers], verbose: bool) -> int:
    """Print the table of agreements and each difference; 1 where one is not explained, and
    where nothing was compared."""
    entries = list(pairs(static, real))
    rows = Counter((f"{pair.subject}: {pair.question}", pair.same) for pair in entries)
    names = dict.fromkeys(name for name, _ in rows)
    table = [(name, rows[name, True], rows[name, False], rows[name, None]) for name in names]
    for subject in dict.fromkeys(pair.subject for pair in entries):
        loaded = {pair.folder for pair in entries if pair.subject == subject}
        print(f"  {subject}: {len(loaded)} loaded")
    print(tabulate(table, ["question", "agree", "differ", "not known"]))
    differing = [pair for pair in entries if pair.same is False]
    for pair in differing:
        print(f"{pair.folder} {pair.subject}: {pair.question}")
        print(f"    static {pair.ours!r:.300}\n    real   {pair.theirs!r:.300}")
        print(f"    {pair.reason or 'NOT EXPLAINED'}")
    print(*(one_sided(static, real) if verbose else ()), sep="\n")
    unexplained = [pair for pair in differing if not pair.reason]
    print(
        f"{len(entries)} answers compared, {len(differing)} differ, {len(unexplained)} unexplained"
    )
    return 1 if unexplained or not entries else 0


def compared(ours: Any, theirs: Any, question: str) -> bool | None:
    """Whether both say the same; None where the static side does not tell."""
    if ours is UNKNOWN or (isinstance(ours, list) and ours[1:] == [None] and theirs):
        return None
    return bool((ours or []) == as_ids(theirs) if question.endswith("_id") else ours == theirs)


def as_ids(value: Any) -> list[int]:
    values = value if isinstance(value, list) else [value]
    return sorted(number for number in values if isinstance(number, int))


if __name__ == "__main__":
    sys.exit(main())

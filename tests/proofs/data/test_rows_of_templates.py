"""Rows that scripts render with a chat template, or in batches: read as the library makes them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from laid import ROOT

from trl_doctor.asking.oracle import ExampleOracle
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.rows.own import own_rows
from trl_doctor.files.target import target
from trl_doctor.machine.environment import environment

SCRIPT = '''\
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.pad_token = tokenizer.eos_token
SYSTEM = {{"role": "system", "content": "Be brief."}}
EOS = tokenizer.eos_token
PROMPT = """### Question:
{{}}

### Answer:
{{}}"""


def turns(question, answer):
    asked = {{"role": "user", "content": question}}
    return [SYSTEM, asked, {{"role": "assistant", "content": answer}}]


def rendered(row):
    return {{"text": tokenizer.apply_chat_template(turns(row["q"], row["a"]), tokenize=False)}}


def opened(row, tok, mark="!"):
    messages = turns(row["q"] + mark, row["a"])
    start = tok.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True)
    whole = tok.apply_chat_template(messages, tokenize=False)
    return {{"prompt": start, "completion": whole[len(start):]}}


def of_batch(rows):
    texts = []
    for question, answer in zip(rows["q"], rows["a"]):
        texts.append(PROMPT.format(question, answer) + EOS)
    return {{"text": texts}}


def talks(rows):
    convos = [turns(q, a) for q, a in zip(rows["q"], rows["a"])]
    return {{"text": [tokenizer.apply_chat_template(c, tokenize=False) for c in convos]}}


def whole_batch(rows):
    convos = [turns(q, a) for q, a in zip(rows["q"], rows["a"])]
    return {{"text": tokenizer.apply_chat_template(convos, tokenize=False)}}


def numbered(rows):
    return {{"text": [f"{{n}}. {{q}}" for n, q in enumerate(rows["q"])]}}


def halved(rows):
    return {{"text": [q for n, q in enumerate(rows["q"]) if n == len(rows["q"]) - 1]}}


def thought(row):
    text = tokenizer.apply_chat_template(row["turns"], tokenize=False, enable_thinking=False)
    return {{"text": text.removesuffix("\\n") + tokenizer.eos_token}}


def tokens(row):
    return {{"text": str(tokenizer.apply_chat_template(row["turns"]))}}


{before}
rows = load_dataset("json", data_files="rows.jsonl", split="train")
rows = rows{steps}
{after}
SFTTrainer("model", args=SFTConfig("out"), train_dataset=rows, processing_class=tokenizer).train()
'''
FOLLOWED = (
    ".map(rendered)",
    ".map(rendered, remove_columns=rows.column_names)",
    ".map(opened, fn_kwargs={'tok': tokenizer})",
    ".map(opened, fn_kwargs={'tok': tokenizer, 'mark': '?'}, remove_columns=['q', 'a'])",
    ".map(of_batch, batched=True)",
    ".map(of_batch, batched=True, remove_columns=['q', 'a', 'turns'], batch_size=2)",
    ".map(talks, batched=True)",
    ".map(whole_batch, batched=True)",
    ".map(thought)",
    ".map(of_batch)",
    ".map(lambda row: {'text': row['q'] + tokenizer.eos_token})",
    ".filter(lambda rows: [q != 'q1' for q in rows['q']], batched=True).map(rendered)",
)
TEMPLATE = "tokenizer.chat_template = \"{% for m in messages %}[{{ m['content'] }}]{% endfor %}\""
CHANGED = (
    (TEMPLATE, ".map(rendered)", ""),
    ("tokenizer.eos_token = '<|im_end|>'", ".map(of_batch, batched=True)", ""),
)
OTHER = "other = AutoTokenizer.from_pretrained('org/other')"
NOT_FOLLOWED = (
    ("", ".map(tokens)", ""),
    ("", ".map(halved, batched=True, remove_columns=['q', 'a', 'turns'])", ""),
    ("", ".map(rendered)", TEMPLATE),
    (OTHER, ".map(opened, fn_kwargs={'tok': other})", ""),
    ("", ".map(rendered, with_indices=True)", ""),
)  # fmt: skip
RUN = """\
import json, sys, datasets, trl
seen = []
class Seen:
    def __init__(self, *a, train_dataset, **k): seen.append(train_dataset.to_list())
    def train(self): pass
trl.SFTTrainer, trl.SFTConfig = Seen, lambda *a, **k: None
for name in sys.argv[1:]:
    exec(compile(open(name).read(), name, "exec"), {"__name__": "__main__"})
print("ROWS" + json.dumps(seen))
"""


def lay(folder: Path, before: str, steps: str, after: str, name: str) -> Path:
    """A script, its model, and rows with a question, an answer and a conversation."""
    if not (folder / "model").exists():
        shutil.copytree(ROOT / "fixtures/models/healthy", folder / "model")
    user = {"role": "user", "content": "Hi."}
    rows = [{"q": f"q{n}", "a": f"a{n}", "turns": [user, {"role": "assistant", "content": str(n)}]}
            for n in range(5)]  # fmt: skip
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / name).write_text(SCRIPT.format(before=before, steps=steps, after=after))
    return folder / name


def read(script: Path, python: Path | None) -> list[dict[str, Any]]:
    """The rows as the doctor reads them."""
    world = environment(python)
    opened = open_run(target(str(script), offline=True), world, Options(offline=True))
    return own_rows(Facts(opened, world, ExampleOracle({})))


@pytest.mark.parametrize("name", ["current", "four"])
def test_rows_are_those_that_the_library_makes(
    name: str, interpreter: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = interpreter(name)
    cases = [("", steps, "") for steps in FOLLOWED] + list(CHANGED)
    scripts = [lay(tmp_path, *case, f"train{n}.py") for n, case in enumerate(cases)]
    command = [str(python), "-c", RUN, *(script.name for script in scripts)]
    real = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert real.returncode == 0, real.stderr[-2000:]
    made = json.loads(real.stdout.rpartition("ROWS")[2])
    monkeypatch.chdir(tmp_path)
    for case, script, rows in zip(cases, scripts, made, strict=True):
        assert read(script, python) == rows, case


@pytest.mark.parametrize("case", NOT_FOLLOWED)
def test_what_is_not_certain_is_not_followed(
    case: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Unavailable):
        read(lay(tmp_path, *case, "train.py"), None)

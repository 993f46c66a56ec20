"""Mutated targets by the thousand: none may crash the doctor, hang it or spoil its reports.

`python tests/fuzz.py --runs 100000 --seed 7` prints what goes wrong, each once and made small.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from one_report import as_json, as_text

from trl_doctor.asking import rendering as chat_rendering
from trl_doctor.checkup.checkup import NOBODY
from trl_doctor.checkup.discover import discover
from trl_doctor.checkup.opening import Options
from trl_doctor.checkup.session import Session
from trl_doctor.facts import chat_template
from trl_doctor.facts.rule import Rule
from trl_doctor.files.target import NoTarget, target
from trl_doctor.machine.environment import Environment, environment
from trl_doctor.repair import apply as repairing

FIXTURES = Path(__file__).parent.parent / "fixtures"
PATIENCE = 30.0
"""Seconds of the processor that one target may take; the limit on templates is below that."""

DIFF_EVERY = 20
"""Every so many targets, what --diff would show is asked for too."""

HEAVY_EVERY = 1500
"""Every so many chat templates, one that uses up its limit on time or memory."""

Files = dict[str, bytes]
Mutation = Callable[[random.Random, bytes], bytes]


def deep(levels: int, dicts: bool = False) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value} if dicts else [value]
    return value


ODD: list[Any] = [
    None, True, False, 0, -1, 1, 7, 299, 2**31, 2**63, 2**64, 10**30, -(10**400), -0.0, 0.5, 1e308,
    float("nan"), float("inf"), "", " ", "x", "\ud800", "a\udfffb", "\x00", "\x1b[31m", "\u202e",
    "\u2028", "../../x", "/etc/passwd", "..", ".", "a\x00b", "~nobody-here/x", "a\nb", "a" * 5000,
    "a/" * 3000, "-" * 3000, "é" * 300, "nan", "1e5", "0x10", "1_0", "١٢", "true", "None", "{{",
    "models/healthy", "models/reward", "org/name", "org/name@x", "gpt2", "<|im_end|>", "</search>",
    [], {}, [[]], [{}], [None], [True], ["a", 1, None], [1, 2.5], [-1, 2**70], ["\ud800"],
    {"": None}, {"content": 5}, {"content": None}, {"content": "x", "special": "y"}, {"id": "3"},
    {"a": {"b": []}}, {"0": {}}, {"-1": {"content": "x"}}, {"x": {"content": "x"}},
    {"9" * 30: {"content": "x"}}, {"\ud800": "\ud800"}, {"../x": "../y"}, [{"id": 1}, {"id": 1}],
    [{"name": "default", "template": "x"}], [{"name": 3}], [{"name": "default", "template": None}],
    deep(60), deep(99, True), deep(150), deep(300), list(range(400)),
    {str(number): number for number in range(300)},
]  # fmt: skip
KEYS = [
    "", "a", "content", "special", "id", "model_type", "vocab_size", "eos_token_id", "pad_token",
    "chat_template", "text_config", "architectures", "added_tokens_decoder", "trainer",
    "num_labels",
    "model_name_or_path", "tokenizer_name_or_path", "generation_kwargs", "stop", "num_processes",
    "weight_map", "metadata", "auto_map", "quantization_config", "tie_word_embeddings",
    "max_length",
    "per_device_train_batch_size", "num_generations", "use_vllm", "dataset_name", "\ud800", "../x",
]  # fmt: skip
TEMPLATES = [
    "{{ messages.__class__ }}", "{{ raise_exception('no') }}", "{%", "{{ messages[99].content }}",
    "{% generation %}{{ messages[-1].content }}{% endgeneration %}", "{{ cycler }}", "{{ 1 / 0 }}",
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "{{ messages }}", "{% set x = eos_token %}",
    "{{ strftime_now('%Y') }}", "\ud800", "\x00", "{% include 'x' %}", "{{ '\\x1b[31m' }}", "",
    "{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}", "{{ eos_token * 1000 }}", "{#",
    "{% for m in messages %}{{ m['role'] + m['content'] + none }}{% endfor %}", "{{ tools[0] }}",
]  # fmt: skip
HEAVY = [
    "{% for i in range(10 ** 9) %}{% endfor %}", "{{ 'x' * 10 ** 9 }}", "{{ [1] * 10 ** 8 }}",
    "{% for i in range(10 ** 5) %}{% for j in range(10 ** 5) %}x{% endfor %}{% endfor %}",
]  # fmt: skip
YAML_LINES = [
    "x: &a 1", "x: *a", "x: &a [*a]", "<<: *a", "<<: {trainer: ppo}", "<<: [1]", "? [a]\n: b",
    "? a",
    "x: !!python/object/apply:os.system [id]", "x: !tag y", "x: !!binary aGk=", "x: !!set {a, b}",
    "\tx: 1", "---", "...", "--- x", "%YAML 1.2", "%TAG ! x", "x: |", "x: >-\n  a\n\n  b", "x: 'a",
    'x: "\\ud800"', 'x: "\\x00"', "x: 0o17", "x: 1:30", "x: 2020-01-01", "x: .nan", "x: -.inf",
    "=: 1",
    "x: [", "x: {", "}", "]", "- a", "# c", "x: a: b", "x: @b", "x: `b`", "x: 1e5", "x: 1_000",
    "x:",
    "1: 2", "null: 3", "true: 4", "x: {a: 1, a: 2}", "trainer: ppo", "trainer: [grpo]", "x: ~",
    "x: y",
    "a: &l [x,x,x,x,x,x,x,x]\nb: &m [*l,*l,*l,*l,*l,*l,*l,*l]\nc: &n [*m,*m,*m,*m,*m,*m,*m,*m]\n"
    "d: [*n,*n,*n]\ne: {x: *n, <<: {y: *m}}",
]  # fmt: skip
CODE_LINES = [
    "import torch", "from trl import *", "from trl import GRPOConfig as C", "args = C(**locals())",
    "arguments.learning_rate = 10 ** 10 ** 10", "x = [x for x in x]", "def f(*a, **k): return f(f)",
    "trainer = trainer", "arguments = GRPOConfig(**{'output_dir': 'x', 1: 2})", "if True:", "else:",
    "arguments = GRPOConfig(output_dir=f'{arguments}')", "lambda: (yield)", "x = " + "(" * 300,
    "x = " + "-" * 2000 + "1", "x = " + "[" * 90 + "]" * 90, "while True: pass", "\x00", "\x0c",
    "# -*- coding: latin-1 -*-", "# -*- coding: nothing -*-", '"""', "%%bash", "!rm -rf /", "?x",
    "GRPOTrainer()", "GRPOTrainer(*[1], **{})", "SFTTrainer(model='models/healthy')", "é = 'é'",
    "trainer = GRPOTrainer('models/healthy', arguments, None, reward)", "x: int = 'a' 'b' f''",
    "match arguments:", "    case _: pass", "del arguments", "global arguments", "await x",
    "arguments.num_generations += arguments.num_generations", "1 / 0", "raise SystemExit",
]  # fmt: skip
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
WHOLE = [
    b"", b" ", b"\n", POINTER, b"\xef\xbb\xbf{}", b"\xff\xfe{\x00}\x00", b"\x00" * 64, b"null",
    b"[]",
    b"{}", b'"x"', b"3", b"NaN", b"[" * 200, b'{"a":' * 2000, b"<<<<<<< HEAD\n{}\n=======\n{}\n",
    b"\x80\x02.", b"<html>404</html>", b"{'a': None}", b'{"a": 1, "a": {}}', b"---\n---\n",
    b"{" * 99,
]  # fmt: skip


# Mutations of bytes


def flip(chance: random.Random, data: bytes) -> bytes:
    out = bytearray(data or b"x")
    for _ in range(chance.choice((1, 1, 3, 20))):
        out[chance.randrange(len(out))] = chance.randrange(256)
    return bytes(out)


def cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def repeat(chance: random.Random, data: bytes) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:end] + data[start:end] * chance.choice((1, 1, 5)) + data[end:]


def drop(chance: random.Random, data: bytes) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:start] + data[end:]


def replace_whole(chance: random.Random, data: bytes) -> bytes:
    return chance.choice(WHOLE)


def line_ends(chance: random.Random, data: bytes) -> bytes:
    changed = data.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n")))
    return chance.choice((b"", b"\xef\xbb\xbf")) + changed


def code_lines(chance: random.Random, data: bytes) -> bytes:
    """Python with lines of others, or its own ones elsewhere, indented otherwise, or gone."""
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        at = chance.randrange(len(lines) + 1)
        line = chance.choice((*CODE_LINES, *lines))
        lines[at : at + chance.randrange(2)] = [chance.choice(("", "", "    ", "\t")) + line]
    return "\n".join(lines).encode("utf-8", "replace")


def yaml_lines(chance: random.Random, data: bytes) -> bytes:
    lines = data.decode("utf-8", "replace").split("\n")
    for _ in range(chance.choice((1, 1, 2, 4))):
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(YAML_LINES))
    return "\n".join(lines).encode("utf-8", "replace")


def header(chance: random.Random, data: bytes) -> bytes:
    """Safetensors: another length, or another header of the right length."""
    (length,) = struct.unpack("<Q", data[:8].ljust(8, b"\0"))
    head, body = data[8 : 8 + length], data[8 + length :]
    if chance.random() < 0.2:
        length = chance.choice((0, 1, length - 1, length + 1, 2**20, 2**63, 2**64 - 1))
        return struct.pack("<Q", length) + head + body
    changed = values(chance, head)
    return struct.pack("<Q", len(changed)) + changed + body


# Mutations of values


def values(chance: random.Random, data: bytes) -> bytes:
    """JSON or YAML-as-JSON with some of its values changed, dropped, added or exchanged."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return flip(chance, data)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        value = changed(chance, value)
    return json.dumps(value, ensure_ascii=chance.random() < 0.9, indent=2).encode(
        "utf-8", "surrogatepass"
    )


def odd(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(ODD))


def changed(chance: random.Random, value: Any) -> Any:
    holders = list(spots(value))
    if not holders or chance.random() < 0.02:
        return odd(chance)
    holder, key = chance.choice(holders)
    action = chance.randrange(8)
    if action == 0:
        del holder[key]
    elif action == 1 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = holder.pop(key)
    elif action == 2:
        other, name = chance.choice(holders)
        holder[key] = json.loads(json.dumps(other[name]))
    elif action == 3:
        holder[key] = chance.choice(([holder[key]], {chance.choice(KEYS): holder[key]}))
    elif action == 4 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = odd(chance)
    elif action == 5 and isinstance(holder, list):
        holder.extend(holder[:50])
    elif isinstance(holder[key], str) and ("{%" in holder[key] or "{{" in holder[key]):
        holder[key] = template(chance, holder[key])
    else:
        holder[key] = odd(chance)
    return value


def spots(value: Any, depth: int = 0) -> Iterator[tuple[Any, Any]]:
    """Holders and keys, those near the root the most often."""
    found = list(value.items()) if isinstance(value, dict) else []
    found = list(enumerate(value))[:8] if isinstance(value, list) else found[:60]
    for key, inner in found:
        for _ in range(max(1, 4 - depth)):
            yield value, key
        if depth < 5:
            yield from spots(inner, depth + 1)


def template(chance: random.Random, old: str) -> str:
    if chance.randrange(HEAVY_EVERY) == 0:
        return chance.choice(HEAVY)
    if chance.random() < 0.5:
        return chance.choice(TEMPLATES)
    return chance.choice((flip, cut, repeat, drop))(chance, old.encode()).decode("utf-8", "replace")


def jinja(chance: random.Random, data: bytes) -> bytes:
    return template(chance, data.decode("utf-8", "replace")).encode("utf-8", "replace")


BYTES: list[Mutation] = [flip, cut, repeat, drop, replace_whole, line_ends]


def mutations(name: str) -> list[Mutation]:
    """What can be done to a file of this name, the telling ones the most often."""
    if name.endswith((".yaml", ".yml")):
        return [*BYTES, yaml_lines, yaml_lines, yaml_lines, yaml_lines]
    if name.endswith(".safetensors"):
        return [*BYTES, *[header] * 10]
    if name.endswith(".py"):
        return [*BYTES, *[code_lines] * 12]
    if name.endswith(".jinja"):
        return [*BYTES, *[jinja] * 6]
    return [*BYTES, *[values] * 18]


# Targets


MODEL = "models/healthy/"
RUN: dict[str, Any] = {
    "trainer": "grpo", "model_name_or_path": "models/healthy", "use_vllm": True, "bf16": False,
    "tokenizer_name_or_path": "models/added-tokens", "generation_kwargs": {"stop": ["</search>"]},
    "reward_model_path": "models/reward", "num_processes": 2, "per_device_train_batch_size": 8,
    "num_generations": 8, "max_completion_length": 256, "learning_rate": 1e-6, "seed": 1,
    "gradient_accumulation_steps": 1, "dataset_name": "data/prompts", "loss_type": "grpo",
    "chat_template_kwargs": {"enable_thinking": False}, "output_dir": "out",
    "eos_token": "<|im_end|>",
}  # fmt: skip
PPO = {**RUN, "trainer": "ppo", "value_model_name_or_path": None, "response_length": 53}
INDEX = {
    "metadata": {"total_size": 4},
    "weight_map": {"model.norm.weight": "model-00001-of-00001.safetensors"},
}
SPECIAL = {"eos_token": {"content": "<|im_end|>"}, "pad_token": "<|fim_pad|>", "bos_token": None}
ADAPTER = {
    "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": 8, "lora_alpha": 16, "bias": "none",
    "base_model_name_or_path": "models/healthy", "target_modules": ["q_proj", "v_proj"],
    "modules_to_save": ["lm_head"], "inference_mode": True,
}  # fmt: skip
DEEPSPEED = {
    "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}},
    "bf16": {"enabled": "auto"}, "train_batch_size": "auto", "gradient_clipping": 1.0,
    "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": "auto",
}  # fmt: skip
SCRIPT = """\
from datasets import load_dataset
from trl import GRPOConfig, GRPOTrainer

def reward(completions, **kwargs):
    return [float(len(one)) for one in completions]

arguments = GRPOConfig(
    output_dir="out", per_device_train_batch_size=8, num_generations=8, use_vllm=False,
    learning_rate=1e-6, max_completion_length=256,
)
trainer = GRPOTrainer(
    model="models/healthy", reward_funcs=[reward], args=arguments,
    train_dataset=load_dataset("data/prompts", split="train"),
)
trainer.train()
"""
NOTEBOOK = {
    "nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Train"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
         "source": SCRIPT.splitlines(keepends=True)[:6]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1,
         "source": "%pip install trl\n" + "".join(SCRIPT.splitlines(keepends=True)[6:])},
    ],
}  # fmt: skip
TEXTS = {
    "train.py": SCRIPT,
    "lora.yaml": "# a run with an adapter\ntrainer: grpo\nmodel_name_or_path: models/healthy\n"
    "dataset_name: data/prompts\nuse_peft: true\nlora_r: 8  # small\nlora_target_modules:\n"
    "  - q_proj\n  - v_proj\naccelerate_config: accelerate.yaml\ndeepspeed: zero3.json\n"
    "per_device_train_batch_size: 8\nnum_generations: 8\nenv:\n  HF_TOKEN: hf_x\n",
    "accelerate.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\n"
    "num_processes: 4\nnum_machines: 1\nmixed_precision: bf16\ndeepspeed_config:\n"
    "  zero_stage: 3\n  deepspeed_config_file: zero3.json\n",
}
WORLDS: tuple[tuple[str, ...], ...] = (
    (),
    ("trl==0.15.2", "transformers==4.48.3", "torch==2.6.0"),
    ("trl==1.16.0", "transformers==5.23.0", "vllm==0.32.0"),
)


def seeds() -> Files:
    """The files that are mutated, by path, as they are when all is well."""
    files = {
        str(path.relative_to(FIXTURES)): path.read_bytes()
        for path in sorted(FIXTURES.rglob("*"))
        if path.is_file() and path.suffix in (".json", ".yaml", ".jsonl", ".safetensors")
    }
    written = {
        "run.json": RUN, "ppo.json": PPO, "accelerate.json": {"num_processes": 4},
        MODEL + "special_tokens_map.json": SPECIAL, MODEL + "added_tokens.json": {"<x>": 300},
        MODEL + "model.safetensors.index.json": INDEX, "zero3.json": DEEPSPEED,
        "models/adapter/adapter_config.json": ADAPTER, "train.ipynb": NOTEBOOK,
    }  # fmt: skip
    files.update({name: json.dumps(value, indent=2).encode() for name, value in written.items()})
    files.update({name: text.encode() for name, text in TEXTS.items()})
    template = json.loads(files[MODEL + "tokenizer_config.json"])["chat_template"]
    files[MODEL + "chat_template.jinja"] = template.encode()
    return files


TARGETS = (
    "run.json", "run.json", "ppo.json", "broken-vllm.yaml", "ppo.yaml", *["models/healthy"] * 5,
    "grpo.yaml", "sft.yaml", "dpo.yaml", "kto.yaml", "reward.yaml", "rloo.yaml", "lora.yaml",
    "train.py", "train.ipynb", "models/adapter",
)  # fmt: skip

BESIDE = {
    "run.json": ("accelerate.json", "data/prompts/train.jsonl"),
    "grpo.yaml": ("data/prompts/train.jsonl",),
    "rloo.yaml": ("data/prompts/train.jsonl",),
    "sft.yaml": ("data/messages/train.jsonl",),
    "dpo.yaml": ("data/preferences/train.jsonl",),
    "kto.yaml": ("data/labelled/train.jsonl",),
    "reward.yaml": ("data/preferences/train.jsonl",),
    "lora.yaml": ("accelerate.yaml", "zero3.json", "data/prompts/train.jsonl"),
    "models/adapter": ("models/adapter/adapter_config.json",) * 4,
}
"""Files that a target names, mutated as often as itself."""


@dataclass
class Case:
    """A target, the files that are not as they should be (None: gone), and the world."""

    pointed: str
    files: dict[str, bytes | None]
    world: int = 0


def case(chance: random.Random, known: Files) -> Case:
    """A target with one to three files mutated: files of its own."""
    pointed = chance.choice(TARGETS)
    models = [name for name in known if name.startswith(MODEL)]
    others = [name for name in known if name.startswith("models/") and not name.startswith(MODEL)]
    beside = [*BESIDE.get(pointed, ())] * 5
    own = [pointed] * 10 if pointed in known else []
    mine = models if pointed == "models/healthy" else [*models, *others, *own, *beside]
    files: dict[str, bytes | None] = {}
    for extra in (MODEL + "model.safetensors.index.json", MODEL + "chat_template.jinja"):
        if chance.random() < 0.7:
            files[extra] = None
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        name = chance.choice(mine)
        if chance.random() < 0.02:
            files[name] = None
            continue
        data = files.get(name) or known[name]
        files[name] = chance.choice(mutations(name))(chance, data)
    return Case(pointed, files, chance.randrange(len(WORLDS)))


# What must hold


class Hung(BaseException):
    """A target took longer than `PATIENCE`; no `except Exception` may swallow that."""


@dataclass(frozen=True)
class Failure:
    """What went wrong: `key` is the same for the same defect."""

    key: str
    detail: str
    case: Case = field(compare=False)


class Ground:
    """A folder that holds the files, in which one case after the other is examined."""

    def __init__(self, folder: Path, rules: tuple[Rule, ...] | None = None) -> None:
        self.folder, self.known = folder, seeds()
        self.rules = discover().rules if rules is None else rules
        self.worlds: list[Environment] = [
            environment(None, world, installed=False) for world in WORLDS
        ]
        for name, data in self.known.items():
            self._put(name, data)

    def _put(self, name: str, data: bytes | None) -> None:
        file = self.folder / name
        if data is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)

    def failure(self, case: Case, diff: bool = False) -> Failure | None:
        """Examine one case; what must hold and does not."""
        try:
            for name, data in case.files.items():
                self._put(name, data)
            with patience():
                said = self._examined(case, diff)
        except Hung:
            said = "hung", f"longer than {PATIENCE} s"
        except Exception as error:
            said = _where(error)
        finally:
            for name in case.files:
                self._put(name, self.known.get(name))
        return Failure(*said, case) if said else None

    def _examined(self, case: Case, diff: bool) -> tuple[str, str] | None:
        world = self.worlds[case.world]
        bench = Session(self.rules, world, NOBODY, Options(offline=True), "error", ())
        try:
            checkup = bench.examine(target(str(self.folder / case.pointed), offline=True))
        except NoTarget:
            return None
        for outcome in checkup.outcomes_in("crashed"):
            return f"{outcome.rule.name} crashed", outcome.reason
        shown = as_text(checkup)
        if len(shown) > 200_000:
            return "text report too long", f"{len(shown):,} characters"
        for char in shown:
            if not char.isprintable() and char != "\n":
                return "control character in the text report", repr(char)
        as_json(checkup)
        if diff:
            repairing.diff(bench, checkup, unsafe=True)
        return None

    def small(self, failure: Failure, tries: int = 300) -> Failure:
        """The same failure with as little mutated as can be found quickly."""
        best, until = failure, time.process_time() + 20
        for candidate in _smaller(failure.case, self.known):
            if tries <= 0 or time.process_time() > until:
                break
            tries -= 1
            again = self.failure(candidate, diff=True)
            if again and again.key == best.key:
                return self.small(again, tries)
        return best


def _where(error: Exception) -> tuple[str, str]:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    return f"{type(error).__name__} at {place}", "".join(traceback.format_exception(error))[-2500:]


def _smaller(case: Case, known: Files) -> Iterator[Case]:
    for name, data in case.files.items():
        others = {key: value for key, value in case.files.items() if key != name}
        yield Case(case.pointed, others, case.world)
        if data is None:
            continue
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            continue
        for keys in _removable(value):
            less = json.loads(data)
            holder = less
            for key in keys[:-1]:
                holder = holder[key]
            del holder[keys[-1]]
            yield Case(case.pointed, {**others, name: json.dumps(less).encode()}, case.world)


def _removable(value: Any, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list) and len(before) < 4:
        inner = list(value.items() if isinstance(value, dict) else enumerate(value))[:40]
    for key, _ in inner:
        yield (*before, key)
    for key, one in inner:
        yield from _removable(one, (*before, key))


@contextmanager
def patience() -> Iterator[None]:
    def late(*_: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def peak() -> float:
    """The most memory that this process ever had, in MiB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)


def memory() -> Path | None:
    """A folder in memory, where this system has one."""
    shared = Path("/dev/shm")
    return shared if os.access(shared, os.W_OK) else None


@contextmanager
def hasty_renderer() -> Iterator[None]:
    """Chat templates rendered for real, within less time than a user grants them."""
    with chat_rendering.Renderer(chat_rendering.RenderingLimits(cpu_s=1, wall_s=3.0)) as renderer:
        shared = chat_template.shared
        chat_template.shared = lambda: renderer  # type: ignore[assignment]
        try:
            yield
        finally:
            chat_template.shared = shared


def run(
    runs: int,
    seed: int,
    folder: Path,
    rules: tuple[Rule, ...] | None = None,
    diff_every: int = DIFF_EVERY,
) -> Mapping[str, Failure]:
    """Examine so many mutated targets; the failures by key."""
    ground, chance = Ground(folder, rules), random.Random(seed)
    failures: dict[str, Failure] = {}
    with hasty_renderer():
        for number in range(runs):
            mutated = case(chance, ground.known)
            found = ground.failure(mutated, diff=number % diff_every == 0)
            if found and found.key not in failures:
                failures[found.key] = ground.small(found)
    return failures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--diff-every", type=int, default=DIFF_EVERY)
    options = parser.parse_args()
    before, began = peak(), time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="trl-doctor-fuzz-", dir=memory()))
    try:
        failures = run(options.runs, options.seed, folder, diff_every=options.diff_every)
    finally:
        shutil.rmtree(folder)
    for failure in failures.values():
        print(f"\n== {failure.key}\n{failure.detail}\n{failure.case}"[:6000])
    spent = time.monotonic() - began
    print(f"\n{options.runs:,} targets, seed {options.seed}, {spent:.0f} s, "
          f"{peak() - before:.0f} MiB more at the peak, {len(failures)} failures")  # fmt: skip
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes the step as a plain TRL script, which the probe then runs and anybody can run again."""

from __future__ import annotations

import pprint
import re
from collections.abc import Iterator

from .building import lines
from .plan import Plan
from .spelled import spelled

HEAD = '''\
"""One step of {class_name} on a small random model: `python repeat.py`.

It needs trl and the files beside it: the models, rows.jsonl. Nothing is downloaded.
"""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
{variables}
import json
import sys
from pathlib import Path

{imports}

HERE = Path(__file__).resolve().parent
ARGUMENTS = {arguments}
{own}{engine}{reward}{pictures}

def build():
    """The trainer, as {as_what} builds it."""
    set_seed({seed})
{small}    rows = [json.loads(line) for line in (HERE / "rows.jsonl").open(encoding="utf-8")]
{body}

def step(trainer{checkpoint}):
    """Train for one step{on_what}; what the trainer logged."""
{select}    trainer.train({passed})
    return trainer.state.log_history

{resume}
if __name__ == "__main__":
    {main}
'''
RESUME = '''
def resume(trainer):
    """Save a checkpoint, and train for one more step from it with a second trainer, this one."""
    trainer._save_checkpoint(trainer.model, None)
    ARGUMENTS["max_steps"] = trainer.state.global_step + 1
    second = build()
    step(second, str(HERE / "output" / f"checkpoint-{trainer.state.global_step}"))
    return second

'''
RESUMED = """\
first = build()
    print(step(first))
    if "resume" in sys.argv:
        print(resume(first).state.log_history)"""
OWN = "OWN = {}  # what the script gives its trainer: data_collator, formatting_func\n"
REWARD = '''

def different(completions, **_):
    """A reward that differs between completions, by what no other reward is likely to undo."""
    return [0.618034 * (number % 2) for number, _ in enumerate(completions)]
'''
ENGINE = '''

def small_engine():
    """Let vLLM compile nothing, and on a CPU compute with the weights that the trainer sends."""
    import functools
    import mmap

    import torch
    from trl.generation import vllm_generation

    torch._dynamo.config.disable = True
    for module in (vllm_generation, sys.modules[{class_name}.__module__]):
        if hasattr(module, "LLM"):
            module.LLM = functools.partial(module.LLM, enforce_eager=True)
    if ARGUMENTS.get("use_cpu"):
        from vllm.model_executor.layers import utils

        def keep(layer, remove_weight):
            layer.cpu_linear = torch.nn.functional.linear

        zeros = torch.zeros

        def untouched(*size, dtype=None, **more):
            """Zeros as always; the bytes of the cache take memory only where they are used."""
            if dtype is torch.int8 and isinstance(size[0], int):
                return torch.frombuffer(mmap.mmap(-1, size[0], mmap.MAP_PRIVATE), dtype=dtype)
            return zeros(*size, dtype=dtype, **more)

        utils.dispatch_cpu_unquantized_gemm = keep
        torch.zeros = untouched

'''
VARIABLES = """\
os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
os.environ.setdefault("VLLM_CACHE_ROOT", os.path.join(os.path.dirname(__file__), "vllm-cache"))
"""
PICTURES = '''

def data(rows):
    """The rows as a data set, with the images that lie beside them."""
    for row in rows:
        for name in {columns!r}:
            held = row.get(name)
            if isinstance(held, list):
                row[name] = [str(HERE / one) for one in held]
            elif held:
                row[name] = str(HERE / held)
    made = Dataset.from_list(rows)
    for name, feature in ({features}):
        made = made.cast_column(name, feature)
    return made
'''
SELECT = """\
    shortest = range(min({rows}, len(trainer.train_dataset)))
    trainer.train_dataset = trainer.train_dataset.select(shortest)
"""
FROM_TRANSFORMERS = r"\b(Auto\w+|DataCollatorWithPadding|\w+ForConditionalGeneration)\b"


def script(plan: Plan, small_engine: bool = False) -> str:
    """The source of `repeat.py`. Paths in it are relative to its folder.

    With `small_engine` vLLM starts as fast as it can.
    """
    body = "".join(f"    {line}\n" for line in lines(plan))
    return HEAD.format(
        class_name=plan.class_name,
        imports="\n".join(_imports(plan, body)),
        arguments=pprint.pformat(spelled(plan.arguments), width=92),
        own=OWN if plan.own else "",
        reward=REWARD if plan.rewards else "",
        pictures=_pictures(plan) if plan.pictures else "",
        as_what=f"`trl {plan.trainer}`" if plan.habits.found else "a script",
        seed=plan.seed,
        engine=ENGINE.replace("{class_name}", plan.class_name) if small_engine else "",
        small="    small_engine()\n" if small_engine else "",
        variables=VARIABLES if small_engine else "",
        body=body,
        on_what=", on the shortest rows" if plan.step_rows else "",
        select=SELECT.format(rows=plan.step_rows) if plan.step_rows else "",
        checkpoint=", checkpoint=None" if plan.resumes else "",
        passed="resume_from_checkpoint=checkpoint" if plan.resumes else "",
        resume=RESUME if plan.resumes else "",
        main=RESUMED if plan.resumes else "print(step(build()))",
    )


def _pictures(plan: Plan) -> str:
    """The function that makes a data set of rows with the paths of images."""
    features = [
        f"({name!r}, {'[Image()]' if listed else 'Image()'}),"
        for name, listed in plan.pictures.items()
    ]
    return PICTURES.format(columns=tuple(plan.pictures), features=" ".join(features))


def _imports(plan: Plan, body: str) -> Iterator[str]:
    used = {*re.findall(FROM_TRANSFORMERS, body), "set_seed"}
    if "torch." in body:
        yield "import torch"
    yield f"from datasets import Dataset{', Image' if plan.pictures else ''}"
    yield f"from transformers import {', '.join(sorted(used))}"
    yield f"from {plan.module} import {plan.config}, {plan.class_name}"
    if plan.adapter and plan.task_open:
        yield "from dataclasses import replace"
    if plan.adapter:
        yield "from trl import ModelConfig, get_peft_config"
    own = [line for line in plan.imports if not line.startswith("from trl.")]
    yield from (line for line in plan.imports if line not in own)
    if own:
        yield f"\nsys.path[:0] = {list(plan.roots)!r}"
        yield from own

"""Each argument of a trainer with values that are easily written by mistake, one at a time.

    python benchmarks/mutants/odd_values.py --trainers SFT GRPO … [--keys dtype …] [--own]
        [--environment current] [--out DIR]

A script of each trainer gets the argument with each value: a number or a flag as a text, a word
with one letter less, an empty text, None where the config does not say so, a dictionary with a
key that nothing knows, and values of `WRONG`. Numbers are left to `benchmarks/arguments.py`. The
rest is as in `benchmarks/mutated_scripts.py`, but only the values that end the real run and have no
error at `files` are rehearsed. `--own` leaves the arguments of
transformers out. What is judged is a line in `DIR/TRAINER-ENVIRONMENT.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import mutated_scripts as judged
from commands import answered
from reports import report as small
from reports.report import Report

from mutants.mutations import HARNESS, Mutant

FIELDS = """
import dataclasses, json, sys, transformers, trl
shared = {field.name for field in dataclasses.fields(transformers.TrainingArguments)}
print(json.dumps([
    [field.name, str(field.type), repr(field.default), field.name in shared]
    for field in dataclasses.fields(getattr(trl, sys.argv[1]))
    if field.init
]))
"""
KIND = re.compile(r"\b(bool|int|float|str|dict|list)\b")
ROWS = {
    "SFT": small.COMPLETIONS, "DPO": small.PREFERENCES, "KTO": small.LABELLED,
    "Reward": small.CHOICES, "GRPO": small.PROMPTS, "RLOO": small.PROMPTS,
}  # fmt: skip
EXAMINED = {"max_steps": 2, "logging_steps": 1, "eval_strategy": "steps", "eval_steps": 1,
            "per_device_eval_batch_size": 2, "save_strategy": "steps", "save_steps": 2}  # fmt: skip
WRONG: dict[str, tuple[str, ...]] = {
    "model_init_kwargs": (
        '{"dtype": "bfloat"}',
        '{"torch_dtype": "float61"}',
        '{"device": "cuda"}',
        '{"use_chache": False}',
        '{"attn_implementation": "flash_attn"}',
        '{"device_map": "gpu"}',
        '{"trust_remote_code": "yes"}',
        '{"revision": "mian"}',
        '{"load_in_4_bit": True}',
    ),
    "ref_model_init_kwargs": ('{"dtype": "bfloat"}', '{"use_chache": False}'),
    "gradient_checkpointing_kwargs": ('{"use_reentrent": False}', '{"use_reentrant": "False"}'),
    "lr_scheduler_kwargs": ('{"num_cycle": 2}', '{"min_lr": 1e-6}', '{"num_cycles": "2"}'),
    "optim_args": ('"betas=0.9,0.95"', '"beta1=0.9"', '"lr=1e-4"', '{"betas": (0.9, 0.95)}'),
    "accelerator_config": ('{"split_batch": True}', '{"dispatch_batches": "no"}', '"a.json"'),
    "fsdp": ('"full_share"', '"full_shard, autowrap"'),
    "fsdp_config": ('{"layers": ["LlamaDecoderLayer"]}', '"fsdp.json"'),
    "deepspeed": ('"ds.json"', '{"zero_optimisation": {"stage": 2}}'),
    "chat_template_kwargs": ('{"enable_thinkin": False}',),
    "generation_kwargs": ('{"max_token": 5}', '{"temprature": 0.5}', '{"num_beams": 2}'),
    "dataset_kwargs": ('{"skip_prepare": True}', '{"add_special_token": False}'),
    "eos_token": ('"<|im_ed|>"', '"</s>"'),
    "pad_token": ('"<pda>"',),
    "report_to": ('"wandb,tensorboard"', '"wanbd"', '["none", "wandb"]'),
    "loss_weights": ("1.0", "[1.0, 0.5]"),
    "loss_type": ('"sigmoids"', '["sigmoid"]', '"sigmoid,sft"'),
    "target_modules": ('"all-linear"',),
    "hub_model_id": ('""', '"me/"'),
    "resume_from_checkpoint": ("True", '"out/checkpoint-9"'),
    "dataset_text_field": ('"txt"', '"prompt"'),
    "metric_for_best_model": ('"accuracy"', '"eval_losss"'),
    "reward_weights": ('"1.0"', "[1.0, 1.0]", "1.0"),
    "eval_steps": ("0", "0.5", "1.5", "1000"),
    "save_steps": ("0", "0.5", "1.5"),
    "logging_steps": ("0", "0.5", "1.5"),
}
"""Values of single arguments, as Python."""

NEVER = {"output_dir", "local_rank", "hub_token", "push_to_hub_token"} | HARNESS - {"report_to"}
SLOW = {"torch_compile", "torch_compile_backend", "torch_compile_mode", "torchdynamo",
        "use_transformers_continuous_batching", "use_transformers_paged"}  # fmt: skip
"""Arguments that make a compiler run for minutes."""


@dataclass(frozen=True)
class Field:
    """An argument of a config, with its type and its default as Python."""

    name: str
    type: str
    default: str
    shared: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trainers", nargs="+", default=list(ROWS))
    parser.add_argument("--keys", nargs="+", help="only these arguments")
    parser.add_argument("--own", action="store_true", help="only arguments that are TRL's own")
    parser.add_argument("--environment", default="current")
    parser.add_argument("--out", type=Path, default=Path("build/odd-values"))
    options = parser.parse_args()
    folder = Path(os.environ.get("TRL_DOCTOR_ENVIRONMENTS", judged.ROOT / "environments"))
    python = folder / options.environment / "bin/python"
    options.out.mkdir(parents=True, exist_ok=True)
    for trainer in options.trainers:
        fields = [
            field
            for field in fields_of(python, trainer)
            if (field.name in options.keys if options.keys else not (options.own and field.shared))
        ]
        verdicts = judged_values(trainer, options.environment, python, fields)
        print_judged(verdicts, trainer, options.out / f"{trainer}-{options.environment}.jsonl")
    judged.rehearsing.close()
    judged.hosts.close()


def print_judged(verdicts: Iterable[judged.Verdict], trainer: str, file: Path) -> None:
    """Write each verdict as soon as it is known as a line of the file, and then their table."""
    known = []
    with file.open("w") as lines:
        for verdict in verdicts:
            known.append(verdict)
            print(json.dumps(asdict(verdict)), file=lines, flush=True)
    print(f"\n{trainer}\n\n{judged.table(known)}", flush=True)


def fields_of(python: Path, trainer: str) -> list[Field]:
    """The arguments of a trainer's config in an environment."""
    return [Field(*entry) for entry in answered(python, ["-c", FIELDS], f"{trainer}Config")]


def judged_values(
    trainer: str, environment: str, python: Path, fields: Sequence[Field]
) -> Iterator[judged.Verdict]:
    """What becomes of a trainer's script with each value, and what the doctor tells of it."""
    files = {"train.py": script_of(trainer), "rows.jsonl": ROWS[trainer]}
    report = Report(trainer, environment, "", "", files, {})
    mutants = [
        Mutant(field.name, *inserted(files["train.py"], field.name, value))
        for field in fields
        if field.name not in NEVER | SLOW
        for value in odd(field)
    ]
    with tempfile.TemporaryDirectory() as name:
        yield from verdicts_of(report, python, Path(name), mutants)


def script_of(trainer: str) -> str:
    """A script that trains two steps, evaluates and saves, with a line for each argument."""
    groups = trainer in ("GRPO", "RLOO")
    arguments = {**small.ARGUMENTS, **(small.GROUPS if groups else {}), **EXAMINED}
    lines = "".join(f"    {name}={value!r},\n" for name, value in arguments.items())
    given = "reward_funcs=score, " if groups else ""
    return (
        "from datasets import load_dataset\n"
        f"from trl import {trainer}Config, {trainer}Trainer\n\n"
        f"{small.LENGTH if groups else ''}\n"
        "rows = load_dataset('json', data_files='rows.jsonl', split='train')\n"
        f"args = {trainer}Config(\n{lines})\n"
        f"trainer = {trainer}Trainer(model='model', args=args, {given}train_dataset=rows, "
        "eval_dataset=rows)\ntrainer.train()\n"
    )


def inserted(script: str, name: str, value: str) -> tuple[int, str, str, str]:
    """The line of an argument, that line before and after, and the script with the value."""
    lines = script.splitlines(keepends=True)
    after = f"    {name}={value},\n"
    for number, line in enumerate(lines):
        if line.startswith(f"    {name}="):
            return number + 1, line, after, "".join([*lines[:number], after, *lines[number + 1 :]])
    at = next(number for number, line in enumerate(lines) if line.startswith("    output_dir="))
    return at + 1, "", after, "".join([*lines[:at], after, *lines[at:]])


def odd(field: Field) -> list[str]:
    """What is easily written in place of a value, as Python."""
    kinds = set(KIND.findall(field.type))
    word = field.default.strip("'") if field.default.startswith("'") else ""
    values = list(WRONG.get(field.name, ()))
    if "None" not in field.type and field.default != "None":
        values.append("None")
    if kinds == {"bool"}:
        values += ['"false"', '"no"']
    if "int" in kinds:
        values += ['"8"', "2.5"]
    if "float" in kinds:
        values += ['"1e-4"', "[0.5]"]
    if word:
        values += [repr(word[:-1]), repr(word.upper())]
    if "str" in kinds or word:
        values += ['""', '"foo"', "True"]
    if "dict" in kinds:
        values += ["{}", '{"foo": 1}', '"foo"', "[]"]
    if "list" in kinds:
        values += ['"foo"', "[]", '["foo"]']
    return [value for value in dict.fromkeys(values) if value != field.default]


def verdicts_of(
    report: Report, python: Path, folder: Path, mutants: Sequence[Mutant]
) -> Iterator[judged.Verdict]:
    """The verdict on each mutant of a script that is well without."""
    base = report.lay(folder / "base", healthy=True, python=python)
    before = judged.real(report, python, folder / "first")
    if before[0]:
        raise SystemExit(f"{report.thread}: the script itself ends with {before[0]}")
    scripts = [base]
    for number, mutant in enumerate(mutants):
        scripts.append(report.lay(folder / f"m{number}", healthy=True, python=python))
        scripts[-1].write_text(mutant.script)
    at_files = judged.checked(python, scripts)
    whole = judged.rehearsed(python, base)
    for mutant, script, answer in zip(mutants, scripts[1:], at_files[1:], strict=True):
        after = judged.real(report, python, folder / f"r-{script.parent.name}", mutant)
        changed = judged.differences(before[1], after[1])
        told = {"files": judged.new_findings(at_files[0], answer)}
        verdicts = {"files": answer[0], "rehearsal": "not asked"}
        if after[0] and not any(finding[0] == "error" for finding in told["files"]):
            rehearsed = judged.rehearsed(python, script)
            told["rehearsal"] = judged.new_findings(whole, rehearsed)
            verdicts["rehearsal"] = rehearsed[0]
        yield judged.Verdict(
            report.thread, mutant.kind, mutant.line, mutant.before, mutant.after,
            after[0], changed, told, verdicts,
        )  # fmt: skip


if __name__ == "__main__":
    main()

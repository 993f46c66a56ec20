"""The command `show`: the run as it will be, resolved from the run file and the libraries."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import click

from trl_doctor.checkup.checkup import NOBODY
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.commands.gate import LAUNCHED
from trl_doctor.commands.output import tell
from trl_doctor.core.finding import Json
from trl_doctor.core.plain import plain
from trl_doctor.core.trainer import named
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.batches import Sizes, sizes
from trl_doctor.facts.checkpoint import weights
from trl_doctor.facts.library import accepted
from trl_doctor.facts.model_files import eos_ids, pad_ids
from trl_doctor.files.folder import Folder
from trl_doctor.files.target import NoTarget, target
from trl_doctor.machine.environment import BadInterpreter, environment
from trl_doctor.machine.interpreter import meant
from trl_doctor.machine.settings import BadSettings, settings

LENGTHS = ("max_length", "max_prompt_length", "max_completion_length", "response_length")
SET_BY_TRL = (
    "learning_rate",
    "bf16",
    "gradient_checkpointing",
    "loss_type",
    "beta",
    "num_generations",
)
"""Arguments whose defaults TRL changes from release to release."""

Rows = dict[str, str]


def show(given: str, trainer: str | None, python: str | None, form: str) -> int:
    """Print the resolved run; returns the exit status."""
    try:
        kept = settings(Path.cwd(), python_given=bool(python))
        chosen = python or kept.python
        world = environment(meant(chosen) if chosen else None, kept.stated)
        wanted = named(trainer) if trainer else None
        if trainer and not wanted:
            raise BadSettings(f"{trainer} is not a trainer of TRL")
        options = Options(trainer=wanted, offline=True, targets=kept.targets)
        facts = Facts(open_run(target(given, offline=True), world, options), world, NOBODY)
    except (BadSettings, BadInterpreter) as error:
        tell(f"trl-doctor: {plain(str(error))}")
        return 2
    except NoTarget as reason:
        tell(f"trl-doctor: {plain(str(reason))}")
        return 3
    rows = resolved(facts)
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
        return 0
    from tabulate import tabulate

    click.echo(tabulate([(key, plain(value)) for key, value in rows.items()], tablefmt="plain"))
    return 0


def resolved(facts: Facts) -> Rows:
    """What is known of the run, a line each; what is open says why."""
    rows: Rows = {}
    for part in (_trainer, _models, _tokens, _batch, _duration, _defaults, _launch):
        rows |= part(facts)
    return rows


def _trainer(facts: Facts) -> Rows:
    run = facts.run
    if isinstance(run.trainer, Unavailable):
        return {"trainer": f"open: {run.trainer}"}
    libraries = facts.environment.describe()
    return {"trainer": f"{run.trainer.trainer} ({run.trainer_from})", "libraries": libraries}


def _models(facts: Facts) -> Rows:
    rows: Rows = {}
    for role, model in facts.run.models.items():
        rows[f"{role} model"] = f"{model.name}: {_size(facts, model.folder)}"
    return rows


def _size(facts: Facts, folder: Folder | Unavailable) -> str:
    if isinstance(folder, Unavailable):
        return str(folder)
    try:
        stored = facts.at(folder)[weights]
    except Unavailable as reason:
        return str(reason)
    if not stored.tensors:
        return f"{len(stored.shards)} {stored.form} files, sizes not known"
    number = sum(math.prod(one.shape) for one in stored.tensors.values())
    return f"{number:,} parameters in {len(stored.shards)} {stored.form} file(s)"


def _tokens(facts: Facts) -> Rows:
    seen = facts.at(facts.run.folder_of("tokenizer"))
    rows: Rows = {}
    for name, fact in (("eos ids", eos_ids), ("pad ids", pad_ids)):
        try:
            rows[name] = "; ".join(f"{list(one.ids)} ({one.name})" for one in seen[fact]) or "none"
        except Unavailable as reason:
            rows[name] = f"not known: {reason}"
    for key in ("stop_token", "stop_token_id"):
        if key in facts.run.arguments:
            rows[key] = str(facts.run.arguments[key])
    given = facts.run.arguments.get("generation_kwargs")
    if isinstance(given, dict) and "stop" in given:
        rows["stop strings"] = json.dumps(given["stop"])
    return rows


def _batch(facts: Facts) -> Rows:
    run = facts.run
    if run.file is None:
        return {}
    count, where = run.processes or 1, run.processes_from or "nobody says how many; one is assumed"
    each = _default(facts, "per_device_train_batch_size", 8)
    steps = _default(facts, "gradient_accumulation_steps", 1)
    rows = {
        "processes": f"{count} ({where})",
        "rows a step": f"{each * steps * count:,} ({each} a device, {steps} accumulated)",
    }
    known: Sizes | None = facts.get(sizes)
    if known:
        completions = known.generation_batch(count)
        groups = completions // known.num_generations
        rows["rows a step"] += ", counted in completions"
        rows["generated at once"] = (
            f"{completions:,} completions, {known.num_generations} for each of {groups} prompts"
        )
    return rows


def _duration(facts: Facts) -> Rows:
    rows: Rows = {}
    if facts.run.file is None:
        return rows
    for key, otherwise in (("max_steps", -1), ("num_train_epochs", 3)):
        value = facts.run.number(key)
        said = "the run file" if value is not None else "the default"
        number = _default(facts, key, otherwise)
        if key == "num_train_epochs" or number > 0:
            rows[key.replace("_", " ")] = f"{value if value is not None else number:g} ({said})"
    for key in LENGTHS:
        value = facts.run.number(key)
        if value:
            rows[key.replace("_", " ")] = f"{value:g} tokens"
    return rows


def _default(facts: Facts, key: str, otherwise: int) -> int:
    """A whole number: of the run file, else what the installed or newest release has."""
    value = facts.run.number(key)
    if value is None and not isinstance(facts.run.trainer, Unavailable):
        field = accepted(facts.environment, facts.run.trainer).fields.get(key)
        try:
            value = float(field.default) if field and field.default else None
        except ValueError:
            value = None
    return int(otherwise if value is None else value)


def _defaults(facts: Facts) -> Rows:
    """What TRL sets by itself where the run says nothing."""
    if isinstance(facts.run.trainer, Unavailable):
        return {}
    known = accepted(facts.environment, facts.run.trainer)
    said: Iterator[str] = (
        f"{key}={known.fields[key].default}"
        for key in SET_BY_TRL
        if key in known.fields and key not in facts.run.arguments and known.fields[key].default
    )
    return {"set by TRL": f"{', '.join(said) or 'nothing of note'} ({known.source})"}


def _launch(facts: Facts) -> Rows:
    import shlex

    trainer, given = facts.run.trainer, facts.run.target.given
    if isinstance(trainer, Unavailable) or facts.run.file is None or trainer.name not in LAUNCHED:
        return {}
    counted: Json = facts.run.arguments.get("num_processes")
    more = (
        [] if counted or not facts.run.processes else ["--num_processes", str(facts.run.processes)]
    )
    return {"launch": shlex.join(["trl", trainer.name, "--config", given, *more])}

"""The command `show`: the run, resolved from the run file and the libraries."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import click

from trl_doctor.checkup.checkup import NOBODY
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.checkup.pinned import with_own
from trl_doctor.commands.gate import LAUNCHED
from trl_doctor.commands.output import to_stderr
from trl_doctor.core.finding import Json
from trl_doctor.core.plain import plain
from trl_doctor.core.trainer import named, no_trainer_named
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.launch.first_process import first_process
from trl_doctor.facts.library import accepted
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.model.files import eos_ids, pad_ids
from trl_doctor.facts.totals import rows as data_rows
from trl_doctor.facts.totals import rows_a_step, steps
from trl_doctor.facts.training.batches import Sizes, sizes
from trl_doctor.facts.training.generations import whole_argument
from trl_doctor.facts.vllm.engine import generation_kwargs
from trl_doctor.files.document import Unreadable
from trl_doctor.files.folder import Folder
from trl_doctor.files.target import NoTarget, one_run
from trl_doctor.machine.environment import BadInterpreter, environment
from trl_doctor.machine.interpreter import interpreter_path
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
        saved = settings(Path.cwd(), python_given=bool(python))
        chosen = python or saved.python
        world = environment(interpreter_path(chosen) if chosen else None, saved.stated)
        stated_trainer = named(trainer) if trainer else None
        if trainer and not stated_trainer:
            raise BadSettings(no_trainer_named(trainer))
        options = Options(trainer=stated_trainer, offline=True, targets=saved.targets)
        target = one_run(given)
        if target.kind == "script":
            world, _ = with_own(world, target.path, believes_pins=not chosen)
        facts = Facts(open_run(target, world, options), world, NOBODY)
    except (BadSettings, BadInterpreter) as error:
        to_stderr(f"trl-doctor: {plain(str(error))}")
        return 2
    except NoTarget as reason:
        to_stderr(f"trl-doctor: {plain(str(reason))}")
        return 3
    rows = resolved(facts)
    status = 3 if isinstance(facts.run.file, Unreadable) else 0
    if form == "json":
        click.echo(json.dumps(rows, indent=2))
        return status
    from trl_doctor.commands.tables import by_name

    click.echo(by_name({key: plain(value) for key, value in rows.items()}))
    return status


def resolved(facts: Facts) -> Rows:
    """What is known about the run, one line each; what is not known has the reason."""
    if isinstance(facts.run.file, Unreadable):
        return {"run": f"not known: {facts.run.file}"}
    rows = _trainer(facts)
    if facts.run.target.kind == "script" and isinstance(facts.run.trainer, Unavailable):
        return rows
    parts = {
        "models": _models,
        "end and pad": _tokens,
        "batch": _batch,
        "duration": _duration,
        "set by TRL": _defaults,
        "launch": _launch,
    }
    for name, part in parts.items():
        try:
            rows |= part(facts)
        except Unavailable as reason:
            rows[name] = f"not known: {reason}"
    return rows


def _trainer(facts: Facts) -> Rows:
    run = facts.run
    if isinstance(run.trainer, Unavailable):
        return {"trainer": str(run.trainer)}
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
    number = sum(math.prod(tensor.shape) for tensor in stored.tensors.values())
    return f"{number:,} parameters in {len(stored.shards)} {stored.form} file(s)"


def _tokens(facts: Facts) -> Rows:
    folder = facts.run.folder_of("tokenizer")
    if isinstance(folder, Unavailable):
        raise folder
    of_tokenizer, rows = facts.at(folder), Rows()
    for name, fact in (("eos ids", eos_ids), ("pad ids", pad_ids)):
        try:
            rows[name] = (
                "; ".join(f"{list(source.ids)} ({source.name})" for source in of_tokenizer[fact])
                or "none"
            )
        except Unavailable as reason:
            rows[name] = f"not known: {reason}"
    for key in ("stop_token", "stop_token_id"):
        if key in facts.run.arguments:
            rows[key] = str(facts.run.arguments[key])
    kwargs = generation_kwargs(facts)
    if "stop" in kwargs:
        rows["stop strings"] = json.dumps(kwargs["stop"])
    return rows


def _batch(facts: Facts) -> Rows:
    run = facts.run
    if run.file is None:
        return {}
    count, source = run.processes or 1, run.processes_from or "not known; one is assumed"
    if (first := facts[first_process]) and first.lost:
        source += f", but {first.why}"
    per_device = whole_argument(facts, "per_device_train_batch_size", 8)
    steps = whole_argument(facts, "gradient_accumulation_steps", 1)
    given_sizes: Sizes | None = facts.get(sizes)
    unit = "completions" if given_sizes else "rows"
    total = rows_a_step(facts)
    rows = {
        "world size": f"{count} ({source})",
        "effective batch": f"{total:,} {unit} a step = {per_device} a device x "
        f"{steps} accumulated x {count} process{'es' if count > 1 else ''}",
    }
    if given_sizes:
        completions = given_sizes.generation_batch(count)
        groups = completions // given_sizes.num_generations
        rows["completions"] = (
            f"{completions:,} generated at once, {given_sizes.num_generations} for each of "
            f"{groups} prompt{'s' if groups != 1 else ''}"
        )
    return rows


def _duration(facts: Facts) -> Rows:
    if facts.run.file is None:
        return {}
    batch, lines = rows_a_step(facts), dict[str, str]()
    count = facts.get(data_rows)
    number = steps(facts, batch)
    if count:
        lines["data"] = f"{count:,} rows"
    if number is None:
        lines["steps"] = "not known: the rows of the data are not here to be counted"
    else:
        source = "max_steps" if (facts.run.number("max_steps") or 0) > 0 else "from the data"
        lines["steps"] = f"{number:,} ({source})"
    if not (facts.run.number("max_steps") or 0) > 0:
        epochs = facts.run.number("num_train_epochs")
        source = "the run file" if epochs is not None else "the default"
        lines["epochs"] = f"{epochs or whole_argument(facts, 'num_train_epochs', 3):g} ({source})"
    return lines | _tokens_trained(facts, batch, number)


def _tokens_trained(facts: Facts, batch: int, number: int | None) -> Rows:
    """The longest that a row may be, and what steps of such rows come to."""
    lengths = {key: whole_argument(facts, key, 0) for key in LENGTHS}
    lines = {
        key.replace("_", " "): f"{length:,} tokens" for key, length in lengths.items() if length > 0
    }
    longest = max(lengths["max_length"], sum(lengths[key] for key in LENGTHS[1:]))
    if longest > 0:
        most = f"at most {batch * longest:,} a step"
        more = f", {batch * longest * number:,} in all" if number else ""
        lines["tokens"] = most + more
    return lines


def _defaults(facts: Facts) -> Rows:
    """TRL's defaults for arguments that the run does not set."""
    if isinstance(facts.run.trainer, Unavailable):
        return {}
    arguments = accepted(facts.environment, facts.run.trainer)
    defaults: Iterator[str] = (
        f"{key}={arguments.fields[key].default}"
        for key in SET_BY_TRL
        if key in arguments.fields
        and key not in facts.run.arguments
        and arguments.fields[key].default
    )
    return {"set by TRL": f"{', '.join(defaults) or 'nothing notable'} ({arguments.source})"}


def _launch(facts: Facts) -> Rows:
    import shlex

    trainer, target = facts.run.trainer, facts.run.target.given
    if facts.run.target.kind == "script":
        return {"launch": shlex.join(["python", target])} if target.endswith(".py") else {}
    if isinstance(trainer, Unavailable) or facts.run.file is None or trainer.name not in LAUNCHED:
        return {}
    counted: Json = facts.run.arguments.get("num_processes")
    more = (
        [] if counted or not facts.run.processes else ["--num_processes", str(facts.run.processes)]
    )
    return {"launch": shlex.join(["trl", trainer.name, "--config", target, *more])}

"""The command line: options, and one call each. The work is imported when a command runs."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, NoReturn

import click

from trl_doctor.commands.options import (
    FORM,
    GPUS,
    MEMORY,
    OFFLINE,
    PYTHON,
    REPAIRS,
    REPORT,
    RULES,
    STATED,
    TRAINER,
    TRUST,
)
from trl_doctor.commands.other_commands import OTHERS
from trl_doctor.commands.output import Program, leave, status_of, to_stderr
from trl_doctor.commands.parsing import SCRIPT_LINE, CheckCommand
from trl_doctor.core.version import __version__


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trl-doctor")
@click.pass_context
def main(context: click.Context) -> None:
    """Examine a TRL run before it uses a GPU.

    Point it at a run file, a script, a notebook, a launch file, a model folder or a Hub id:

    \b
      trl-doctor check run.yaml
      trl-doctor check train.py -- --learning_rate 1e-5
      trl-doctor check ./my-model --trainer grpo
      trl-doctor check job.sbatch
      trl-doctor check run.json --fix
      trl-doctor rehearse train.py

    Exit status: 0 passed, 1 failed (findings at or above --fail-on), 2 wrong usage, 3 incomplete
    or the doctor itself failed, 130 interrupted, 143 terminated.
    """
    if context.invoked_subcommand != "check":
        gc.enable()


@main.command(cls=CheckCommand, short_help="Examine runs: files, scripts, launch files, models.")
@click.argument("targets", nargs=-1, required=True, metavar="TARGET...")
@TRAINER
@click.option("--processes", type=click.IntRange(1), help="The number of training processes.")
@PYTHON
@STATED
@OFFLINE
@click.option(
    "--level",
    type=click.Choice(["files", "tiny", "full"]),
    help="How far to go: read files; also run one step with a tiny model (the default if "
    "torch and TRL are installed); also run three steps with the real weights, on this GPU.",
)
@click.option(
    "--device",
    type=click.Choice(["auto", "cpu", "cuda"]),
    help="The device of the real libraries; auto by default.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(1),
    metavar="SECONDS",
    help="For each probe; the default is 300, at level full 1800.",
)
@MEMORY
@TRUST
@click.option(
    "--keep", metavar="DIR", help="Keep the probes' files there, to repeat what they did."
)
@click.option("--vllm-server", metavar="URL", help="Also examine this running vLLM server.")
@GPUS
@RULES
@REPAIRS
@REPORT
@click.option("--statistics", is_flag=True, help="Also count the findings by rule.")
@click.option(
    "--jobs", type=click.IntRange(1), help="The number of targets that are examined in parallel."
)
@click.option(
    "--executor",
    type=click.Choice(["local", "ray"]),
    help="Where the targets are examined: here, or as tasks of a running Ray cluster.",
)
@click.option("--every-node", is_flag=True, help="Examine on each Ray node, and compare the nodes.")
@click.option(
    "--baseline", metavar="FILE", help="Do not report the findings that are listed in FILE."
)
@click.option(
    "--update-baseline", is_flag=True, help="Write the current findings to the baseline file."
)
def check(**options: Any) -> None:
    """Examine run files, scripts, notebooks, launch files, model folders or Hub ids.

    What follows `--` are options of the script or of the run: check train.py -- --model ./m
    """
    gc.disable()  # modules are no garbage: to look for some in them takes a tenth of a check
    from trl_doctor.asking import rendering

    rendering.shared().start()  # beside the imports: what it imports itself takes as long
    from trl_doctor.checkup.request import Request
    from trl_doctor.commands.check import check

    try:
        options["output"] += options.pop("form")
        line = click.get_current_context().meta.get(SCRIPT_LINE)
        status = check(Request(**options, argv=line), _colour(options["color"]))
    except KeyboardInterrupt as interrupt:
        to_stderr("Aborted!")
        status = status_of(interrupt)
    sys.exit(status)


@main.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Run your own script at a small scale, on the CPU.",
)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="COMMAND...")
@click.option("--processes", type=click.IntRange(1), help="The number of processes, on the CPU.")
@PYTHON
@OFFLINE
@click.option(
    "--columns", metavar="NAMES", help="The columns of data sets that are not on this machine."
)
@click.option(
    "--stand-in",
    "stand_ins",
    multiple=True,
    metavar="NAME=FOLDER",
    help="Use this folder in place of a model or data set.",
)
@click.option(
    "--timeout", type=click.FloatRange(20), metavar="SECONDS", help="Time limit; 300 by default."
)
@MEMORY
@TRUST
@click.option("--keep", metavar="DIR", help="Keep the scratch folder there.")
@click.option(
    "--watch", is_flag=True, help="Rehearse again, quickly, whenever a file of the folder changes."
)
@RULES
@REPORT
def rehearse(
    command: tuple[str, ...],
    columns: str | None,
    stand_ins: tuple[str, ...],
    watch: bool,
    **options: Any,
) -> None:
    """Run your own training script or command at a small scale, on the CPU.

    \b
      trl-doctor rehearse train.py --config run.yaml
      trl-doctor rehearse --processes 2 train.py
      trl-doctor rehearse -- accelerate launch --config_file zero3.yaml train.py

    The script runs as it is, with small random models and a few rows, for two steps, one save and
    one load. Nothing is downloaded, uploaded or written outside a scratch folder.
    """
    from trl_doctor.commands.rehearse import Wanted, run

    try:
        options["output"] += options.pop("form")
        status = run(
            Wanted(command, columns, stand_ins, watch), _colour(options["color"]), **options
        )
    except KeyboardInterrupt as interrupt:
        to_stderr("Aborted!")
        status = status_of(interrupt)
    sys.exit(status)


@main.command()
@click.argument("target")
@GPUS
@click.option("--search", is_flag=True, help="Also find the largest batch that fits.")
@click.option(
    "--fix",
    is_flag=True,
    help="Write the first change that fits into the run file; needs --unsafe-fixes.",
)
@click.option("--unsafe-fixes", is_flag=True, help="Allow changes to what the run does.")
@TRAINER
@PYTHON
@OFFLINE
@click.option(
    "--timeout", type=click.FloatRange(1), metavar="SECONDS", help="Time limit of each trace."
)
@TRUST
@FORM
def fit(**options: Any) -> None:
    """Forecast the memory of each GPU and the time of the job.

    The real trainer's step is traced at the model's real sizes on tensors that hold no data:

    \b
      trl-doctor fit run.yaml --gpu 8xH100-80GB --zero 3

    Exit status: 0 it fits, 1 it does not, 2 wrong usage, 3 there is no forecast.
    """
    from trl_doctor.commands.fit import Request, fit

    sys.exit(fit(Request(**options)))


for command in OTHERS:
    main.add_command(command)


def run(**options: Any) -> NoReturn:
    """`main` as a process of its own."""
    try:
        main(**options)
    except SystemExit as end:
        leave(end)
    sys.exit()


def _colour(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

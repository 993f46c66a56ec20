"""TRL's own command in this process: `python trl_command.py ORDER [TRAINER]`, in a job's folder.

`run TRAINER` is `trl TRAINER --config run.yaml` (for PPO, which has no command, `python train.py
run.yaml`): `real.json` says what became of it: the `status`, the `error` that ended it, and which
keys of run.yaml were `dropped` in silence.
`make` saves a random model of each config that standard input names, in folders of their names;
`parquet` makes Parquet files of the rows in JSON Lines that standard input names. `trainers` prints
which trainers have a command, and whether GRPO's takes reward functions.
An environment's interpreter runs it: standard library, and the libraries under test.
"""

import contextlib
import json
import os
import runpy
import sys
import traceback
from pathlib import Path

KNOWN = ("sft", "dpo", "grpo", "kto", "reward", "rloo")


def main():
    """The order that the command line gives."""
    order = sys.argv[1]
    if order == "trainers":
        print(json.dumps(trainers()))
    elif order == "make":
        make(json.load(sys.stdin))
    elif order == "parquet":
        parquet(json.load(sys.stdin))
    else:
        sys.exit(status_of(sys.argv[2]))


def trainers():
    """Which trainers have a script, and whether GRPO's takes the names of functions."""
    import trl

    scripts = Path(trl.__file__).parent / "scripts"
    grpo = scripts / "grpo.py"
    return {
        "trainers": [name for name in KNOWN if (scripts / f"{name}.py").is_file()],
        "reward_funcs": grpo.is_file() and "script_args.reward_funcs" in grpo.read_text(),
    }


def make(configs):
    """Random models of these configs, each saved in a folder of its own."""
    import torch
    import transformers

    for name, (auto, model_type, sizes) in configs.items():
        torch.manual_seed(0)
        try:
            config = transformers.AutoConfig.for_model(model_type, **sizes)
            getattr(transformers, auto).from_config(config).save_pretrained(name)
        except Exception as error:
            print(f"{name}: {error!r}", file=sys.stderr)


def parquet(files):
    """Parquet files in place of rows in JSON Lines."""
    from pyarrow import Table
    from pyarrow.parquet import write_table

    for file in map(Path, files):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        write_table(Table.from_pylist(rows), file.with_suffix(".parquet"))
        file.unlink()


def status_of(trainer):
    """Run a trainer's command and write what became of it; the exit status."""
    error, status, dropped = None, 0, []
    try:
        watch(dropped)
        run(trainer)
    except SystemExit as left:
        status = 0 if left.code in (None, 0) else 1
        if status:
            error = {"type": "SystemExit", "message": message_of(left)}
    except BaseException as raised:
        status = 1
        traceback.print_exc()
        error = {"type": type(raised).__name__, "message": str(raised)}
    result = {"status": status, "error": error, "dropped": dropped}
    Path("real.json").write_text(json.dumps(result))
    return status


def watch(dropped):
    """Note the keys of run.yaml that TRL's parser has no use for."""
    with contextlib.suppress(ImportError):
        from trl import TrlParser

        taken = TrlParser.set_defaults_with_config

        def noted(self, **given):
            left = taken(self, **given)
            dropped.extend(option[2:] for option in left[::2])
            return left

        TrlParser.set_defaults_with_config = noted


def message_of(left):
    """The last line that a program printed which ended itself."""
    sys.stderr.flush()
    try:
        with Path("/proc/self/fd/2").open(errors="replace") as printed:
            lines = printed.read().strip().splitlines()
    except OSError:
        lines = []
    return lines[-1] if lines else str(left.code)


def run(trainer):
    """The command itself, in this process: also what it would start with `accelerate launch`."""
    sys.path.remove(str(Path(__file__).parent))
    if trainer == "ppo":
        sys.argv = ["train.py", "run.yaml"]
        runpy.run_path("train.py", run_name="__main__")
        return
    from accelerate.commands import launch

    launch.simple_launcher = here
    sys.argv = ["trl", trainer, "--config", "run.yaml"]
    main = command()
    if main:
        main()
    else:
        del sys.argv[1]
        runpy.run_module(f"trl.scripts.{trainer}", run_name="__main__", alter_sys=True)


def command():
    """The `trl` command; None before it read what its scripts require from a file."""
    with contextlib.suppress(ImportError):
        from trl.cli.main import main

        return main
    from trl import cli

    reads = "return_remaining_strings=True" in Path(cli.__file__).read_text()
    return cli.main if reads else None


def here(args):
    """What `accelerate launch` would start as a process of its own, run in this one."""
    from accelerate.commands.launch import prepare_simple_launcher_cmd_env

    command, variables = prepare_simple_launcher_cmd_env(args)
    os.environ.update(variables)
    sys.argv = command[1:]
    sys.path.insert(0, str(Path(sys.argv[0]).parent))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()

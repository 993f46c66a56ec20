"""Runs TRL's own command many times in one interpreter that has imported the libraries once.

    python real_host.py <jobs

A job is one line of JSON: `{"id", "folder", "trainer"}` runs `trl <trainer> --config run.yaml` in
the folder (PPO has no command: `python train.py run.yaml`); `{"id", "folder", "make"}` makes a
random model of the configs in `make`. Each job runs in a fork; its answer is one line: `status`,
and the `error` that ended it. What it printed is in the folder's `real.log`.
The interpreter needs trl; of this project nothing is imported.
"""

import contextlib
import json
import os
import runpy
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

SECONDS = 120
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "CI": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TRL_EXPERIMENTAL_SILENCE": "1",
    "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
}


def imported():
    """Import what runs need; which trainers have a command, and if GRPO's takes functions."""
    import datasets  # noqa: F401
    import torch
    import transformers
    import trl
    from accelerate.commands import launch

    torch.set_num_threads(1)
    launch.simple_launcher = here
    names = ("AutoModelForCausalLM", "AutoModelForSequenceClassification", "AutoTokenizer",
             "Trainer", "TrainingArguments")  # fmt: skip
    for name in names:
        getattr(transformers, name)
    for name in ("SFTTrainer", "DPOTrainer", "GRPOTrainer", "KTOTrainer", "RewardTrainer",
                 "RLOOTrainer", "PPOTrainer", "ModelConfig", "TrlParser"):  # fmt: skip
        with contextlib.suppress(Exception):
            getattr(trl, name)
    scripts = Path(trl.__file__).parent / "scripts"
    known = ("sft", "dpo", "grpo", "kto", "reward", "rloo")
    found = [name for name in known if (scripts / f"{name}.py").is_file()]
    grpo = scripts / "grpo.py"
    takes = grpo.is_file() and "script_args.reward_funcs" in grpo.read_text()
    return {"trainers": found, "reward_funcs": takes}


def here(args):
    """What `accelerate launch` would start as a process of its own, run in this one."""
    from accelerate.commands.launch import prepare_simple_launcher_cmd_env

    command, variables = prepare_simple_launcher_cmd_env(args)
    os.environ.update(variables)
    sys.argv = command[1:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


def run(job):
    """The job itself, in this process."""
    if "make" in job:
        make(job["make"], job["folder"])
    elif job["trainer"] == "ppo":
        sys.argv = ["train.py", "run.yaml"]
        runpy.run_path("train.py", run_name="__main__")
    else:
        sys.argv = ["trl", job["trainer"], "--config", "run.yaml"]
        main = command()
        if main:
            main()
        else:
            del sys.argv[1]
            runpy.run_module(f"trl.scripts.{job['trainer']}", run_name="__main__", alter_sys=True)


def command():
    """The `trl` command; None before it read what its scripts require from a file."""
    try:
        from trl.cli.main import main
    except ImportError:
        from trl import cli

        reads = "return_remaining_strings=True" in Path(cli.__file__).read_text()
        main = cli.main if reads else None
    return main


def make(configs, folder):
    """Random models of these configs, each saved in a folder of its own."""
    import torch
    import transformers

    torch.manual_seed(0)
    for name, (auto, model_type, sizes) in configs.items():
        try:
            config = transformers.AutoConfig.for_model(model_type, **sizes)
            model = getattr(transformers, auto).from_config(config)
            model.save_pretrained(Path(folder) / name)
        except Exception as error:
            print(f"{name}: {error!r}", file=sys.stderr)


def child(job):
    """Run a job in the folder with its output in a file; never returns."""
    os.setsid()
    os.chdir(job["folder"])
    log = os.open("real.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    told, status = None, 0
    try:
        run(job)
    except SystemExit as left:
        status = 0 if left.code in (None, 0) else 1
        sys.stderr.flush()
        if status:
            printed = Path("real.log").read_text("utf-8", "replace").strip().splitlines()
            told = {"type": "SystemExit", "message": printed[-1] if printed else str(left.code)}
    except BaseException as error:
        status = 1
        traceback.print_exc()
        told = {"type": type(error).__name__, "message": str(error)}
    Path("real.json").write_text(json.dumps({"status": status, "error": told}))
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def answer(job):
    """Fork, run, wait at most `SECONDS`; what became of it."""
    start = time.monotonic()
    pid = os.fork()
    if not pid:
        child(job)
    timer = threading.Timer(job.get("seconds", SECONDS), os.killpg, (pid, signal.SIGKILL))
    timer.start()
    _, status = os.waitpid(pid, 0)
    timer.cancel()
    said = Path(job["folder"], "real.json")
    if os.WIFSIGNALED(status) or not said.is_file():
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else status
        error = {"type": "Killed", "message": f"signal {number}"}
        found = {"status": 1, "error": error}
    else:
        found = json.loads(said.read_text())
        said.unlink()
    return {"id": job["id"], **found, "seconds": round(time.monotonic() - start, 2)}


def main():
    """Answer the jobs on standard input, one line each; the first line says what can run."""
    os.environ.update(QUIET)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps(imported()), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), file=out, flush=True)


if __name__ == "__main__":
    main()

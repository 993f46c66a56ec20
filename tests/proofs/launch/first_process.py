"""The first process of `accelerate launch`, or of torchrun, without the launcher's own processes.

`python first_process.py SCRIPT [--config_file FILE …]`: accelerate itself reads the options and its
file, and says which variables its processes get. The script then runs with them, as rank 0 of 1.
"""

import importlib
import os
import runpy
import socket
import sys
from pathlib import Path


def launched(options: "list[str]") -> "dict[str, str]":
    """The variables that `accelerate launch` gives to its processes. Raises what it raises."""
    from accelerate.commands import launch
    from accelerate.utils.launch import prepare_deepspeed_cmd_env, prepare_multi_gpu_env

    parsed = launch.launch_command_parser().parse_args([*options, sys.argv[1]])
    arguments, file, from_file = launch._validate_launch_command(parsed)
    if not arguments.use_deepspeed:
        return dict(prepare_multi_gpu_env(arguments))
    names = [
        *(file.deepspeed_config.keys() if file else ()),
        *(["mixed_precision"] if from_file else []),
    ]
    arguments.deepspeed_fields_from_accelerate_config = ",".join(names)
    return dict(prepare_deepspeed_cmd_env(arguments)[1])


def uncompiled() -> None:
    """DeepSpeed compiles nothing for its processes to share memory: that takes most of a minute."""
    vars(importlib.import_module("deepspeed.comm.torch"))["build_shm_op"] = lambda: None


def port() -> str:
    """A port that is free."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return str(listener.getsockname()[1])


if len(sys.argv) > 2:
    os.environ.update(launched(sys.argv[2:]))
for name in ("RANK", "LOCAL_RANK"):
    os.environ[name] = "0"
for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):
    os.environ[name] = "1"
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port(), DS_ACCELERATOR="cpu")
if Path("ds.json").exists() or os.environ.get("ACCELERATE_USE_DEEPSPEED") == "true":
    uncompiled()
runpy.run_path(sys.argv[1], run_name="__main__")

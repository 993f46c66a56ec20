"""Imports an environment's libraries once, and runs real scripts in forks of itself.

`python real_host.py MODULE...`: orders are lines of JSON on standard input, and so are the answers
on standard output. An order is what a command line would be: `arguments` after the interpreter's
name (a script, `-m` and a module, or `-c` and code), `cwd`, `variables`, the files `input`,
`output` and `errors`, and the most `cpu_seconds` and `seconds` that it may take. The folder that
the host was started in is removed at the end. An environment's interpreter runs it: standard
library, and the libraries under test.
"""

import contextlib
import gc
import importlib
import json
import os
import resource
import runpy
import shutil
import signal
import sys
import time
import traceback
import types
import warnings
from pathlib import Path


def main():
    """Import, say so, and serve until standard input ends."""
    orders = os.fdopen(os.dup(0))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.path.remove(str(Path(__file__).parent))
    gc.disable()
    with warnings.catch_warnings():  # not in the runs: transformers counts its own warnings there
        warnings.simplefilter("ignore")
        for name in sys.argv[1:]:
            with contextlib.suppress(BaseException):
                module, _, attribute = name.partition(":")
                getattr(importlib.import_module(module), attribute or "__name__")
    gc.enable()
    gc.freeze()  # or each collection in each run looks through all that is imported here
    root = Path.cwd()
    for line in orders:
        print(json.dumps({"status": run(json.loads(line))}), file=answers, flush=True)
    shutil.rmtree(root, ignore_errors=True)


def run(order):
    """Run an order in a fork; its exit status, a signal's number negative."""
    process = os.fork()
    if not process:
        status = 1
        try:
            enter(order)
            status = finished(order["arguments"])
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)
    status = awaited(process, order["seconds"])
    with contextlib.suppress(OSError):
        os.killpg(process, signal.SIGKILL)  # what the script has left running
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def awaited(process, seconds):
    """How a process ended, as `os.waitpid` tells; it is killed after these seconds."""
    until = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() > until:
            os.kill(process, signal.SIGKILL)
        time.sleep(0.01)


def enter(order):
    """Become a process of its own, with the order's folder, variables, files and limit."""
    os.setsid()
    os.chdir(order["cwd"])
    os.environ.update(order["variables"])
    for target, (name, flags) in enumerate(
        (
            (order["input"], os.O_RDONLY),
            (order["output"], os.O_WRONLY),
            (order["errors"], os.O_WRONLY),
        )
    ):
        os.dup2(os.open(name, flags), target)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (order["cpu_seconds"], hard))


def finished(arguments):
    """Run what the arguments name, as the interpreter would; its exit status."""
    try:
        execute(*arguments)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
            return 1
        return int(end.code or 0)
    return 0


def execute(first, *rest):
    """A script by its path, a module after `-m`, or code after `-c`, with the rest as arguments."""
    if first == "-m":
        sys.path.insert(0, str(Path.cwd()))
        sys.argv = list(rest)
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *rest[1:]]
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), vars(module))
    else:
        sys.path.insert(0, str(Path(first).parent))
        sys.argv = [first, *rest]
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    main()

"""Imports an environment's libraries once, and runs real scripts in forks of itself.

`python real_host.py MODULE...`: standard input is a socket. Orders come there as lines of JSON, and
so go the answers. An order is what a command line would be: `arguments` after the interpreter's
name (a script, `-m` and a module, or `-c` and code), `cwd`, all `variables`, the files `input`,
`output` and `errors`, and the most `cpu_seconds` and `seconds` that it may take; without seconds it
is not waited for. Or it asks for a `host` of the doctor's probes. The folder that this was started
in is removed at the end. An environment's interpreter runs it: standard library, and the libraries
under test.
"""

import contextlib
import gc
import importlib
import importlib.util
import json
import os
import random
import resource
import runpy
import shutil
import signal
import socket
import sys
import tempfile
import time
import traceback
import types
import warnings
from pathlib import Path

TABLES = str(Path(__file__).parents[2] / "trl_doctor/probes/tables.py")


def main():
    """Import, say so, and serve until standard input ends."""
    channel = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.path.remove(str(Path(__file__).parent))
    gc.disable()
    with warnings.catch_warnings():  # not in the runs: transformers counts its own warnings there
        warnings.simplefilter("ignore")
        for name in sys.argv[1:]:
            with contextlib.suppress(BaseException):
                module, _, attribute = name.partition(":")
                getattr(importlib.import_module(module), attribute or "__name__")
        runpy.run_path(TABLES)["make_tables"]()
        with contextlib.suppress(Exception):  # for this vLLM looks at all names of all modules
            platform = sys.modules["vllm.platforms"].current_platform
            platform.register_triton_kernel_overrides()
            type(platform).register_triton_kernel_overrides = lambda *_: None
        with contextlib.suppress(Exception):  # or it looks at each class in a process of its own
            registry = sys.modules["vllm.model_executor.models.registry"]
            registry._run_in_subprocess = lambda look: look()
    gc.enable()
    gc.freeze()  # or each collection in each run looks through all that is imported here
    root = Path.cwd()
    served = []
    for order, ends in orders(channel):
        if ends or "seconds" not in order:
            served.append(host(**order["host"], ends=ends) if ends else started(order))
            answer = {"process": served[-1]}
        else:
            answer = {"status": run(order)}
        channel.sendall(json.dumps(answer).encode() + b"\n")
    for process in served:  # what they have used is counted where they are waited for
        os.waitpid(process, 0)
    shutil.rmtree(root, ignore_errors=True)


def orders(channel):
    """Each order, with the file descriptors that come with it; the next comes after its answer."""
    while True:
        line, ends = b"", []
        while not line.endswith(b"\n"):
            part, came, *_ = socket.recv_fds(channel, 1 << 16, 3)
            if not part:
                return
            line += part
            ends += came
        yield json.loads(line), ends


def host(script, root, folders, variables, imports, ends):
    """The process id of a fork that is what `main` of the doctor's own host makes of a process.

    It writes only below `folders`: the home that it was imported with is not below its root.
    """
    process = os.fork()
    if process:
        for end in ends:
            os.close(end)
        return process
    try:
        os.setsid()
        os.chdir(root)
        become(variables)
        requests, events, output = ends
        os.dup2(output, 1)
        os.dup2(output, 2)
        spec = importlib.util.spec_from_file_location("host", script)
        main = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(main)
        main._package()
        requests, events = (main._ours("processes").out_of_the_way(end) for end in ends[:2])
        os.close(output)
        main._ours("guard").stand_guard(requests, events, Path(root))
        main._ours("landlock").confine(map(Path, folders))
        served = main.Host(requests, events)
        served.import_all(imports)
        served.serve()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def become(variables):
    """Take the environment variables of another process."""
    os.environ.clear()
    os.environ.update(variables)
    tempfile.tempdir = None
    if variables.get("TORCHDYNAMO_DISABLE") == "1":
        sys.modules["torch._dynamo.config"].disable = True
    sys.dont_write_bytecode = bool(variables.get("PYTHONDONTWRITEBYTECODE"))


def started(order):
    """The process id of a fork that runs an order."""
    process = os.fork()
    if not process:
        status = 1
        try:
            enter(order)
            seed()
            status = finished(order["arguments"])
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)
    return process


def run(order):
    """Run an order in a fork; its exit status, a signal's number negative."""
    process = started(order)
    status = awaited(process, order["seconds"])
    with contextlib.suppress(OSError):
        os.killpg(process, signal.SIGKILL)  # what the script has left running
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def awaited(process, seconds):
    """How a process ended, as `os.waitpid` reports it; it is killed after these seconds."""
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
    become(order["variables"])
    for target, (name, flags) in enumerate(
        (
            (order["input"], os.O_RDONLY),
            (order["output"], os.O_WRONLY | os.O_APPEND),
            (order["errors"], os.O_WRONLY | os.O_APPEND),
        )
    ):
        os.dup2(os.open(name, flags), target)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (order["cpu_seconds"], hard))


def seed():
    """Let a script that sets no seed do the same in each run."""
    random.seed(0)
    with contextlib.suppress(KeyError):
        sys.modules["numpy"].random.seed(0)
        sys.modules["torch"].default_generator.manual_seed(0)


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

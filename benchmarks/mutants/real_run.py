"""Runs a script, and writes what its trainers did to a file.

    python real_run.py SCRIPT OUT

For each trainer: what it logged, without times, and sums of the weights that it trained; then the
files that the run left. Two runs that did the same write the same. An environment's interpreter
runs it: standard library, and the libraries under test.
"""

import contextlib
import functools
import json
import re
import runpy
import sys
from pathlib import Path

import transformers

TIMES = re.compile("runtime|per_second|flos|time|step_time|eta")
made = []


def main():
    """Run the script, whatever it does, and write what is known then."""
    script, out = sys.argv[1:]
    begin = transformers.Trainer.__init__

    @functools.wraps(begin)
    def kept(self, *args, **kwargs):
        made.append(self)
        return begin(self, *args, **kwargs)

    transformers.Trainer.__init__ = kept
    sys.argv = [script]
    sys.path[0] = ""
    before = set(files())
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        seen = {
            "trainers": [seen_of(trainer) for trainer in made],
            "files": sorted(set(files()) - before),
        }
        Path(out).write_text(json.dumps(seen))


def seen_of(trainer):
    """What a trainer logged and what its model is now; nothing where it did not come to be."""
    answer = {"class": type(trainer).__name__}
    with contextlib.suppress(AttributeError):
        answer["log"] = [
            {key: value for key, value in entry.items() if not TIMES.search(key)}
            for entry in trainer.state.log_history
        ]
    with contextlib.suppress(AttributeError):
        answer["weights"] = [
            f"{float(weight.detach().float().abs().sum()):.6g}"
            for weight in trainer.model.parameters()
            if weight.requires_grad
        ]
    return answer


def files():
    """The files below the working folder."""
    return (
        str(path) for path in Path().rglob("*") if path.is_file() and "__pycache__" not in str(path)
    )


main()

"""What a process that renders chat templates costs, against a question to the host of the probes.

    python benchmarks/rendering.py

Prints the processor time of each, start and end included, in turns in one run, and their ratio.
"""

from __future__ import annotations

import resource
import statistics
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from trl_doctor.asking.probes import Probes
from trl_doctor.asking.rendering import Renderer
from trl_doctor.core.question import Pending, Question
from trl_doctor.probes.answers.libraries import LibrariesAnswer

TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
RUNS = 9


def render() -> None:
    """Start the renderer, render one conversation, end it."""
    with Renderer() as renderer:
        text = renderer.render(TEMPLATE, [{"role": "user", "content": "Why?"}])
    assert text == "user: Why?\n", text


def ask() -> None:
    """Start a host that imports jinja2, ask it one question, end it."""
    question = Question(
        "libraries", "jinja2", {"imports": ["jinja2"]}, LibrariesAnswer, ("jinja2",)
    )
    with Probes(Path(sys.executable)) as probes:
        with suppress(Pending):
            probes.ask(question)
        probes.finish()
        answer = probes.ask(question)
    assert answer.value is not None, answer.reason


def used(action: Callable[[], None]) -> float:
    """Milliseconds of processor time of this process and of those that it started and ended."""
    before = _seconds()
    action()
    return (_seconds() - before) * 1000


def _seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    pairs = [(used(render), used(ask)) for _ in range(RUNS)]
    for label, times in zip(("renderer", "host"), zip(*pairs, strict=True), strict=True):
        print(f"{label:10} {statistics.median(times):4.0f} ms of processor time ({RUNS} runs)")
    ratio = statistics.median(host / renderer for renderer, host in pairs)
    print(f"host / renderer: {ratio:.2f}")


if __name__ == "__main__":
    main()

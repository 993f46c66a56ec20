"""The examples of a rule for its page: the files, what is reported, what a repair changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import chdir
from difflib import unified_diff
from pathlib import Path
from typing import Any

LONGEST = 40
"""Lines of a file or a change; longer ones are cut."""


def examples(rule: Any) -> Iterator[str]:
    """The first bad example of a rule, in Markdown; nothing where it has none."""
    from trl_doctor.facts.rule import Bad
    from trl_doctor.testing import check, laid_out

    example = next(
        (candidate for candidate in rule.all_examples() if isinstance(candidate, Bad)), None
    )
    if example is None:
        return
    yield "## Example"
    if example.versions:
        yield (
            "With "
            + ", ".join(f"{name} {version}" for name, version in example.versions.items())
            + ":"
        )
    content = example.files.get(example.target)
    if content is not None and not isinstance(content, bytes):
        yield f"`{example.target}`"
        yield _block("", _text(content))
    with laid_out(example.files) as folder, chdir(folder):
        yield "trl-doctor reports:"
        yield _block("text", _reported(rule, check(rule, example, folder)))
    changes = [_change(name, example.files.get(name), after) for name, after in _fixed(example)]
    if any(changes):
        yield "`--fix` changes:"
        yield _block("diff", "\n".join(filter(None, changes)))


def _fixed(example: Any) -> list[tuple[str, Any]]:
    return [] if example.fixed is None else list(example.fixed.items())


def _reported(rule: Any, checkup: Any) -> str:
    """The findings as the text report shows them."""
    from trl_doctor.checkup.gather import gathered
    from trl_doctor.checkup.report import Report
    from trl_doctor.checkup.verdict import verdict
    from trl_doctor.reports.style import Style
    from trl_doctor.reports.text import render

    target_report = gathered(checkup, verdict(checkup, "error"))
    report = Report((target_report,), 1, rules={rule.name: rule})
    _, *findings = render(report, Style(quiet=True, width=88)).split("\n\n")
    return "\n\n".join(
        finding for finding in findings if not finding.startswith(("verdict: ", "skipped: "))
    )


def _change(name: str, before: Any, after: Any) -> str:
    old, new = (
        _text(content).splitlines() for content in ("" if before is None else before, after)
    )
    return "\n".join(unified_diff(old, new, name, name, n=1, lineterm=""))


def _text(content: Any) -> str:
    if isinstance(content, bytes):
        return "(bytes)"
    return content if isinstance(content, str) else json.dumps(content, indent=2)


def _block(language: str, text: str) -> str:
    lines = [line.replace(str(Path.cwd()), ".")[:200] for line in text.rstrip().splitlines()]
    cut = lines[:LONGEST] + (["…"] if len(lines) > LONGEST else [])
    return "\n".join([f"~~~~~{language}", *cut, "~~~~~"])

"""Finds the rules: every module of every package under the entry point group `trl_doctor.rules`."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType

from trl_doctor.facts.rule import Rule

GROUP = "trl_doctor.rules"


@dataclass(frozen=True)
class Discovery:
    """The rules by name, and what could not be loaded (a sentence each)."""

    rules: tuple[Rule, ...]
    problems: tuple[str, ...]


class NoSuchRule(Exception):
    """A pattern of `--select` or `--ignore` matches no rule; the message suggests one."""


def discover() -> Discovery:
    """Load all rules. A package that fails to load costs its own rules only."""
    rules: dict[str, tuple[Rule, str]] = {}
    problems: list[str] = []
    for package in sorted(set(_entry_points())):
        try:
            found = list(_rules_in(importlib.import_module(package)))
        except (Exception, SystemExit) as error:
            problems.append(f"the rules of {package} cannot be loaded: {error!r}")
            continue
        for rule in found:
            if rule.name in rules:
                problems.append(
                    f"{package} has a rule {rule.name}, and so has {rules[rule.name][1]}"
                )
            else:
                rules[rule.name] = rule, package
    if not rules and not problems:
        problems.append("no rules are installed: pip install trl-doctor, or -e . in a checkout")
    return Discovery(tuple(rules[name][0] for name in sorted(rules)), tuple(problems))


def chosen(
    rules: Sequence[Rule], select: Sequence[str] = (), ignore: Sequence[str] = ()
) -> tuple[Rule, ...]:
    """The rules whose names match a pattern of `select` (all if empty) and none of `ignore`."""
    names = [rule.name for rule in rules]
    for pattern in (*select, *ignore):
        if not any(fnmatchcase(name, pattern) for name in names):
            from difflib import get_close_matches

            near = get_close_matches(pattern, names, 1)
            hint = f"; did you mean {near[0]}?" if near else "; see trl-doctor rules"
            raise NoSuchRule(f"no rule is called {pattern}{hint}")

    def wanted(name: str) -> bool:
        taken = not select or any(fnmatchcase(name, pattern) for pattern in select)
        return taken and not any(fnmatchcase(name, pattern) for pattern in ignore)

    return tuple(rule for rule in rules if wanted(rule.name))


def _entry_points() -> Iterator[str]:
    # importlib.metadata reads every distribution and costs 50 ms; the group stands in few files
    for folder in sys.path:
        try:
            entries = sorted(Path(folder or ".").glob("*.[de]*-info/entry_points.txt"))
        except OSError:
            continue
        for file in entries:
            try:
                text = file.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            if GROUP not in text:
                continue
            section = text.partition(f"[{GROUP}]\n")[2].partition("\n[")[0]
            for line in section.splitlines():
                package = line.partition("=")[2].strip()
                if package:
                    yield package


def _rules_in(module: ModuleType) -> Iterator[Rule]:
    own = getattr(module, "RULE", None)
    if isinstance(own, Rule):
        yield _named(own, module.__name__)
    for info in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not info.name.startswith("_"):
            yield from _rules_in(importlib.import_module(f"{module.__name__}.{info.name}"))


def _named(rule: Rule, module: str) -> Rule:
    """The rule with its name. Raises where what it explains is no regular expression."""
    re.compile(rule.explains)
    return replace(rule, name=module.rpartition(".")[2].replace("_", "-"))

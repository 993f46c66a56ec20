"""Finds the rules: every module of every package under the entry point group `trl_doctor.rules`.

A sub-package can have a function `concerned(facts)`: where that raises `NotConcerned` or
`Unavailable`, so does each rule in it and in the folders below it, and none is imported. Imports
are most of a check.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from msgspec import Struct

from trl_doctor.core.finding import Finding, Severity
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Check, Examples, MakesExamples, Rule
from trl_doctor.files.regular import text_of

GROUP = "trl_doctor.rules"

OWN = "trl_doctor_rules"
"""This project's rules: its tests compile what they explain, which takes 4 ms."""

CONCERNED = "concerned"
"""The function of a sub-package that says whether its rules concern a run."""

Concerned: TypeAlias = "Callable[[Facts], object]"


class LaterRule(Rule):
    """A rule whose module is imported for a run that concerns it, or when its page is used."""

    concerned: Concerned

    def __init__(self, name: str, module: str, concerned: Concerned) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "module", module)
        object.__setattr__(self, "concerned", concerned)

    @cached_property
    def _rule(self) -> Rule:
        rule = importlib.import_module(self.module).RULE
        return _with_name(rule, self.module)

    @property
    def doc(self) -> str:
        return self._rule.doc

    @property
    def severity(self) -> Severity:
        return self._rule.severity

    @property
    def check(self) -> Check:
        return self._check

    def _check(self, facts: Facts) -> Iterable[Finding]:
        self.concerned(facts)
        return self._rule.check(facts)

    @property
    def examples(self) -> Examples | MakesExamples:
        return self._rule.examples

    @property
    def explains(self) -> str:
        return self._rule.explains


class Discovery(Struct, frozen=True):
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
            every_rule = list(_rules_in(importlib.import_module(package)))
        except (Exception, SystemExit) as error:
            problems.append(f"the rules of {package} cannot be loaded: {error!r}")
            continue
        for rule in every_rule:
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
            from trl_doctor.core.similar import similar

            near = similar(pattern, names)
            hint = f"; did you mean {near[0]}?" if near else "; see trl-doctor rules"
            raise NoSuchRule(f"no rule is called {pattern}{hint}")

    def wanted(name: str) -> bool:
        is_selected = not select or any(fnmatchcase(name, pattern) for pattern in select)
        return is_selected and not any(fnmatchcase(name, pattern) for pattern in ignore)

    return tuple(rule for rule in rules if wanted(rule.name))


def _entry_points() -> Iterator[str]:
    # importlib.metadata reads every distribution and costs 50 ms; few files name the group
    for folder in sys.path:
        try:
            names = sorted(os.listdir(folder or "."))  # noqa: PTH208
        except OSError:
            continue
        for name in names:
            if not name.endswith((".dist-info", ".egg-info")):
                continue
            try:
                text = text_of(Path(folder, name, "entry_points.txt"), "replace")
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
        yield _with_name(own, module.__name__)
    folders = getattr(module, "__path__", ())
    if concerned := getattr(module, CONCERNED, None):
        for folder in folders:
            for name in _modules_below(module.__name__, folder):
                yield LaterRule(_rule_name(name), name, concerned)
    else:
        for folder in folders:
            for stem in _modules_in(folder):
                yield from _rules_in(importlib.import_module(f"{module.__name__}.{stem}"))


def _modules_below(package: str, folder: str) -> Iterator[str]:
    """The public modules of a folder and of those below it; a package without any is a module."""
    for stem in _modules_in(folder):
        name, below = f"{package}.{stem}", f"{folder}/{stem}"
        inner = list(_modules_below(name, below)) if os.path.isdir(below) else []  # noqa: PTH112
        yield from inner or [name]


def _modules_in(folder: str) -> Iterator[str]:
    """The names of the public modules and packages in a folder."""
    for name in sorted(os.listdir(folder)):  # noqa: PTH208
        stem, dot, suffix = name.partition(".")
        if not name.startswith("_") and (
            suffix == "py" or (not dot and os.path.isfile(f"{folder}/{name}/__init__.py"))  # noqa: PTH113
        ):
            yield stem


def _with_name(rule: Rule, module: str) -> Rule:
    """The rule with its name; raises where `explains` is no regular expression."""
    if not module.startswith(f"{OWN}."):
        re.compile(rule.explains)
    return replace(rule, name=_rule_name(module), module=module)


def _rule_name(module: str) -> str:
    return module.rpartition(".")[2].replace("_", "-")

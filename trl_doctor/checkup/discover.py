"""Finds the rules: every module of every package under the entry point group `trl_doctor.rules`.

A module of a sub-package called `probes` is imported only if probes can run: its rule finds nothing
in the files alone, and the import takes as long as a check of the files.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from types import ModuleType

from msgspec import Struct

from trl_doctor.core.finding import Severity
from trl_doctor.facts.rule import Check, Examples, Rule
from trl_doctor.files.regular import text_of

GROUP = "trl_doctor.rules"

OWN = "trl_doctor_rules"
"""This project's rules: its tests compile what they explain, which takes 4 ms."""

PROBES = "probes"
"""The sub-package of the rules that need the real libraries."""


class ProbeRule(Rule):
    """A rule that needs the real libraries; its module is imported when its page or check is
    used."""

    module: str

    def __init__(self, name: str, module: str) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "module", module)

    @cached_property
    def _rule(self) -> Rule:
        rule = importlib.import_module(self.module).RULE
        return _named(rule, self.module)

    @property
    def doc(self) -> str:
        return self._rule.doc

    @property
    def severity(self) -> Severity:
        return self._rule.severity

    @property
    def check(self) -> Check:
        return self._rule.check

    @property
    def examples(self) -> Examples:
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
            from trl_doctor.core.similar import similar

            near = similar(pattern, names)
            hint = f"; did you mean {near[0]}?" if near else "; see trl-doctor rules"
            raise NoSuchRule(f"no rule is called {pattern}{hint}")

    def wanted(name: str) -> bool:
        taken = not select or any(fnmatchcase(name, pattern) for pattern in select)
        return taken and not any(fnmatchcase(name, pattern) for pattern in ignore)

    return tuple(rule for rule in rules if wanted(rule.name))


def _entry_points() -> Iterator[str]:
    # importlib.metadata reads every distribution and costs 50 ms; few files name the group
    for folder in sys.path:
        try:
            entries = sorted(Path(folder or ".").glob("*.[de]*-info/entry_points.txt"))
        except OSError:
            continue
        for file in entries:
            try:
                text = text_of(file, "replace")
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
        name = f"{module.__name__}.{info.name}"
        if info.name.startswith("_"):
            continue
        if module.__name__.endswith(f".{PROBES}"):
            yield ProbeRule(_rule_name(name), name)
        else:
            yield from _rules_in(importlib.import_module(name))


def _named(rule: Rule, module: str) -> Rule:
    """The rule with its name; raises where `explains` is no regular expression."""
    if not module.startswith(f"{OWN}."):
        re.compile(rule.explains)
    return replace(rule, name=_rule_name(module))


def _rule_name(module: str) -> str:
    return module.rpartition(".")[2].replace("_", "-")

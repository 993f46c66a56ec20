"""Rules are found behind entry points, whatever else is installed."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from small_plugin import plugin

from trl_doctor.checkup.discover import Discovery, NoSuchRule, chosen, discover
from trl_doctor.facts.rule import Rule
from trl_doctor.live.check import installed


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what the standard library is made of, and no package of rules."""
    monkeypatch.setattr(sys, "path", [path for path in sys.path if "site-packages" not in path])
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not list_of_rules(path)])


def list_of_rules(path: str) -> bool:
    return any("trl_doctor" in entry.name for entry in Path(path or ".").glob("*-info"))


def discovery_of(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> Discovery:
    monkeypatch.setattr(sys, "path", [*map(str, folders), *sys.path])
    importlib.invalidate_caches()
    return discover()


def names(discovery: Discovery) -> list[str]:
    return [rule.name for rule in discovery.rules]


def test_rules_of_several_packages_come_in_by_name(
    alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = plugin(tmp_path / "one", {"zebra-striped": "", "bear-brown": ""})
    second = plugin(tmp_path / "other", {"note: cat-black": "", "_shared-part": "1 / 0"})
    discovery = discovery_of(monkeypatch, first, second)
    assert names(discovery) == ["bear-brown", "cat-black", "zebra-striped"]
    assert discovery.problems == ()
    assert discovery.rules[1].severity == "note"


def test_a_lack_of_rules_is_a_problem(alone: None) -> None:
    assert discover() == Discovery(
        (), ("no rules are installed: pip install trl-doctor, or -e . in a checkout",)
    )


def test_a_live_trainer_is_not_passed_without_rules(alone: None) -> None:
    with pytest.raises(RuntimeError, match="no rules are installed"):
        installed()


BROKEN = {
    "syntax": "def check(:",
    "import": "import no_such_module_anywhere",
    "raises": "raise RuntimeError('no')",
    "exits": "import sys; sys.exit(0)",
    "pattern": "from trl_doctor.facts.rule import Rule\n"
    "RULE = Rule('A.', 'error', lambda facts: (), (), explains='(')",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_package_costs_its_own_rules_only(
    name: str, alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = plugin(tmp_path / "good", {"bear-brown": ""})
    bad = plugin(tmp_path / "bad", {"cat-black": ""})
    (package,) = (folder for folder in bad.iterdir() if folder.suffix == "")
    (package / "dog_grey.py").write_text(BROKEN[name])
    discovery = discovery_of(monkeypatch, good, bad)
    assert names(discovery) == ["bear-brown"]
    (problem,) = discovery.problems
    assert problem.startswith(f"the rules of {package.name} cannot be loaded: ")


def test_two_rules_of_one_name_are_a_problem(
    alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = plugin(tmp_path / "one", {"bear-brown": ""})
    second = plugin(tmp_path / "other", {"bear-brown": ""})
    discovery = discovery_of(monkeypatch, first, second)
    assert names(discovery) == ["bear-brown"]
    (problem,) = discovery.problems
    assert "has a rule bear-brown, and so has small_plugin_" in problem


@pytest.mark.parametrize(
    "text", [b"", b"[trl_doctor.rules]", b"[trl_doctor.rules\nx", b"\xff trl_doctor.rules", None]
)
def test_damaged_metadata_of_other_packages_is_skipped(
    text: bytes | None, alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = plugin(tmp_path / "good", {"bear-brown": ""})
    odd = tmp_path / "odd-1.dist-info" / "entry_points.txt"
    odd.parent.mkdir()
    if text is None:
        odd.mkdir()
    else:
        odd.write_bytes(text)
    discovery = discovery_of(monkeypatch, tmp_path, good, tmp_path / "gone")
    assert (names(discovery), discovery.problems) == (["bear-brown"], ())


RULES = tuple(
    Rule("A title.", "error", lambda facts: (), (), name)
    for name in ("file-unreadable", "file-lost", "vllm-slow")
)


@pytest.mark.parametrize(
    ("select", "ignore", "expected"),
    [
        ((), (), ["file-unreadable", "file-lost", "vllm-slow"]),
        (("file-*",), (), ["file-unreadable", "file-lost"]),
        (("file-*", "vllm-slow"), ("*-lost",), ["file-unreadable", "vllm-slow"]),
        ((), ("*",), []),
        (("vllm-slow",), ("vllm-slow",), []),
    ],
)
def test_patterns_choose(
    select: tuple[str, ...], ignore: tuple[str, ...], expected: list[str]
) -> None:
    assert [rule.name for rule in chosen(RULES, select, ignore)] == expected


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("file-unreadible", "did you mean file-unreadable?"),
        ("vllm_slow", "did you mean vllm-slow?"),
        ("FILE-LOST", "see trl-doctor rules"),
        ("gpu-*", "no rule is called gpu-*"),
        ("", "no rule is called"),
    ],
)
def test_a_pattern_that_matches_nothing_is_refused(pattern: str, says: str) -> None:
    for select, ignore in (([pattern], []), ([], [pattern])):
        with pytest.raises(NoSuchRule, match=says.replace("?", r"\?").replace("*", r"\*")):
            chosen(RULES, select, ignore)


def test_rules_of_a_folder_with_a_condition_are_not_imported_for_their_names(
    alone: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = plugin(tmp_path / "one", {"bear-brown": "", "cat-black": "", "dog-grey": ""})
    (package,) = (inner for inner in folder.iterdir() if inner.suffix == "")
    (package / "probes" / "rewards").mkdir(parents=True)
    (package / "probes" / "__init__.py").write_text("def concerned(facts): facts.asked\n")
    (package / "probes" / "rewards" / "__init__.py").touch()
    (package / "cat_black.py").rename(package / "probes" / "cat_black.py")
    (package / "dog_grey.py").rename(package / "probes" / "rewards" / "dog_grey.py")
    discovery = discovery_of(monkeypatch, folder)
    assert names(discovery) == ["bear-brown", "cat-black", "dog-grey"]
    for rule, module in zip(discovery.rules[1:], ("cat_black", "rewards.dog_grey"), strict=True):
        assert f"{package.name}.probes.{module}" not in sys.modules
        assert rule.severity == "error"
        assert f"{package.name}.probes.{module}" in sys.modules

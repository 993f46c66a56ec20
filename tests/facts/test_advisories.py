"""The advisories: their form, that each was shown, and the command that lists them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from osv import SCHEMA
from packaging.version import Version

from trl_doctor.commands.cli import main
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.facts.library import releases
from trl_doctor.facts.library.advisories import FOLDER, Advisory, advisories
from trl_doctor.facts.library.releases import DATA

SCRIPTS = Path(__file__).parents[1] / "proofs/advisories"
RELEASES = [
    Version(release) for release in json.loads((DATA / "trl_releases.json").read_text())["releases"]
]
CONFIGS = json.loads((DATA / "trl_releases.json").read_text())["configs"]
ARGUMENTS = json.loads((DATA / "transformers_arguments.json").read_text())["fields"]
BY_ID = {advisory.id: advisory for advisory in advisories()}
EACH = pytest.mark.parametrize(
    "advisory", [pytest.param(advisory, id=advisory.id) for advisory in advisories()]
)
KEYS = {
    "kind", "condition", "when", "complete", "by_default", "libraries", "remedy", "told_by", "runs",
    "sources",
}  # fmt: skip


def listed(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["advisories", *arguments])


@EACH
def test_an_advisory_fits_the_osv_schema(advisory: Advisory) -> None:
    Draft202012Validator(SCHEMA).validate(advisory.osv)
    assert (FOLDER / f"{advisory.id}.json").is_file() and advisory.id.startswith("TRLD-")
    assert set(advisory.osv["database_specific"]) <= KEYS
    for affected in advisory.osv["affected"]:
        assert affected["package"]["name"] == "trl"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("modified", "yesterday"),
        ("references", [{"type": "REPORT"}]),
        ("affected", [{"package": {"name": "trl"}}]),
        ("affected", [{"ranges": [{"type": "ECOSYSTEM", "events": [{"fixed": "1.0"}]}]}]),
        ("colour", "red"),
    ],
)
def test_the_schema_refuses_what_is_not_osv(key: str, value: Any) -> None:
    record = {**BY_ID["TRLD-5353"].osv, key: value}
    assert list(Draft202012Validator(SCHEMA).iter_errors(record))


@EACH
def test_bounds_are_releases_in_order(advisory: Advisory) -> None:
    for span in advisory.affected:
        bounds = [span.introduced, span.fixed or span.last]
        assert {bound for bound in bounds if bound} <= {*RELEASES, Version("0")}
        assert bounds[1] is None or bounds[0] < bounds[1]


@EACH
def test_its_condition_names_arguments_of_its_trainers(advisory: Advisory) -> None:
    for trainer in {name for span in advisory.affected for name in span.trainers}:
        assert set(advisory.arguments) <= {*CONFIGS[TRAINERS[trainer].config], *ARGUMENTS}


@EACH
def test_it_was_shown_and_its_absence_on_either_side(advisory: Advisory) -> None:
    seen = dict(evidence(advisory))
    inside = {trl for trl in seen if any(span.has(trl) for span in advisory.affected)}
    assert {trl for trl, shown in seen.items() if shown} == inside != set()
    for span in advisory.affected:
        if span.fixed:
            assert any(trl >= span.fixed and not shown for trl, shown in seen.items())
    assert advisory.reproduced == (
        script(advisory).is_file() and "runs" in advisory.osv["database_specific"]
    )


FIRST = Version("0.12.0")
"""The first release that was run; a range that begins with it may begin earlier."""

OPEN_BELOW = {"TRLD-torch-floor"}
"""Where the release before was not run: it needs a torch that no environment has."""


@EACH
def test_its_first_release_is_proven_or_has_the_first_trainer(advisory: Advisory) -> None:
    absent = {trl for trl, shown in evidence(advisory) if not shown}
    for span in advisory.affected:
        older = [trl for trl in RELEASES if trl < span.introduced]
        if span.introduced == FIRST or advisory.id in OPEN_BELOW:
            continue
        seen = any(trl < span.introduced for trl in absent)
        assert seen or not any(could_meet(advisory, span, trl) for trl in older[-1:])


def could_meet(advisory: Advisory, span: Any, trl: Version) -> bool:
    """Whether a release has one of the trainers, with all arguments of the condition."""
    own = {*releases.training_arguments(Version("4.46.3"))} if advisory.arguments else set()
    return any(
        TRAINERS[name].trainer in releases.trainers(trl)
        and {*advisory.arguments} <= own | {*(releases.fields(trl, TRAINERS[name].config) or {})}
        for name in span.trainers
    )


def evidence(advisory: Advisory) -> Iterator[tuple[Version, bool]]:
    """Releases, and whether a run or the source of each shows the bug."""
    own = advisory.osv["database_specific"]
    for source in own.get("sources", ()):
        assert set(source) == {"release", "file", "line", "text", "shows"}
        yield Version(source["release"]), source["shows"] == "shown"
    for release, result in own.get("runs", {}).items():
        yield Version(release), result == "shown"


def script(advisory: Advisory) -> Path:
    return SCRIPTS / f"{advisory.id.lower().replace('-', '_')}.py"


def test_each_script_is_of_an_advisory() -> None:
    assert {path.name for path in SCRIPTS.glob("trld_*.py")} <= {
        script(advisory).name for advisory in advisories()
    }


@pytest.mark.parametrize(
    ("number", "trl", "trainer", "affected"),
    [
        ("5353", "0.24.0", "grpo", False),
        ("5353", "0.27.2", "grpo", True),
        ("5353", "0.29.1", "grpo", True),
        ("5353", "1.0.0", "grpo", False),
        ("7039", "1.14.1", "grpo", True),
        ("7039", "1.14.2", "grpo", False),
        ("6789", "1.16.0", "sft", False),
        ("3750", "1.12.0", "ppo", True),
        ("3750", "1.13.0", "ppo", False),
    ],
)
def test_who_is_affected(number: str, trl: str, trainer: str, affected: bool) -> None:
    assert (BY_ID[f"TRLD-{number}"].affects(Version(trl), trainer) is not None) == affected


def test_arguments_that_fit_a_condition() -> None:
    sleeping = BY_ID["TRLD-5312"]
    fitting = {"use_vllm": True, "vllm_mode": "colocate", "vllm_enable_sleep_mode": True}
    assert sleeping.fits(fitting) and not sleeping.fits({**fitting, "vllm_mode": "server"})
    assert sleeping.fits({"use_vllm": True, "vllm_enable_sleep_mode": True}, fitting)
    assert not sleeping.fits({}, fitting), "the run sets none of them"
    warm = BY_ID["TRLD-3029"]
    assert warm.fits({"temperature": 0.9}) and not warm.fits({"temperature": 1})
    assert warm.fits({}, {"temperature": 0.9}), "the default of the release brings it in"
    weighted = BY_ID["TRLD-5353"]
    assert weighted.fits({"reward_weights": [1.0, 0.5]}) and not weighted.fits({})
    stepped = BY_ID["TRLD-dapo-steps"]
    usual = {"gradient_accumulation_steps": 1, "loss_type": "dapo"}
    assert stepped.fits({"steps_per_generation": 4}, usual) and not stepped.fits(usual)
    assert not stepped.fits({"steps_per_generation": 4, "gradient_accumulation_steps": 4}, usual)
    assert not stepped.fits({"steps_per_generation": 1}, usual)


def test_packages_that_fit_a_condition() -> None:
    old, absent = BY_ID["TRLD-fsdp-module"], BY_ID["TRLD-requests"]
    assert old.fits_libraries({"torch": Version("2.5.1")})
    assert old.fits_libraries({"torch": Version("2.6.0")}) is False
    assert old.fits_libraries({}) is None
    assert absent.fits_libraries({"requests": None})
    assert absent.fits_libraries({"requests": Version("2.32")}) is False


def test_a_release_has_its_advisories() -> None:
    result = listed(
        "--with", "trl==0.27.2", "--with", "transformers==4.57.6", "--with", "torch==2.8.0"
    )
    assert result.exit_code == 0
    assert "TRLD-5353" in result.stdout and "reward_weights" in result.stdout
    assert "TRLD-2445" not in result.stdout and "TRLD-3633" not in result.stdout
    assert result.stdout.splitlines()[-1].endswith("known bugs of trl 0.27.2")


def test_another_package_rules_an_advisory_out() -> None:
    release = ("--with", "trl==1.13.0", "--with", "transformers==4.57.6")
    assert "TRLD-fsdp-module" in listed(*release, "--with", "torch==2.5.1").stdout
    assert "TRLD-fsdp-module" not in listed(*release, "--with", "torch==2.6.0").stdout


def test_json_is_osv() -> None:
    result = listed("--all", "--output", "json")
    assert [load["id"] for load in json.loads(result.stdout)] == list(BY_ID)
    assert json.loads(listed("--with", "trl==0.9.6", "-o", "json").stdout) == []


def test_a_release_without_any_and_none_at_all() -> None:
    assert listed("--with", "trl==0.9.6").stdout == "no known bugs of trl 0.9.6\n"
    nothing = listed()
    assert nothing.exit_code == 2 and "--with trl==VERSION" in nothing.stderr
    assert listed("--with", "trl").exit_code == 2


def test_a_bug_with_packages_that_this_trl_does_not_allow_is_not_listed() -> None:
    by_hand = listed("--with", "trl==1.16.0", "--with", "transformers==4.47.0").stdout
    assert "transformers >=4.46,<4.48" in by_hand
    assert "transformers >=4.46,<4.48" not in listed("--with", "trl==1.16.0").stdout


def test_ranges_that_differ_name_their_trainers() -> None:
    output = listed("--with", "trl==1.16.0").stdout
    assert ">=0.14.0 (grpo); >=0.22.0 (rloo)" in output
    assert " or >=" not in output

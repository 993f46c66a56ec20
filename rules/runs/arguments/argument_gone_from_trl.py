"""The run file has an argument that this release lacks.

TRL and transformers rename and remove arguments in almost every release. The run fails when it
starts, or TRL's command line drops the key without a warning and the run trains with the default.

Remedy: use the new name, remove the argument, or install a release that has it.

Versions: each finding names the release. The history covers trl 0.7.11 to 1.16.0 and
transformers 4.44.0 to 5.23.0.

Seen: trl#2853, trl#6168, trl#5964. Reproduced: GRPOConfig(max_prompt_length=…) of trl 1.16.0 and
GRPOConfig(steps_per_generation=…) of trl 0.15.2, "got an unexpected keyword argument"; renamed as
here, each passes.
"""

from collections.abc import Iterator

from msgspec.structs import replace
from packaging.version import Version

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments import unknown as unknown_arguments
from trl_doctor.facts.arguments.names import place_of_name
from trl_doctor.facts.arguments.renaming import (
    older_name,
    remedy_of,
    rename_fix,
    replacement_fix,
)
from trl_doctor.facts.arguments.unknown import UnknownArguments
from trl_doctor.facts.library import releases
from trl_doctor.facts.library.releases import Lifetime
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    unknown, open_keys = unknown_arguments.unknown_arguments(facts), []
    for key in unknown.keys:
        spans = unknown.lifetimes(key)
        if not spans or (
            unknown.script and key not in unknown.accepted.config and _beside(unknown, key)
        ):
            continue
        library = spans[0].library
        least = _least(facts) if library == "transformers" else None
        is_gone = spans[-1].gone_in is not None and least is not None and spans[-1].gone_in <= least
        if library == "transformers" and not facts.environment.version(library) and not is_gone:
            open_keys.append(key)
        else:
            finding = _finding(facts, unknown, key, spans)
            yield replace(finding, severity=unknown.severity(key))
    if open_keys:
        raise Unavailable(
            f"whether transformers still accepts {', '.join(open_keys)} is not known: "
            "give its version (--with transformers==…)"
        )
    unknown.refuse_to_be_clear()


def _least(facts: Facts) -> Version | None:
    """The oldest transformers that the run's trl works with; None if it names none."""
    trl = facts.environment.version("trl") or releases.newest_release()
    allowed = releases.requirement(trl, "transformers") or ()
    return max((Version(part.version) for part in allowed if part.operator == ">="), default=None)


def _beside(unknown: UnknownArguments, key: str) -> bool:
    """Whether only TRL's own scripts have a key, and another script reads this file."""
    return unknown_arguments.owner(unknown.trainer, key).endswith("ScriptArguments")


def _finding(
    facts: Facts, unknown: UnknownArguments, key: str, spans: tuple[Lifetime, ...]
) -> Finding:
    library: releases.Library = "trl" if spans[0].library == "trl" else "transformers"
    version = unknown_arguments.release(facts.environment, unknown.trainer, library)
    stated = facts.environment.version(library) is not None
    release = f"{library} {version}" + ("" if stated else " (the newest known)")
    if library == "transformers" and not stated:
        trl = unknown_arguments.release(facts.environment, unknown.trainer, "trl")
        release = f"transformers {_least(facts)} or newer, which trl {trl} needs,"
    past = [span for span in spans if span.gone_in and span.gone_in <= version]
    place = place_of_name(facts.run, key)
    home, first = unknown_arguments.owner(unknown.trainer, key), spans[0].first
    if not past and first <= version:
        message = f"{unknown.trainer.config} of {release} has no {key}: it belongs to {home}"
        return Finding(place, message, unknown.evidence(key), remedy=f"remove {key}")
    if not past:
        message = f"{release} has no {key} yet: it comes with {library} {first}"
        name = older_name(unknown, key)
        fix = rename_fix(facts, key, name) if name else None
        instead = f"write {name} instead of {key}" if name else f"remove {key}"
        remedy = f"{instead}, or install {library} {first} or newer"
        return Finding(place, message, unknown.evidence(key), fix, remedy=remedy)
    message = f"{release} has no {key}: {library} {past[-1].last} was the last with it"
    new = releases.replacement(home, key)
    if new and new.use:
        message += f"; it is {new.use} now" if new.same else f"; see {new.use}"
    source = [f"the change in the source: {new.source}"] if new and new.note else []
    fix = replacement_fix(facts, unknown, key, new, version)
    return Finding(
        place, message, (*source, *unknown.evidence(key)), fix, remedy=remedy_of(facts, key, new)
    )


SFT: dict[str, Json] = {"trainer": "sft", "output_dir": "out", "max_seq_length": 2048}
GRPO: dict[str, Json] = {"trainer": "grpo", "output_dir": "out", "num_generations": 8}
NEW = {"trl": "1.16.0", "transformers": "5.23.0"}
OLD = {"trl": "0.15.2", "transformers": "4.48.3"}
SCRIPT = (
    "from trl import SFTConfig, SFTTrainer\n"
    "SFTTrainer('org/m', args=SFTConfig('out', model_name_or_path='org/m'))\n"
)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="not used by the HfArgumentParser.*|Unknown arguments from config file.*",
    examples=(
        Good(
            {"run.json": {"trainer": "sft", "output_dir": "out", "dataset_name": "org/rows"}},
            versions={"trl": "0.12.2"},
            skipped="does not know all options of `trl sft` of trl 0.12.2",
        ),
        Bad(
            {"run.json": {"trainer": "sft", "output_dir": "out", "evaluation_strategy": "no"}},
            versions={"trl": "0.24.0"},
            says="transformers 4.56.1 or newer, which trl 0.24.0 needs, has no "
            "evaluation_strategy: transformers 4.50.3 was the last with it",
            fixed={"run.json": {"trainer": "sft", "output_dir": "out", "eval_strategy": "no"}},
        ),
        Bad(
            {"run.json": SFT},
            versions=NEW,
            says="trl 1.16.0 has no max_seq_length: trl 0.19.1 was the last with it; "
            "it is max_length now",
            fixed={"run.json": {"trainer": "sft", "output_dir": "out", "max_length": 2048}},
        ),
        Good({"run.json": SFT}, versions=OLD),
        Bad(
            {"run.json": {**GRPO, "max_prompt_length": 512}},
            versions=NEW,
            says="trl 1.16.0 has no max_prompt_length: trl 0.27.2 was the last with it",
            fixed={"run.json": GRPO},
        ),
        Bad(
            {"run.json": {**GRPO, "steps_per_generation": 4}},
            versions=OLD,
            says="trl 0.15.2 has no steps_per_generation yet: it comes with trl 0.18.0",
        ),
        Bad(
            {"run.json": {"trainer": "sft", "output_dir": "out", "max_length": 2048}},
            versions=OLD,
            says="it comes with trl 0.16.0",
            fixed={"run.json": SFT},
        ),
        Bad(
            {"run.json": {**GRPO, "warmup_ratio": 0.1, "torch_dtype": "bfloat16"}},
            versions=NEW,
            says="transformers 5.23.0 has no warmup_ratio",
            fixed={"run.json": {**GRPO, "warmup_steps": 0.1, "dtype": "bfloat16"}},
        ),
        Bad(
            {"train.py": SCRIPT},
            "train.py",
            versions=NEW,
            says="SFTConfig of trl 1.16.0 has no model_name_or_path: it belongs to ModelConfig",
        ),
        Good({"run.json": {**GRPO, "warmup_ratio": 0.1, "torch_dtype": "float32"}}, versions=OLD),
        Good(
            {"run.json": {**GRPO, "warmup_ratio": 0.1}},
            versions={"trl": "0.24.0"},
            skipped="whether transformers still accepts warmup_ratio is not known",
        ),
    ),
)

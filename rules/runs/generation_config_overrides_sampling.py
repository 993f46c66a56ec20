"""generation_config.json overrides the run's sampling.

If the trainer's temperature, top_p, … is the library's default, transformers uses the model's value
instead. The completions of a group become similar, so their rewards do not differ, and
log-probabilities are computed for another temperature than the one that was used for sampling. Only
one line of the log reports it.

Remedy: install trl 0.26.2 or newer. Until then remove these values from the generation_config.json
of the model that you train from; other programs that generate with that folder lose them too.

Versions: GRPO and RLOO without vLLM, trl before 0.26.2 with transformers 4.50 to 4.57, and only if
generation_config.json was written by transformers 4.50 or newer, or names no version. transformers
5 fills in what the trainer does not set: min_p, and top_k up to trl 0.26.2.

Seen: trl#5783, trl#4647, transformers#42762; reproduced: a file with temperature 0.1, top_p 0.5 and
repetition_penalty 1.3: trl 0.14.0, 0.19.1, 0.24.0 and 0.26.1 sample with these, 0.26.2 with its
own; so does 0.24.0 if the file has `transformers_version: 4.45.1`, and 0.15.2 with transformers
4.48.3. `top_k: 1` makes all four completions of a group equal with trl 0.14.0, and with 1.16.0 if
the run sets `top_k: null`.
"""

from collections.abc import Iterator, Mapping

from packaging.version import InvalidVersion, Version

from trl_doctor.core.finding import Finding, Fix, Place, Put, Remove, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document
from trl_doctor.facts.model.files import GENERATION, generation_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.training.sampling import SamplingRequest, number, sampling_request

from .._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate, config_files

DEFAULTS: Mapping[str, float | None] = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 50,
    "min_p": None,
    "repetition_penalty": 1.0,
}
"""The library's defaults, which transformers up to 4.57 treats as not set."""

MERGES, FIVE, OWN = Version("4.50.0"), Version("5.0.0"), Version("0.26.2")
"""From these releases on: transformers uses the model's values; only for values that are not set;
TRL keeps its own."""

OFF: Mapping[str, float] = {"top_k": 0, "min_p": 0.0}


def check(facts: Facts) -> Iterator[Finding]:
    wants, transformers = sampling_request(facts), _merging(facts)
    if not facts.folder.has(GENERATION):
        return
    config = facts[generation_config]
    overrides = dict(_overrides(config, wants, transformers))
    if overrides:
        shown = ", ".join(f"{key} {value:g}" for key, value in overrides.items())
        yield Finding(
            Place(config.path, pointer(next(iter(overrides)))),
            f"{wants.trainer.trainer} of trl {wants.trl} with transformers {transformers} "
            f"samples with {shown} of generation_config.json",
            evidence=tuple(_evidence(wants, overrides)),
            fix=_fix(facts, config, overrides, transformers),
            remedy="" if transformers < FIVE else f"set {' and '.join(overrides)} in the run file",
        )


def _merging(facts: Facts) -> Version:
    """The target's transformers; raises `NotConcerned` if it uses no value of the model."""
    if facts.run.flag("use_vllm"):
        raise NotConcerned("vLLM gets the run's own sampling values")
    if facts.run.flag("use_transformers_paged"):
        raise Unavailable("sampling with use_transformers_paged was not tested")
    release = facts.environment.known_version("transformers")
    if release < MERGES:
        raise NotConcerned(f"transformers {release} keeps the trainer's sampling values")
    return release


def _overrides(
    config: Document, wants: SamplingRequest, transformers: Version
) -> Iterator[tuple[str, float]]:
    """The model's values that generation uses, by key."""
    if transformers < FIVE and (wants.trl >= OWN or _written_by(config) < MERGES):
        return
    for key, default in DEFAULTS.items():
        value, open_ = number(config.get(key)), None if transformers >= FIVE else default
        if value is None or value == default:
            continue
        if wants.values.get(key, open_) == open_:
            yield key, value


def _written_by(config: Document) -> Version:
    """The release that wrote the file; the newest if it names none."""
    text = config.get("transformers_version")
    try:
        return FIVE if text is None else Version(Version(str(text)).base_version)
    except InvalidVersion:
        raise Unavailable(f"transformers_version of {GENERATION} is {text!r}") from None


def _evidence(wants: SamplingRequest, overrides: Mapping[str, float]) -> Iterator[str]:
    """What the run asks for instead."""
    for key in overrides:
        by = "the run file" if key in wants.routes else f"trl {wants.trl} by default"
        value = wants.values.get(key)
        asks = "does not set it" if value is None else f"asks for {value:g}"
        yield (
            f"{key}: {by} {asks}"
            if key in wants.values
            else (f"{key}: not an argument of this trl")
        )


def _fix(
    facts: Facts, config: Document, overrides: Mapping[str, float], transformers: Version
) -> Fix:
    """Set the values in the run file if it does not, or else remove the model's values."""
    if transformers >= FIVE and set(overrides) <= set(OFF):
        file = facts.run.target.path
        puts = tuple(Put(file, pointer(key), OFF[key]) for key in overrides)
        return Fix(
            f"set {' and '.join(overrides)} in the run file to the value that switches it off",
            puts,
            safe=False,
        )
    removals = tuple(Remove(config.path, pointer(key)) for key in overrides)
    return Fix(f"remove {', '.join(overrides)} from {GENERATION}", removals, safe=False)


GREEDY = config_files(temperature=0.1, top_k=1, top_p=0.5, transformers_version="4.51.0")
OLDER = config_files(temperature=0.1, top_p=0.5, transformers_version="4.45.1")
FOUR = {"trl": "0.24.0", "transformers": "4.57.6"}
NOW = {"trl": "1.16.0", "transformers": "5.23.0"}
CLEARED = config_files(top_k=1, transformers_version="4.51.0")["generation_config.json"]
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(RUN, TOKENIZER, GREEDY),
            versions=FOUR,
            says="samples with temperature 0.1, top_p 0.5 of generation_config.json",
            fixed={"model/generation_config.json": CLEARED},
        ),
        Bad(
            candidate({**RUN, "temperature": 0.9, "top_p": 0.9}, TOKENIZER, GREEDY),
            versions={"trl": "0.17.0", "transformers": "4.51.3"},
            says="samples with top_k 1 of generation_config.json",
            fixed={
                "model/generation_config.json": config_files(
                    temperature=0.1, top_p=0.5, transformers_version="4.51.0"
                )["generation_config.json"]
            },
        ),
        Bad(
            candidate({**RUN, "top_k": None}, TOKENIZER, GREEDY),
            versions=NOW,
            says="samples with top_k 1 of generation_config.json",
            fixed={"run.json": {**RUN, "top_k": 0}},
        ),
        Good(candidate(RUN, TOKENIZER, GREEDY), versions=NOW),
        Good(candidate(RUN, TOKENIZER, OLDER), versions=FOUR),
        Good(candidate(RUN, TOKENIZER, GREEDY), versions={**FOUR, "trl": "0.26.2"}),
        Good(candidate(RUN, TOKENIZER, GREEDY), versions={**FOUR, "transformers": "4.49.0"}),
        Good(candidate({**RUN, "use_vllm": True}, TOKENIZER, GREEDY), versions=FOUR),
        Good(candidate(RUN, TOKENIZER, CONFIG), versions=FOUR),
        Good(candidate(RUN, TOKENIZER, GREEDY), skipped="the version of trl is not known"),
    ),
)

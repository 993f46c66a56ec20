"""generation_config.json overrules the sampling of the run.

Where the trainer's temperature, top_p, … is the library's default, transformers takes the model's
value instead. Completions of a group come out alike, rewards do not differ, and log-probabilities
are computed for another temperature than was sampled with. One line of the log says so.

Remedy: install trl 0.26.2 or newer. Until then take these values out of the generation_config.json
that is trained from; whoever generates with that folder loses them too.

Versions: GRPO and RLOO without vLLM, trl before 0.26.2 with transformers 4.50 to 4.57, and only
where generation_config.json was written by transformers 4.50 or newer, or names no version.
transformers 5 fills in what the trainer leaves open: min_p, and top_k up to trl 0.26.2.

Seen: trl#5783, trl#4647, transformers#42762; ran: a file with temperature 0.1, top_p 0.5 and
repetition_penalty 1.3: trl 0.14.0, 0.19.1, 0.24.0 and 0.26.1 sample with these, 0.26.2 with its
own; so does 0.24.0 where the file says `transformers_version: 4.45.1`, and 0.15.2 with
transformers 4.48.3. `top_k: 1` makes all four completions of a group equal with trl 0.14.0, and
with 1.16.0 where the run says `top_k: null`.
"""

from collections.abc import Iterator, Mapping

from packaging.version import InvalidVersion, Version

from trl_doctor.core.finding import Finding, Fix, Place, Put, Remove, pointer
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.documents import Document
from trl_doctor.facts.model_files import GENERATION, generation_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.sampling import SamplingRequest, asked, number

from ._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate, config_files

DEFAULTS: Mapping[str, float | None] = {
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 50,
    "min_p": None,
    "repetition_penalty": 1.0,
}
"""The library's defaults: what transformers up to 4.57 takes for left open."""

MERGES, FIVE, OWN = Version("4.50.0"), Version("5.0.0"), Version("0.26.2")
"""From these on: transformers takes the model's values, only open ones; TRL keeps its own."""

OFF: Mapping[str, float] = {"top_k": 0, "min_p": 0.0}


def check(facts: Facts) -> Iterator[Finding]:
    wants, transformers = asked(facts), _merging(facts)
    if not facts.folder.has(GENERATION):
        return
    said = facts[generation_config]
    taken = dict(_taken(said, wants, transformers))
    if taken:
        shown = ", ".join(f"{key} {value:g}" for key, value in taken.items())
        yield Finding(
            Place(said.path, pointer(next(iter(taken)))),
            f"{wants.trainer.trainer} of trl {wants.trl} with transformers {transformers} "
            f"samples with {shown} of generation_config.json",
            evidence=tuple(_evidence(wants, taken)),
            fix=_fix(facts, said, taken, transformers),
            remedy="" if transformers < FIVE else f"say {' and '.join(taken)} in the run file",
        )


def _merging(facts: Facts) -> Version:
    """The target's transformers; raises `NotConcerned` where it takes no value of the model."""
    if facts.run.flag("use_vllm"):
        raise NotConcerned("vLLM is given the run's own sampling values")
    if facts.run.flag("use_transformers_paged"):
        raise Unavailable("what use_transformers_paged samples with was not tried")
    found = facts.environment.version("transformers")
    if found is None:
        raise Unavailable("which transformers will run is not known: say --with transformers==…")
    if found < MERGES:
        raise NotConcerned(f"transformers {found} keeps the trainer's sampling values")
    return found


def _taken(
    said: Document, wants: SamplingRequest, transformers: Version
) -> Iterator[tuple[str, float]]:
    """The model's values that generation takes, by key."""
    if transformers < FIVE and (wants.trl >= OWN or _written_by(said) < MERGES):
        return
    for key, default in DEFAULTS.items():
        value, open_ = number(said.get(key)), None if transformers >= FIVE else default
        if value is None or value == default:
            continue
        if wants.values.get(key, open_) == open_:
            yield key, value


def _written_by(said: Document) -> Version:
    """The release that wrote the file; the newest where it names none."""
    text = said.get("transformers_version")
    try:
        return FIVE if text is None else Version(Version(str(text)).base_version)
    except InvalidVersion:
        raise Unavailable(f"transformers_version of {GENERATION} is {text!r}") from None


def _evidence(wants: SamplingRequest, taken: Mapping[str, float]) -> Iterator[str]:
    """What the run asks for instead."""
    for key in taken:
        by = "the run file" if key in wants.routes else f"trl {wants.trl} by default"
        value = wants.values.get(key)
        asks = "leaves it open" if value is None else f"asks for {value:g}"
        yield f"{key}: {by} {asks}" if key in wants.values else f"{key}: no argument of this trl"


def _fix(facts: Facts, said: Document, taken: Mapping[str, float], transformers: Version) -> Fix:
    """Say in the run file what is left open, or else take the model's values away."""
    if transformers >= FIVE and set(taken) <= set(OFF):
        file = facts.run.target.path
        puts = tuple(Put(file, pointer(key), OFF[key]) for key in taken)
        return Fix(f"say {' and '.join(taken)} in the run file, switched off", puts, safe=False)
    gone = tuple(Remove(said.path, pointer(key)) for key in taken)
    return Fix(f"take {', '.join(taken)} out of {GENERATION}", gone, safe=False)


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
        Good(candidate(RUN, TOKENIZER, GREEDY), skipped="which trl will run is not known"),
    ),
)

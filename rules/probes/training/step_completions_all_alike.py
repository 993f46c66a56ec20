"""All completions of a prompt are the same.

GRPO and RLOO learn from the differences between the completions of one prompt. `top_k: 1` and
`do_sample: false` always take the likeliest token, so all completions of a prompt are the same.
They get the same reward and every advantage is 0. The job generates, logs rewards and saves a
model, but it learns nothing from the rewards.

Remedy: remove `top_k: 1` or `do_sample: false` and sample, for example with `temperature: 1.0`.

Versions: GRPO since trl 0.14.0, RLOO since 0.22.0. The rule is skipped with `use_vllm`, which was
not tested, and if a low temperature or top_p may be the reason: the small model of the step prefers
one token, so its completions are then the same more often than those of a real model.

Seen: reproduced with `trl grpo`, `top_k: 1` with trl 0.24.0 and 1.16.0, `do_sample: false` in
generation_kwargs and `trl rloo` with 1.16.0: grad_norm is 0, with GRPO frac_reward_zero_std is 1,
and the command ends without an error. Without these arguments grad_norm is not 0.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Fix, Json, Remove, pointer
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.step import step, stepped
from trl_doctor.facts.measured.step_failure import repeated
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import trainer
from trl_doctor.facts.training.sampling import sampling_request

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate
from ..._recorded.step import COMPLETIONS, FILES, TRL, answered

KWARGS, SAMPLE = "generation_kwargs", "do_sample"


def check(facts: Facts) -> Iterator[Finding]:
    routes = list(_greedy(facts))
    completions = facts[stepped].completions
    if completions is None or completions.count < 2:
        raise Unavailable("the step did not generate several completions")
    if completions.different > 1:
        return
    if not routes:
        raise Unavailable(
            "all completions are the same, but the small model prefers one token: "
            "a low temperature or top_p can be the reason"
        )
    if facts.run.flag("use_vllm"):
        raise Unavailable("the step was taken without vLLM")
    path = facts.run.target.path
    settings = " and ".join(f"{route[-1]}: {value}" for route, value in routes)
    yield Finding(
        facts.run.place(*routes[0][0]),
        f"all {completions.count} completions of the step of {trainer(facts)} are the same "
        f"({settings}): every advantage is 0, and nothing is learned from the rewards",
        evidence=tuple(repeated(facts[step])),
        fix=Fix(
            f"remove {settings}",
            tuple(Remove(path, pointer(*route)) for route, _ in routes),
            safe=False,
        ),
    )


def _greedy(facts: Facts) -> Iterator[tuple[tuple[str, ...], str]]:
    """The arguments of the run that always take the likeliest token, with their values."""
    request = facts[sampling_request]
    if request.values.get("top_k") == 1 and "top_k" in request.routes:
        yield request.routes["top_k"], "1"
    kwargs = facts.run.arguments.get(KWARGS)
    if isinstance(kwargs, dict) and kwargs.get(SAMPLE) is False:
        yield (KWARGS, SAMPLE), "false"


ALIKE = replace(COMPLETIONS, lengths=(1, 1, 1, 1), width=1, ended=4, different=1)
GREEDY: dict[str, Json] = {**RUN, "top_k": 1}
KEYWORD: dict[str, Json] = {**RUN, KWARGS: {SAMPLE: False, "min_new_tokens": 1}}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            candidate(GREEDY, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(completions=ALIKE),
            says="all 4 completions of the step of GRPOTrainer of trl 1.16.0 are the same (top_k:",
            fixed={"run.json": RUN},
            fixed_answers=answered(),
        ),
        Bad(
            candidate(KEYWORD, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(completions=ALIKE),
            says="are the same (do_sample: false)",
            fixed={"run.json": {**RUN, KWARGS: {"min_new_tokens": 1}}},
            fixed_answers=answered(),
        ),
        Good(FILES, versions=TRL, answers=answered()),
        Good(candidate(GREEDY, TOKENIZER, CONFIG), versions=TRL, answers=answered()),
        Good(
            candidate({**RUN, "temperature": 0.5}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(completions=ALIKE),
            skipped="a low temperature or top_p can be the reason",
        ),
        Good(
            candidate({**GREEDY, "use_vllm": True}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(completions=ALIKE),
            skipped="without vLLM",
        ),
        Good(
            FILES,
            versions=TRL,
            answers=answered(completions=None),
            skipped="did not generate several completions",
        ),
        Good(
            candidate({**RUN, "trainer": "ppo"}, TOKENIZER, CONFIG),
            versions=TRL,
            answers=answered(completions=ALIKE),
        ),
    ),
)

"""PPO queries end with a finished turn, or with padding.

PPO gives each row to the model as a prompt. All rows end with the token that ends an answer, or
they have the last answer of the conversation that they were made of: they are whole conversations,
or questions without the beginning of an answer. The model is trained to write after the end, and
the reward model scores text that no user ever sees. No error is raised.

If rows end with padding tokens, the model goes on after these, although they are masked: PPO
generates after the last token of a row.

Remedy: give PPO the question alone, render it with `add_generation_prompt=True`, and do not pad it:
the trainer pads its batches itself.

Versions: every trl with PPOTrainer. Only a rehearsal sees it, in rows with token ids of their own.

Seen: reproduced with PPO of trl 1.12.0: rows of question and answer, rendered by the chat template,
train without a warning. The same with `add_generation_prompt=True`, which begins another answer.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule
from trl_doctor.facts.run_trainer import known_trainer

MESSAGE = (
    "all {1} queries that were looked at end with a finished turn, as {0!r}: the model is trained "
    "to write after it"
)

ANSWERED = (
    "{1} of {2} queries have the last answer of their conversation, as {0!r}: the model is trained "
    "to write after it"
)
PADDED = (
    "{1} of {2} queries end with padding, as {0!r}: the model goes on after it; leave the padding "
    "to the trainer"
)


def check(facts: Facts) -> Iterator[Finding]:
    if known_trainer(facts) != "ppo":
        raise NotConcerned("only PPO reads token ids as prompts")
    messages = {"finished queries": MESSAGE, "answered queries": ANSWERED, "queries padded": PADDED}
    yield from mistake_findings(facts, messages)


def examples() -> Examples:
    from msgspec.structs import replace

    from ..._recorded.rehearsal import mistake, no_mistake

    ppo = {"run.json": {"trainer": "ppo", "model_name_or_path": "org/m"}}
    says = "all 32 queries that were looked at end with a finished turn, as 'It is 4.<|im_end|>'"
    words = ("It is 4.<|im_end|>", "32")
    last = "32 of 32 queries have the last answer of their conversation, as 'It is 4.'"
    pads = ("It is 4.<pad><pad>", "20", "32")
    padded = mistake("queries padded", pads, "train.py:9", "20 of 32 queries end with padding, as")
    answered = mistake("answered queries", ("It is 4.", "32", "32"), "train.py:9", last)
    return (
        replace(answered, files=ppo),
        replace(padded, files=ppo),
        replace(mistake("finished queries", words, "train.py:9", says), files=ppo),
        replace(no_mistake(), files=ppo),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)

"""Only completions are to be learned, but the rows have none.

`completion_only_loss` leaves out the prompt, where a row has the columns `prompt` and `completion`.
In rows with `messages` or `text` SFT finds no completion, and trains on all tokens, questions and
system texts too. There is no error and no warning.

Remedy: for `messages` set `assistant_only_loss: true` (the chat template needs `{% generation %}`);
or make the columns `prompt` and `completion`: for messages the last turn is the completion.

Versions: SFT of trl 0.18.0 and newer. Local files are examined, and in a rehearsal the rows as the
trainer gets them. Not reported: rows of tokens, a `formatting_func` or a collator of the script's
own.

Seen: reproduced with SFT of trl 0.19.1, 0.24.0 and 1.16.0: with `completion_only_loss` the weights
and the log of a run on texts are those of the run without it, bit for bit.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.arguments.unknown import known_to_trl
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.script.passed import passed

from ..._recorded.scripts import LOCAL, script

KEY, BESIDE = "completion_only_loss", "assistant_only_loss"
TOKENS = ("input_ids", "labels", "completion_mask", "assistant_masks")
OWN = ("formatting_func", "data_collator")
TALKS = ("messages", "conversations")


def check(facts: Facts) -> Iterator[Finding]:
    run = facts.run
    if known_trainer(facts) != "sft" or not run.flag(KEY) or run.flag(BESIDE):
        raise NotConcerned("the run does not ask for the loss of completions only")
    if KEY not in known_to_trl(facts)[1].fields:
        raise NotConcerned("this release has no completion_only_loss")
    values = facts.get(passed)
    if values and any(values.has(name) for name in OWN):
        raise NotConcerned("the script makes texts or labels itself")
    columns = set(facts[dataset.columns])
    if not columns or columns >= {"prompt", "completion"} or columns & {*TOKENS}:
        return
    names = [name for name in (*TALKS, str(run.arguments.get("dataset_text_field") or "text"))
             if name in columns]  # fmt: skip
    if names:
        talks = names[0] in TALKS
        yield Finding(
            run.place(KEY),
            f"{KEY} is on, but the rows have {names[0]} and no completion: SFT trains on all "
            "tokens of each row",
            remedy=f"set {BESIDE}: true instead"
            if talks
            else "make the columns prompt and completion",
        )


def _files(columns: str, **more: Json) -> dict[str, Json]:
    run = {"trainer": "sft", "dataset_name": "rows.jsonl", KEY: True, **more}
    return {"run.json": run, "rows.jsonl": columns + "\n"}


TALK = '{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}'
TRL = {"trl": "1.16.0"}
COLLATED = script("SFT", "model='org/m', data_collator=mine", f"{KEY}=True", rows=LOCAL)
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(_files(TALK), versions=TRL, says="the rows have messages and no completion: SFT"),
        Bad(_files('{"text": "a"}'), versions=TRL, says="the rows have text and no completion"),
        Bad({**script("SFT", "model='org/m'", f"{KEY}=True", rows=LOCAL), "rows.jsonl": TALK},
            "train.py", versions=TRL, says="the rows have messages"),
        Good(_files('{"prompt": "a", "completion": "b"}'), versions=TRL),
        Good(_files('{"input_ids": [1], "completion_mask": [1]}'), versions=TRL),
        Good(_files(TALK, assistant_only_loss=True), versions=TRL),
        Good(_files(TALK, completion_only_loss=False), versions=TRL),
        Good({**COLLATED, "rows.jsonl": TALK}, "train.py", versions=TRL),
    ),
)  # fmt: skip

"""Rows end their last turn twice.

The mark that ends a turn occurs twice with nothing between but spaces, for example
`<|im_end|>\\n<|im_end|>`. Usually the text was rendered with the chat template, which writes a line
break behind the mark. The trainer adds the eos to each text that does not end with it, and the line
break hides it. The model learns to go on behind the end of its answer, and to end once more. No
error is raised and the loss falls.

Remedy: strip the rendered texts (`apply_chat_template(…, tokenize=False).rstrip()`), or give the
rows as messages and let the trainer apply the chat template. CPO, ORPO and older releases of DPO
and KTO add the eos to rows of messages, too: render the prompts yourself and give the answers as
texts without the eos; DPO and KTO of a newer trl add none.

Versions: any; the rows of the installed trainer are examined, at level tiny and in a rehearsal. SFT
adds the eos from trl 0.17.0 on; 0.16.1 does not. The eos of a base model is usually not the token
that ends its turns (`<|endoftext|>` and `<|im_end|>`): where the tokenizer cannot be read, only
models are judged whose name says that they were trained to chat.

Seen: trl#3318. Reproduced with SFT of trl 0.19.1, 0.24.0 and 1.16.0: each row ends with
`<|im_end|>\\n<|im_end|>`; with stripped texts it ends with one.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, dataset
from trl_doctor.facts.measured.step import stepped
from trl_doctor.facts.measured.turns import row_turns
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer
from trl_doctor.facts.special_tokens.turn_ends import data_kind, named_for_chat

from ..._recorded.step import SFT, TRL, TURNS, trained


def check(facts: Facts) -> Iterator[Finding]:
    turns = facts[row_turns]
    if turns.ended_twice * 2 > turns.rows:
        if facts[stepped].rows_from == "made" and facts.get(dataset.kind) is None:
            raise Unavailable("whether the rows are texts or conversations is not known")
        if isinstance(facts.run.folder_of("tokenizer"), Unavailable) and not named_for_chat(facts):
            raise Unavailable("whether the tokenizer's eos also ends turns is not known without it")
        yield Finding(
            facts.run.place(),
            f"{turns.ended_twice} of {turns.rows} rows end a turn with {turns.end} twice: "
            "the model learns to go on behind its answers, and to end them again",
            remedy=_remedy(facts),
            follows=("dpo-adds-second-eos",),
        )


OF_TEXTS = "strip texts that were rendered before, or give the rows as messages"
OF_MESSAGES = "render the prompts yourself, and give the answers as texts without the eos"


def _remedy(facts: Facts) -> str:
    """The trainer itself may have rendered the rows, and ended them once more."""
    trainer = known_trainer(facts)
    if trainer not in ("dpo", "kto", "cpo", "orpo") or data_kind(facts) != "conversations":
        return OF_TEXTS
    adds = "this trainer adds the eos to rows of messages, too"
    newer = " (that of a newer trl does not)" if trainer in ("dpo", "kto") else ""
    return f"{OF_MESSAGES}: {adds}{newer}"


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            SFT,
            versions=TRL,
            answers=trained(turns=replace(TURNS, ended_twice=2)),
            says="2 of 2 rows end a turn with <|im_end|> twice",
        ),
        Bad(
            {"run.json": {**SFT["run.json"], "model_name_or_path": "org/real-Instruct"}},
            versions=TRL,
            level="rehearsal",
            answers=trained(turns=replace(TURNS, ended_twice=2)),
            says="2 of 2 rows end a turn with <|im_end|> twice",
        ),
        Good(
            {"run.json": {**SFT["run.json"], "model_name_or_path": "org/real-base"}},
            versions=TRL,
            level="rehearsal",
            answers=trained(turns=replace(TURNS, ended_twice=2)),
            skipped="is not known without it",
        ),
        Good(SFT, versions=TRL, answers=trained(turns=TURNS)),
        Good(SFT, versions=TRL, answers=trained(turns=replace(TURNS, ended_twice=1))),
        Good(SFT, versions=TRL, answers=trained(turns=None)),
    ),
)

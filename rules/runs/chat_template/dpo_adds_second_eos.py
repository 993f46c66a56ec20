"""DPO writes a second eos after rendered answers.

These releases append the eos to `chosen` and `rejected`, to conversations as well as to texts. A
template that ends messages with the eos has written it already. The model learns to answer, to
stop, and to write one more eos, and both answers of each pair have it.

Remedy: install trl 0.27.2 or newer; or render the prompts yourself and give the answers as texts
without the eos.

Versions: trl 0.12 to 0.27.1.

Seen: trl#4481, TRLD-4908. Reproduced with trl 0.24.0: the rows of the trainer end with
`<|im_end|>\n<|im_end|>`; with rendered prompts and plain answers they end with one.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import turn_ends

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate, tokenizer_files

FIRST, FIXED = Version("0.12.0"), Version("0.27.2")


def check(facts: Facts) -> Iterator[Finding]:
    trl = trl_of(facts)
    if known_trainer(facts) != "dpo" or trl is None or not FIRST <= trl < FIXED:
        raise NotConcerned(f"only DPO of trl {FIRST} to {FIXED} appends an eos to conversations")
    ends = turn_ends.ends(facts)
    if ends.eos is None or ends.turn.token != ends.eos:
        raise NotConcerned("the chat template does not end turns with the eos")
    if turn_ends.data_kind(facts) == "conversations":
        yield Finding(
            facts.run.place("dataset_name"),
            f"the template ends answers with {ends.eos}, and trl {trl} writes it a second time: "
            "the model learns to write a second eos",
        )


DPO = {**RUN, "trainer": "dpo"}
OLD = {"trl": "0.24.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            candidate(DPO, TOKENIZER, CONFIG),
            versions=OLD,
            says="ends answers with <|im_end|>, and trl 0.24.0 writes it a second time",
        ),
        Good(candidate(DPO, TOKENIZER, CONFIG), versions={"trl": "1.16.0"}),
        Good(candidate({**DPO, "dataset_format": "text"}, TOKENIZER, CONFIG), versions=OLD),
        Good(candidate(DPO, tokenizer_files(eos_token="<|endoftext|>"), CONFIG), versions=OLD),
    ),
)

"""An adapter is put on another model than it was trained on.

An adapter holds the difference to the model that it was trained on. The script loads it on another
one, usually on the base where an earlier stage has trained the whole model or merged its own
adapter: what that stage has learned is lost, and the result is a model that nobody has trained.
PEFT loads it without an error, because the shapes are the same.

Remedy: load the model that `base_model_name_or_path` in adapter_config.json names, and put the
adapter on that. If an earlier adapter was merged before the training, merge it before this one is
put on, too.

Versions: every PEFT. Only a rehearsal sees it, for adapters that the script itself has saved; of
models that it has not saved only where the one that the adapter is put on is as in its files.

Seen: reproduced with SFT, then DPO of trl 1.16.0 with peft 0.21.2: an adapter that was trained on
the model that SFT has saved, and is merged into the model that SFT began with. Its logits differ
from those of the trained model. LlamaFactory#624: the adapter of DPO on the base, where that of
SFT was merged into it in memory.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.rehearsal import mistake_findings
from trl_doctor.facts.rule import Examples, Rule

WHAT = "base without earlier stage"
MESSAGE = (
    "the adapter {0} was trained on {1}, and is put on a model with other weights at {place}: what "
    "{1} has learned is lost"
)

EARLIER = (
    "the adapter {0} was trained on a model with other weights than its files have, and is put on "
    "one that has these at {place}: what was learned before the adapter is lost"
)


def check(facts: Facts) -> Iterator[Finding]:
    yield from mistake_findings(facts, {"another base": MESSAGE, WHAT: EARLIER})


def examples() -> Examples:
    from ..._recorded.rehearsal import mistake, no_mistake

    says = "the adapter dpo was trained on out/sft, and is put on a model with other weights at"
    earlier = "the adapter dpo was trained on a model with other weights than its files have, and"
    return (
        mistake("another base", ("dpo", "out/sft"), "train.py:30", says),
        mistake(WHAT, ("dpo",), "train.py:30", earlier),
        no_mistake(),
    )


RULE = Rule(doc=__doc__, severity="warning", check=check, examples=examples)

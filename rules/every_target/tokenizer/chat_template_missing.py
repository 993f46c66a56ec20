"""The data are conversations, but there is no chat template.

Without one TRL cannot turn a conversation into text. SFT, DPO, KTO and Reward fail before the first
step; GRPO and the others fail in it, after everything else was set up.

Remedy: take the template of the model that this one was derived from and save it:
`tokenizer.chat_template = other.chat_template; tokenizer.save_pretrained(folder)`. SFT has
`chat_template_path` from trl 0.19.0 on. Check that its turns end with this model's eos.

Versions: every release. The script `trl sft` uses a template of its own from 0.17.0 to 0.22.2, `trl
dpo` up to 0.23.1 and `trl kto` up to 0.21.0.

Seen: reproduced: SFT, GRPO, DPO, KTO and Reward of trl 0.15.2, 0.24.0 and 1.16.0: "Cannot use chat
template functions because tokenizer.chat_template is not set".
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Place
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.dataset import kind
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import TOKENIZER as FILE
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer

from ..._recorded.candidate import CONFIG, RUN, TOKENIZER, candidate, tokenizer_files

SCRIPTS = {"sft": ("0.17.0", "0.23.0"), "dpo": ("0.8.0", "0.24.0"), "kto": ("0.8.0", "0.22.0")}
"""From which trl on, and before which, `trl NAME` uses its own template if there is none."""


def check(facts: Facts) -> Iterator[Finding]:
    view, name, trl = tokenizer_facts(facts), known_trainer(facts), trl_of(facts)
    model_tokenizer = view[tokenizer]
    stated = [
        key for key in ("chat_template_path", "chat_template") if facts.run.arguments.get(key)
    ]
    if model_tokenizer.chat_template is not None or stated:
        return
    if name == "ppo":
        raise NotConcerned("PPOTrainer reads token ids")
    if view.folder.has("chat_template.json"):
        raise Unavailable("chat_template.json belongs to the processor and is not read here")
    data = facts[kind]
    if not data.conversational:
        raise NotConcerned(f"the data are plain text: {data.because}")
    first, before = SCRIPTS.get(name or "", ("0", "0"))
    brings = trl is not None and Version(first) <= trl < Version(before)
    class_name = TRAINERS[name].trainer if name else "no trainer"
    only = (
        f", only {', '.join(model_tokenizer.chat_templates)}"
        if model_tokenizer.chat_templates
        else ""
    )
    yield Finding(
        Place(view.folder.file(FILE), "/chat_template"),
        f"the tokenizer has no chat template{' by default' * bool(only)}{only}: "
        f"{class_name} {'cannot' if name else 'can'} turn conversations into text",
        evidence=(data.because, *([f"`trl {name}` of {trl} uses one of its own"] * brings)),
        severity="warning" if brings else None,
    )


BARE = tokenizer_files(chat_template=None)
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="chat[ _]template",
    examples=(
        Bad(candidate(RUN, BARE, CONFIG), says="GRPOTrainer cannot turn conversations into text"),
        Bad(
            candidate({**RUN, "trainer": "sft"}, BARE, CONFIG),
            versions={"trl": "0.19.1"},
            severity="warning",
        ),
        Good(candidate({**RUN, "dataset_format": "text"}, BARE, CONFIG)),
        Good(candidate({**RUN, "dataset_format": None}, BARE, CONFIG), skipped="dataset_format"),
        Good(candidate({**RUN, "chat_template_path": "other"}, BARE, CONFIG)),
        Good(candidate(RUN, TOKENIZER, CONFIG)),
    ),
)

"""The tokenizer returns token_type_ids, the model has none.

In transformers 4 the tokenizer_class PreTrainedTokenizerFast adds them to every prompt. GRPO and
RLOO pass all of the tokenizer's output to `generate`, so the first step fails.

Remedy: write `"model_input_names": ["input_ids", "attention_mask"]` into tokenizer_config.json, or
install transformers 5.

Versions: GRPO from trl 0.20.0 on and RLOO from 0.22.0 on with transformers 4 and without vLLM; in
transformers 5 the class does not add them.

Seen: reproduced: GRPO of trl 0.20.0, 0.24.0, 1.4.0 and 1.16.0 with transformers 4.57.6: "The
following `model_kwargs` are not used by the model: ['token_type_ids']"; 0.19.1 trains, as does
1.16.0 with transformers 5.23.0.
"""

from collections.abc import Iterator

from packaging.version import Version

from trl_doctor.core.finding import Finding, Fix, Place, Put
from trl_doctor.core.trainer import TRAINERS
from trl_doctor.core.unavailable import NotConcerned, Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.facts.run_trainer import known_trainer, trl_of
from trl_doctor.facts.special_tokens import TOKENIZER as FILE
from trl_doctor.facts.special_tokens import tokenizer_facts
from trl_doctor.facts.tokenizer import tokenizer
from trl_doctor.facts.tokenizer.chosen import release

from ..._recorded.candidate import (
    CONFIG,
    RUN,
    candidate,
    config_files,
    tokenizer_files,
)

SINCE = {"grpo": "0.20.0", "rloo": "0.22.0"}
NAMES = ("input_ids", "attention_mask")
TAKE = frozenset(
    {
        *("bert", "big_bird", "camembert", "clvp", "codegen", "ctrl", "data2vec", "electra"),
        *("ernie", "flaubert", "gemma3", "gemma3_text", "gemma3n", "gpt2", "gpt_bigcode"),
        *("gpt_neo", "gptj", "megatron_bert", "openai-gpt", "paligemma", "rembert", "roberta"),
        *("roc_bert", "roformer", "xlm", "xlnet", "xmod"),
    }
)
"""Model types of transformers 4.57.6 whose language model has an argument token_type_ids."""


def check(facts: Facts) -> Iterator[Finding]:
    name, trl = known_trainer(facts), trl_of(facts)
    if name not in (None, *SINCE) or facts.run.flag("use_vllm"):
        raise NotConcerned("only GRPO and RLOO runs without vLLM are affected")
    version = facts.environment.version("transformers")
    if version is None or version.major >= 5 or (trl and trl < Version(SINCE[name or "grpo"])):
        raise NotConcerned("only trl from 0.20.0 on with transformers 4 is affected")
    view = tokenizer_facts(facts)
    settings = view.folder.get(FILE)
    names = settings.get("model_input_names") if settings else None
    gives = "token_type_ids" in names if isinstance(names, list) else None
    if gives is False or (
        gives is None and view[tokenizer].class_name != "PreTrainedTokenizerFast"
    ):
        return
    config = facts[model_config]
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in release(version).model_types:
        raise Unavailable("only the model's own code shows which inputs it accepts")
    if kind in TAKE:
        return
    subject = TRAINERS[name].trainer if name else "GRPO or RLOO"
    file = view.folder.file(FILE)
    yield Finding(
        Place(file, "/model_input_names"),
        f"the tokenizer returns token_type_ids, but {kind} does not accept them: "
        f"{subject} fails in the first step",
        fix=Fix(
            "remove token_type_ids from model_input_names",
            (Put(file, "/model_input_names", list(NAMES)),),
        ),
        severity=None if name else "warning",
    )


BARE = tokenizer_files(model_input_names=None)
FOUR = {"trl": "0.24.0", "transformers": "4.57.6"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    explains="token_type_ids",
    examples=(
        Bad(
            candidate(RUN, BARE, CONFIG),
            versions=FOUR,
            says="the tokenizer returns token_type_ids, but llama does not accept "
            "them: GRPOTrainer fails",
            fixed={
                "model/tokenizer_config.json": tokenizer_files(model_input_names=[*NAMES])[
                    "tokenizer_config.json"
                ],
            },
        ),
        Good(candidate({**RUN, "use_vllm": True}, BARE, CONFIG), versions=FOUR),
        Good(candidate(RUN, BARE, config_files({"model_type": "gpt2"})), versions=FOUR),
        Good(candidate(RUN, BARE, CONFIG), versions={**FOUR, "trl": "0.19.1"}),
        Good(candidate(RUN, BARE, CONFIG), versions={**FOUR, "transformers": "5.23.0"}),
    ),
)

"""The weights are pickled: loading them can run code.

A pickle can run code that its author put into it. With torch older than 2.6, transformers refuses
to load one.

Remedy: convert the weights once, in a place where code can do no harm:
`AutoModelForCausalLM.from_pretrained(folder).save_pretrained(folder, safe_serialization=True)`.
Then delete the .bin files and train from the result.

Versions: transformers from 4.51 on requires torch 2.6 ("Due to a serious vulnerability issue in
torch.load"). Newer pairs load with weights_only=True, which limits what a pickle can do.

Seen: LlamaFactory#8379, autogluon#5270; reproduced: it loads without a warning in transformers
4.48.3, 4.57.6 and 5.23.0 with torch 2.13.0.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.folders import models_of
from trl_doctor.facts.model.checkpoint import weights
from trl_doctor.facts.rule import Bad, Good, Rule


def check(facts: Facts) -> Iterator[Finding]:
    for model in models_of(facts):
        stored = model.get(weights)
        if stored and stored.form == "pickled":
            more = f" and {len(stored.shards) - 1} more files" if len(stored.shards) > 1 else ""
            yield Finding(
                stored.index or Place(model.folder.file(stored.shards[0])),
                f"{model.folder.label} has its weights as a pickle ({stored.shards[0]}{more})",
                evidence=("the pickle was not loaded here, so its tensors were not examined",),
            )


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            {"m/config.json": {"model_type": "llama"}, "m/pytorch_model.bin": b"\x80\x02."},
            target="m",
            says="pytorch_model.bin",
        ),
        Good({"m/config.json": {"model_type": "llama"}}, target="m"),
    ),
)

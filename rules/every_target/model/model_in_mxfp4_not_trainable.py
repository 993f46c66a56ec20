"""Weights in MXFP4 cannot be trained.

The checkpoint is in MXFP4 (gpt-oss). On a GPU that computes with it, transformers leaves the
weights packed and then refuses to train them: "quantized with mxfp4 but that quantization method do
not support training". A LoRA adapter on them is refused too.

Remedy: load the weights as plain numbers: `quantization_config=Mxfp4Config(dequantize=True)` in
`from_pretrained` or in `model_init_kwargs`.

Versions: transformers 4.55.0 and newer.

Seen: `is_trainable` of the MXFP4 quantizer of transformers 5.23.0 is false, and the trainer reads
this. It was not reproduced: without a GPU transformers dequantizes by itself.
"""

from collections.abc import Iterator

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.model.files import model_config
from trl_doctor.facts.rule import Bad, Good, Rule

from ..._recorded.candidate import RUN, TOKENIZER, config_files, under

KEY = "quantization_config"


def check(facts: Facts) -> Iterator[Finding]:
    config = facts.at(facts.run.policy)[model_config]
    stored = config.get(KEY)
    if not isinstance(stored, dict) or stored.get("quant_method") != "mxfp4":
        raise NotConcerned("the weights are not in MXFP4")
    loading = facts.run.arguments.get("model_init_kwargs")
    of_run = loading.get(KEY) if isinstance(loading, dict) else None
    settings = of_run if isinstance(of_run, dict) else stored
    if settings.get("dequantize") is not True:
        yield Finding(
            Place(config.path, f"/{KEY}"),
            "the weights are in MXFP4, which cannot be trained unless they are dequantized",
        )


def _with(**settings: Json) -> dict[str, Json]:
    return under("model", TOKENIZER, config_files({KEY: {"quant_method": "mxfp4", **settings}}))


LOADS: dict[str, Json] = {**RUN, "model_init_kwargs": {KEY: {"dequantize": True}}}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({"run.json": RUN, **_with()}, says="the weights are in MXFP4, which cannot be trained"),
        Good({"run.json": LOADS, **_with()}),
        Good({"run.json": RUN, **_with(dequantize=True)}),
        Good({"run.json": RUN, **under("model", TOKENIZER, config_files({}))}),
    ),
)

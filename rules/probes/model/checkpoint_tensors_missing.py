"""The checkpoint lacks tensors, which become random.

transformers writes a line to the log and goes on. The model answers nonsense or worse than it
should, each process may start from other values, and every comparison with the reference model is
wrong.

Remedy: save the model again with `save_pretrained` from a complete copy, or merge the adapter into
its base first. If the head shares the embedding's weights, set `tie_word_embeddings: true`.

Versions: every release; the transformers of the job's environment loads the model, without its
values.

Seen: LLaVA-NeXT#315, vllm#11802; reproduced with transformers 4.48.3, 4.57.6 and 5.23.0: a
checkpoint without `lm_head.weight`, not tied, loads with another head each time.
"""

from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Json, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.checkpoints import checkpoints, first_names, without_heads
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.load import LoadedCheckpoint, TensorCounts

from ..._recorded.candidate import RUN, candidate, config_files
from ..._recorded.load import CHECKPOINT, answers


def check(facts: Facts) -> Iterator[Finding]:
    version = facts.environment.version("transformers")
    for role, folder, checkpoint in checkpoints(facts):
        missing = checkpoint.counts.missing
        names = without_heads(facts, role, checkpoint.missing)
        if not names:
            continue
        count = missing - (len(checkpoint.missing) - len(names))
        yield Finding(
            Place(folder.file("config.json"), "/architectures"),
            f"the {role} model {folder.label} lacks {first_names(names, count)}: "
            f"transformers {version} "
            f"initialises {'it' if count == 1 else 'them'} at random",
            evidence=tuple(_evidence(checkpoint)),
        )


def _evidence(checkpoint: LoadedCheckpoint) -> Iterator[str]:
    counts = checkpoint.counts
    yield (
        f"loaded as {checkpoint.class_name}: {counts.missing:,} of "
        f"{checkpoint.of_model:,} tensors are missing"
    )
    if counts.unused:
        yield f"not used: {first_names(checkpoint.unused, counts.unused)}"


FIVE = {"transformers": "5.23.0"}
HEAD = replace(CHECKPOINT, missing=("lm_head.weight",), counts=TensorCounts(missing=1))
SCORE = replace(HEAD, class_name="LlamaForSequenceClassification", missing=("score.weight",))
POOLED = replace(
    HEAD,
    class_name="BertForSequenceClassification",
    missing=("bert.pooler.dense.bias", "bert.pooler.dense.weight", "classifier.weight"),
    counts=TensorCounts(missing=3),
)
FILES = candidate(RUN, config_files({"tie_word_embeddings": False}))
REWARD: dict[str, Json] = {"trainer": "reward", "model_name_or_path": "model"}

RULE = Rule(
    doc=__doc__,
    severity="error",
    check=check,
    examples=(
        Bad(
            FILES,
            versions=FIVE,
            answers=answers(models={"policy": HEAD}),
            says="the policy model model lacks lm_head.weight: transformers "
            "5.23.0 initialises it at",
        ),
        Good(FILES, versions=FIVE, answers=answers(models={"policy": CHECKPOINT})),
        *(
            Good(
                {**FILES, "run.json": REWARD},
                versions=FIVE,
                answers=answers(models={"policy": new}),
            )
            for new in (SCORE, POOLED)
        ),
        Good(
            FILES,
            versions=FIVE,
            answers=answers(models={"policy": "there are no safetensors weights"}),
            skipped="loading the policy: there are no safetensors weights",
        ),
    ),
)

"""The checkpoint has layers that the loaded model lacks.

config.json has fewer layers than were trained, or describes another model. transformers leaves out
the stored layers beyond that number and only writes a line to the log: the run trains an incomplete
model.

Remedy: set `num_hidden_layers` to the number of layers in the weights. If layers were removed on
purpose, save the smaller model with `save_pretrained`, so that weights and config.json agree.

Versions: every release.

Seen: reproduced with transformers 4.48.3, 4.57.6 and 5.23.0: `num_hidden_layers` 1 for two stored
layers loads and generates.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from trl_doctor.core.finding import Finding, Place
from trl_doctor.facts import Facts
from trl_doctor.facts.measured.checkpoints import checkpoints, first_names
from trl_doctor.facts.rule import Bad, Good, Rule
from trl_doctor.probes.answers.load import TensorCounts

from ..._recorded.candidate import CONFIG, RUN, candidate
from ..._recorded.load import CHECKPOINT, answers

LAYER = re.compile(r"(?:^|\.)(?:layers?|h|blocks?)\.(\d+)\.")


def check(facts: Facts) -> Iterator[Finding]:
    version = facts.environment.version("transformers")
    for role, folder, checkpoint in checkpoints(facts):
        if checkpoint.counts.missing:
            continue  # another model altogether, of which checkpoint-tensors-missing tells
        inside = [name for name in checkpoint.unused if LAYER.search(name)]
        layers = sorted({int(match[1]) for name in inside if (match := LAYER.search(name))})
        if layers:
            numbers = first_names([str(layer) for layer in layers], len(layers))
            yield Finding(
                Place(folder.file("config.json"), "/num_hidden_layers"),
                f"the {role} model {folder.label} stores more layers than a "
                f"{checkpoint.class_name} of its "
                f"config.json has: transformers {version} ignores the tensors of layer {numbers}",
                evidence=(f"not used: {first_names(inside, checkpoint.counts.unused)}",),
            )


NAMES = ("model.layers.1.mlp.up_proj.weight", "model.layers.1.self_attn.q_proj.weight")
FOUND = replace(CHECKPOINT, unused=NAMES, counts=TensorCounts(unused=2))
HEAD = replace(FOUND, unused=("score.weight", "v_head.summary.weight"))
FIVE = {"transformers": "5.23.0"}
RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad(
            candidate(RUN, CONFIG),
            versions=FIVE,
            answers=answers(models={"policy": FOUND}),
            says="has: transformers 5.23.0 ignores the tensors of layer 1",
        ),
        Good(candidate(RUN, CONFIG), versions=FIVE, answers=answers(models={"policy": HEAD})),
    ),
)

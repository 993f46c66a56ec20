"""Threads of a twentieth list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down as a user would say them, and before a rule, the page on accuracy or
the list of what was missed before was read; one question was asked before, to see what an answer
looks like. random.Random("twentieth-2026-11-25").shuffle gave their order; each was asked once, of
issues, nine of them once more in other words, for their answers were not about TRL, and some
threads were looked up once more. Of each answer the first thread was taken that is named nowhere
here, whose cause and remedy can be read, and which fails on a CPU in an environment here. At most
three are from one project besides TRL. The doctor was asked about none of them before the list was
whole.

Ten die, twelve end without an error. Causes that can be known by the arguments, the run file or
the release: LlamaFactory#8133, #7906, axolotl#73, unsloth#2305, MedicalGPT#368, trl#653, trl#1053
(with the rows); by the rows or the template: ms-swift#2417, trl#1282, OPSD#32, Qwen3#1618,
alignment-handbook#127; by the models' files: trl#1979, ms-swift#7226 (names of parameters). The
script's own code is needed for transformers#36331, #19599 and #39616 (an override, a collator, a
metric that is an array), peft#1340 and #2898 (how an adapter is loaded), unsloth#1017 (labels and
their collator), 360-LLaMA-Factory#46 (a sampler) and R1-V#65 (a pattern).

Rebuilt otherwise: the threads of transformers, peft, LlamaFactory, axolotl, ms-swift and 360 with
TRL's trainers; ms-swift#7226 with a model of another family, whose names too begin otherwise than
the user wrote them; Qwen3#1618 with a short template that writes an empty thought as that model's
does (the cause is told in unsloth's #3110 and in LlamaFactory#9392); trl#1979 with RLOO. The
remedies of peft#2898 and Qwen3#1618 are those of threads beside them; MedicalGPT#368 keeps the
best model where the thread keeps more of them.

Left out: the cause or the remedy is not in the thread: trl#362, #855, #1236, #1310, #1538, #2578,
#3903, peft#515, #2368, #2125, LlamaFactory#4176, #7614, unsloth#456, #1019, #1869, #2291,
argilla#4513, lo-fit#1, llms_tuning#1, ms-swift#2489, #9780; a package, a release or several cards
that no environment has: trl#450, #455, #761, #1186, #2660, #2961, #3982, transformers#31293,
#37766, unsloth#9331; no longer failing in those: peft#2777 (PEFT unties what it merges),
LlamaFactory#2479 (it is saved with a warning); the remedy is a release, which no file of a script
names: transformers#40691; a small model does not show it: ms-swift#3353, autocontext#1067; a
question, not a failure: LlamaFactory#3420, alignment-handbook#220, trl#2424; the same failure as
several here: peft#2400, trl#2968, #6252, Visual-RFT#108, OpenManus-RL#21, transformers#38733,
unsloth#2327; not of TRL: OpenRLHF#1089, sentence-transformers#2749. Most of the first threads
about GRPO were here already, so that one of them is left.
"""

from dataclasses import replace

from reports.twentieth import (
    adapters,
    collators,
    evaluation,
    groups,
    masks,
    metrics,
    order,
    preferences,
    roles,
    templates,
)

REPORTS = tuple(
    replace(report, group="twentieth")
    for report in (
        *adapters.REPORTS,
        *collators.REPORTS,
        *evaluation.REPORTS,
        *groups.REPORTS,
        *masks.REPORTS,
        *metrics.REPORTS,
        *order.REPORTS,
        *preferences.REPORTS,
        *roles.REPORTS,
        *templates.REPORTS,
    )
)

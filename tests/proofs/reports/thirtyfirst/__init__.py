"""Threads of a thirty-first list: users of TRL and of what calls it, 13 silent and three that die.

Issues were asked by symptom, trainer by trainer, some eighty times, and the answers were taken as
they came: those of 2024 to 2026 whose cause can be read, that no list here names, and that fail on
a CPU in an environment here. Of the lists here, one module of the last was read, for its form, and
of the others the names of their threads; no rule was read. The doctor was asked about none of them.

Three die: self-llm#229, alignment-handbook#224 and Phi3-Vision-Finetune#39; the first and the last
are of the plain Trainer. Four are of TRL's own tracker: trl#1541, trl#1937, trl#2665, trl#3750.
There is GRPO in three, SFT in four, DPO in three, PPO, RLOO, KTO and a reward model.

Rebuilt otherwise: CoursIA#11304 has a larger model, whose answers never end; here it is read what
the model is asked. open-r1#312 has a limit of 1000 characters, here 24. In liquid-finetune#35 the
adapter comes from another job; here the script makes it first. unsloth#11293 has a trainer around
TRL's, which is left out. extract0#1 evaluates in another script. The adapter of trl#1937 is made
first too. G.O.D#1160 only evaluates; here one step is trained before.
LlamaFactory#4045 takes another sampler, which KTO forbids today; here the rows are shuffled.
trl#2665 asks that the option go away; here the one that works takes its place. trl#3750 was put to
the library; the tokenizer's end is the token that stops here, and its other question is left out.
The notebook of reinforment-learning-with-human-feedback#5 has a loop of its own; here it is the
RewardTrainer, which takes the model without a word. The SFT template of open-r1#585 is a small one
that does the same. Phi3-Vision-Finetune#39 has images.
"""

from dataclasses import replace

from reports.thirtyfirst import adapters, groups, judged, online, pairs, stops, talks

REPORTS = tuple(
    replace(report, level="", group="thirtyfirst")
    for report in (
        *groups.REPORTS,
        *adapters.REPORTS,
        *talks.REPORTS,
        *judged.REPORTS,
        *pairs.REPORTS,
        *online.REPORTS,
        *stops.REPORTS,
    )
)
"""All reports."""

"""Threads of a twenty-first list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down as a user would say them, and before a rule, the page on accuracy or
the list of what was missed before was read. random.Random("twentyfirst-2026-11-25").shuffle gave
their order; each was asked once, of issues, and some threads were looked up once more. Of each
answer the first thread was taken that is named nowhere here, whose cause and remedy can be read,
and which fails on a CPU in an environment here. At most three are from one project besides TRL.
The doctor was asked about none of them before the list was whole.

Ten die, seven end without an error. Causes that can be known by the arguments, the run file or the
release: unsloth#8330 and #6523, transformers#11931, trl#3543; by the rows or the template:
trl#6307, #6321, #5881 and #5988, RL#921; by the models' files: minimind#555, trl#422. The script's
own code is needed for LlamaFactory#512 (how a job goes on), Generalizable-Reward-Model#6 (a map),
trl#444 (a function for rows), trl#2376 (a metric), MiniCPM-V#374 (a collator) and peft#2256 (the
kind of adapter).

Rebuilt otherwise: the threads of LlamaFactory, RL, transformers, MiniCPM-V, minimind and unsloth
with TRL's trainers, peft#2256 with a language model; trl#422 with a pipeline in a reward function
of GRPO, for the trainer of the thread is in no environment; trl#2376 with a metric of its own, for
no environment has one of a package. The remedy of trl#422 is that of trl#1394, that of
transformers#11931 is told in transformers#12685.

Left out: the cause or the remedy is not in the thread: trl#1447, #2095, #2791, #2920, #3857,
peft#1672, transformers#13914, #19957, #23099, #33674, LlamaFactory#5904, #7785, #8277, #9369,
ms-swift#3113, #4570, unsloth#4189, tiny-llm-zh#14, OpenRLHF#873; a package, a release or several
processes that no environment has: trl#731, #801, #1505, #2671, #3089, #3455, #5066, unsloth#1223,
qlora#214, transformers#31557, #42489, LLM-Workshop#9, open-r1#249; no longer failing in those:
alignment-handbook#224 and MedicalGPT#334 (DPO now takes both models), transformers#45127 (PEFT
unties what it merges), trl#1198 (either name is refused); the remedy is a release, which no file of
a script names: trl#5379, #6348, #7318; a question or a feature, not a failure: trl#1993, #2012,
#2644, #3801, LlamaFactory#2910, #3198, ms-swift#2847, Video-R1#36; the same failure as several
here: trl#3270, #3876, ms-swift#7069, MEDS-DEV#140, transformers#10537; not of TRL: slime#1008,
axolotl#1616, EasyR1#338, torchtune#2272. The answers to KTO, RLOO and the callbacks had none.
"""

from dataclasses import replace

from reports.twentyfirst import arguments, functions, inputs, preferences, scores, steps, templates

REPORTS = tuple(
    replace(report, group="twentyfirst")
    for report in (
        *arguments.REPORTS,
        *functions.REPORTS,
        *inputs.REPORTS,
        *preferences.REPORTS,
        *scores.REPORTS,
        *steps.REPORTS,
        *templates.REPORTS,
    )
)

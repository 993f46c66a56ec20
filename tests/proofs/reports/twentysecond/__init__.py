"""Threads of a twenty-second list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down as a user would say them, before a rule was read; the pages on
accuracy, with the names of the rules that found earlier threads, had been read.
random.Random("twentysecond-2026-11-26").shuffle gave their order; each was asked once, of issues.
The first eight answers had hardly a thread about language models, so that seven of these and most
others were asked with the word TRL, and some threads were looked up once more. Of each answer the
first thread was taken that is named nowhere here, whose cause and remedy can be read, and which
fails on a CPU in an environment here. At most three are from one project besides TRL. The doctor
was asked about none of them before the list was whole, but for InstructABSA#22: trl#2152, the first
of the same answer, was found to be here already when the fifteen others had been asked about, and
this one, the next, was rebuilt in its place before it was asked about.

Eight die, eight end without an error. Causes that can be known by the arguments or the run file:
peft#1206, stanford_alpaca#133; by the rows: datasets#4261. The script's own code is needed for
icae#19 (a collator), InstructABSA#22 (what it evaluates on), datasets#2988, SuperAdapters#2,
Qwen#1089, RL-Kernel#218, marin#7237, OpenRLHF#393 (a map that makes tokens), open-unlearning#178
(what is frozen), OPSD#30 (how it generates), VisTA#3 (a reward), LlamaFactory#10137 and
transformers#30038 (what is saved).

Rebuilt otherwise: all with TRL's trainers, for none is from TRL's own tracker. The Trainer of the
environments tells datasets#2988 by another error. open-unlearning#178 freezes the embedding where
the thread has an adapter, for PEFT is only in an environment whose libraries take care of it. The
remedy of OPSD#30 is an answer's, that of transformers#30038 is told in transformers#29270.

Left out: the cause or the remedy is not in the thread: trl#1843, #2175, #1857, peft#859, #1554,
HALOs#24, Qwen3#388, #860, ChatGLM2-6B#264, LlamaFactory#1447, #3154, OpenRLHF#1054, unsloth#2142,
modernbert-finetune#6, llama3-Chinese-chat#43, Medusa#102, ms-swift#4950, transformers#9520; a
package, a release, a GPU or several processes that no environment has: trl#1289, #3601, #3842,
accelerate#1778, axolotl#1638, textgen#6819, transformers#35640; the remedy is a release, which no
file of a script names: trl#5662, #4497, #3459, #3936; a question or a feature: trl#250, #1222,
#1401, #1906, #2554, #3254, #3293, peft#1298, #2589, VLM-R1#290, AReaL#127, LamRA#4, ms-swift#2187,
open-r1#239; it takes a first run and a second: datasets#3297; the same failure as several here:
trl#4201, #4954, #6040, peft#2290, datasets#5773, transformers#28366, #33246, #38091, ALMA#22,
DeepKE#394, open-r1#237, OntoLearner#347, autocontext#1043, ms-swift#5069; not of TRL: verl#3674,
trlx#338, cp-vton-plus#20. The answers to the best model and to a list of strings had none.
"""

from dataclasses import replace

from reports.twentysecond import arguments, batches, labels, models, saving, texts

REPORTS = tuple(
    replace(report, group="twentysecond")
    for report in (
        *arguments.REPORTS,
        *batches.REPORTS,
        *labels.REPORTS,
        *models.REPORTS,
        *saving.REPORTS,
        *texts.REPORTS,
    )
)

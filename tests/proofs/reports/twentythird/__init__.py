"""Threads of a twenty-third list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down as a user would say them, before a rule was read; the history of the
last two lists, with the names of the rules that found their threads, had been read.
random.Random("twentythird-2026-11-26").shuffle gave their order; each was asked once, of issues, a
few with other words, and ten threads were looked up once more, to read how they end. Not every
answer was read in the drawn order. Of each answer the first thread was taken that is in no list
here, whose cause and remedy can be read, and which fails on a CPU in an environment here. Four are
from transformers, four from TRL, and one from each other project. Two had been left out of earlier
lists, MedicalGPT#417 and RLHF-Reward-Modeling#6, which was seen only afterwards. The doctor was
asked about none of them before the list was whole.

Nine die, ten end without an error. Causes that can be known by the arguments, the run file or the
model: LlamaFactory#8505, llm_related#10, axolotl#3385, trl#1379, trl#1152, MedicalGPT#417, trl#6025
(with the rows). The script's own code is needed for FastChat#3063, transformers#44642,
mlx-lm-lora#83 (a map), blog#2005 (a map and a function that is then not called), transformers#26357
and RLHF-Reward-Modeling#6 (a collator), trl#1724 (which rows it takes), R-BERT#5,
transformers#26334 (what it does to the model), transformers#39736 (a loss), simple_GRPO#19 (a
reward) and FAI-RL#96 (which keys of a run file it reads).

Rebuilt otherwise: all with TRL's trainers. transformers#39736 was in the answer, why it happens is
told in transformers#34278. transformers#26334 was found by looking up peft#2125; it freezes all but
some weights where the thread has an adapter, for PEFT is only in an environment whose libraries
take care of it. axolotl#3385 gives TRL's own GRPOConfig what the thread gives to its run file, and
simple_GRPO#19 decodes `completion_ids` where the thread has a loop of its own. trl#1379 has the
adapter that the thread's scripts have. trl#1724 is the remedy that an earlier TRL had for trl#1651,
and the TRL here has no more. mlx-lm-lora#83 and FastChat#3063 are maps of the script here. The
remedy of MedicalGPT#417 is told in trl#937, that of RLHF-Reward-Modeling#6 by its user.

Left out: the cause or the remedy is not in the thread: transformers#11455, #15341, #33930, trl#702,
#940, #1104, #1310, #1538, #1843, #2779, #2884, #3452, #3577, #3807, #3857, peft#515, #1389, #2125,
Qwen3#771, MedicalGPT#252, Reason4Rec#1, LlamaFactory#216, DistillKit#9, openweights#1, unsloth#456,
#3716, Video-R1#86, FastChat#3055, #718, Qwen3-VL#1076, datasets#6669, LlamaFactory#6730; a package,
a release, a GPU or several processes that no environment has: trl#937, #2604, #5066,
MedicalGPT#334, alignment-handbook#224, fms-hf-tuning#165, superduper#2082; the remedy is a release,
which no file of a script names: trl#467, #512, composer#1913, llm-foundry#288, ms-swift#1702; a
question or a feature: trl#805, #1727, #2424, #3020, #3061, #3684, autocontext#1076, peft#337,
#2376, alignment-handbook#116, #204, LlamaFactory#4744, transformers#26474, LamRA#4, PhiCookBook#38,
maxtext#4406, unsloth#112, #251; the same failure as several here: trl#6320, #6323, #6534,
MLE-LLaMA#2, stanford_alpaca#50, qlora#87, open-r1#249, rl-swarm#340, EasyR1#338, TSAR#13,
transformers#12685, axolotl#1570; not of TRL: AReno#90, unsloth-zoo#939, Search-R1#79. The answers
to the column of KTO's labels, to signatures of callbacks, to strings and messages, to rows that are
resumed, to labels that are shuffled and to missing values had none.
"""

from dataclasses import replace

from reports.twentythird import arguments, evaluation, labels, models, pads, rewards, texts

REPORTS = tuple(
    replace(report, group="twentythird")
    for report in (
        *arguments.REPORTS,
        *evaluation.REPORTS,
        *labels.REPORTS,
        *models.REPORTS,
        *pads.REPORTS,
        *rewards.REPORTS,
        *texts.REPORTS,
    )
)

"""Threads of a twenty-fifth list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down as a user would say them, before a rule was read; the lists from the
twenty-first on, with their threads, had been read. random.Random("twentyfifth-2026-11-26").shuffle
gave their order; each was asked once, of issues, with the words of the trainers or of the error,
two with other words, and seven threads were looked up once more. Of each answer the first thread
was taken that is named in no list here, not even as left out, whose cause and remedy can be read,
and which fails on a CPU in an environment here; no more than three of one project. The doctor was
asked about none of them before the list was whole.

Seven die, nine end without an error. Causes that can be known by the arguments or the run file:
LlamaFactory#4014, GPT2-Chinese#60, Building-with-Instruction-Tuned-LLMs#4 (with the rows),
transformers#1726 (with the model and the rows), trl#3234 and transformers#27517 (with the model).
By the rows and how they are read: SenseNova-SI#31. The script's own code is needed for AReaL#1427
and rlhf-book#503 (a map), tevatron#160 and gemma#48 (a trainer of its own), cartridges#20 (a
collator), trl#7213 and lm-human-preference-details#6 (a reward), open-instruct#22 (a criterion for
the end of an answer) and peft#577 (how the adapter's settings are written).

Rebuilt otherwise: all with TRL's trainers. AReaL#1427, trl#3234, trl#7213 and tevatron#160 are pull
requests; tevatron#160 was found by looking up MiniCPM-V#698. trl#7213 corrects TRL, the remedy here
is a function instead of the class. peft#577 leaves out the kind of task, by which PEFT now saves
the head itself. cartridges#20 starts its processes as Windows does. The TRL of
Building-with-Instruction-Tuned-LLMs#4 tells it by another error. transformers#27517 shifts the
labels in a class of the script, in an environment whose TRL takes the loss of the model. SenseNova-
SI#31 has no images, only their names. gemma#48 has the loss of a tutorial in a trainer of TRL, and
was found by other words for the symptom of rows that are lost. transformers#1726 has a GPT-2 of 64
positions. lm-human-preference-details#6 pads on the left, which the thread does before the reward.
open-instruct#22 stops one answer of a model that was just trained.

Left out: it does not fail any more with the PEFT here: peft#2699; the cause or the remedy is not in
the thread, as far as it is stored: trl#215, R1-V#69, MedicalGPT#121, baize-chatbot#62, MeZO#19,
transformers#7662, #36074, #8615, #6452, #33807, open-r1#616, grokadamw#7, MiniCPM-V#698,
LlamaFactory#4650, ERNIE#969, OpenP5#5, transformers-copy-mechanism#3, unsloth#1899, trl#3500; a
package or a GPU that no environment has: peft#2239, peft#567, adapters#766, LlamaFactory#328; the
remedy is a release, which no file of a script names: datasets#279, transformers#10299, #35838; a
question or a feature: transformers#4520, #36749, trl#744, trl#2042, awesome-align#18,
deep-learning-pytorch-huggingface#82; the same failure as several here: protein-lm-scaling#36,
trl#1400, open-r1#86, #215, #293, #585, R1-V#19, open-r1-multimodal#15, OLMo-core#849, peft#1568,
transformers#12763, Llama-Chinese#294, closer-look-LLM-unlearning#1, Chinese-LLaMA-Alpaca-2#577; not
of TRL: torchtitan#2755, mmd#14, SingLoRA#6, ml-by-hand#85, flow_grpo#188, trlx#610. The answers to
the symptoms of weights of rows, of dataloaders, of packing, of caches, of two adapters, of JSON
that does not parse, of logits processors, of frozen layers, of changes in place, of empty
completions, of whitespace, of the loss that is not called, of a system prompt, of lost files, of
equal reference models, of shared tensors, of weights of rewards, of bfloat16 and of copies had
none, or only such as are in a list here or named there.
"""

from dataclasses import replace

from reports.twentyfifth import adapters, classes, loaded, losses, prepared, scores, settings

REPORTS = tuple(
    replace(report, group="twentyfifth")
    for report in (
        *adapters.REPORTS,
        *classes.REPORTS,
        *loaded.REPORTS,
        *losses.REPORTS,
        *prepared.REPORTS,
        *scores.REPORTS,
        *settings.REPORTS,
    )
)

"""Threads of a twenty-eighth list: 60 symptoms, two thirds of runs that end, a third that die.

The symptoms were written down as a user would say them, of what earlier lists had little of, before
a rule was read; five were changed before the first question, for a third to die. Of the lists here,
the last had been read for its form, and of the others only the names of their threads.
random.Random("twentyeighth-2026-11-27").shuffle gave their order; each was asked once, of issues,
with its words or nearly, and seven times the words of a thread were asked, to see more of it. Of
each answer the first thread was taken that is named in no list here, not even as left out, whose
cause and remedy can be read, and which fails on a CPU in an environment here, no more than three of
one project. All 60 were asked; the fifteen are of the first 59. The doctor was asked about none of
them before the list was whole.

Seven die, eight end without an error. Causes that can be known by the arguments, with the model or
the rows: binder#13 (a callback), transformers#28500 (how often is saved), #27749 (an argument that
nothing reads) and #34055 (the model's token for padding). By the rows, as the script's maps make
them: trl#1582, textgen#3343, and by the maps alone datasets#1817, LlamaFactory#10455,
alpaca_lora_4bit#149 and unsloth#1000. The script's own code is needed for ms-swift#3533 and
notebooks#96 (reward functions), ms-swift#9927 (a loss), lerobot#3459 (what it does with the adapter
before the training) and LC-Rec#6 (what it asks of the model after it).

Rebuilt otherwise: all with TRL's trainers. binder#13, notebooks#96, transformers#28500,
ms-swift#9927, LlamaFactory#10455, alpaca_lora_4bit#149 and unsloth#1000 are pull requests.
ms-swift#3533 has a reward of that project; its function is the script's own here. notebooks#96 is
about four notebooks; the answer with its lines is taught first, here, and the pattern has one pair
of tags. ms-swift#9927 is of a trainer of that project, whose loss a subclass has here.
transformers#34055 wishes for a check that looks at the tokenizer; its remedy, the model's own
setting, is what the thread does without it, and it fails where TRL does not set it. LC-Rec#6 asks
why two sides are used; here the wrong one is. lerobot#3459 trains no language model; its two
wrappings are the same, with the model unwrapped between them. trl#1582 has rows that TRL made, and
a question that is no message; here the script makes it one. transformers#27749 has an answer that
asks whether the argument was given in the wrong place, and no word from the user, as far as it was
shown. transformers#28500 was not merged; the cause is in a comment, and the remedy is its reverse.
unsloth#1000 has an answer that doubts it, as ShareGPT has these keys; its template wants others.
datasets#1817 and textgen#3343 have no TRL, and textgen#3343's remedy is a wish. LlamaFactory#10455
is a converter of that project, which is the script's map here.

Left out: the cause or the remedy is not in the thread, as far as it was shown, or is only guessed:
wandb#5982, LlamaFactory#8459, #6326, #5321, unsloth#92, #193, #3444, DeepSeek-V3#737, LoRA#120,
Get-Things-Done-with-Prompt-Engineering-and-LangChain#5, datasets#687, #1683, #7617, #8015,
ms-swift#9370, #1943, direct-preference-optimization#35, trl#872, alpaca-lora#362,
transformers#13233, #26160, hqq#41, MedicalGPT#350, RLHF-V#26, tiny-llm-zh#15, X-R1#32; it does not
fail with the TRL here, or the cause is the library's: transformers#31142, FastChat#581, trl#6663,
#1858, composer#1384, peft#1142, LlamaFactory#6103, llm_related#36, grpo-flat#2; another cause than
the question's, or the same failure as one in a list here: LLaVA#1635, UrbanGPT#21, Qwen3-ASR#210,
peft#876, LlamaFactory#6153, rl-swarm#240, sentence-transformers#3264, #3980, DNABERT_2#16; a
question or a feature: trl#2418, #1748, LlamaFactory#1493, #3084, #1517, unsloth#524, nuextract#6;
it needs a package that is in no environment here: wandb#8249, #2768; no training of a language
model: knowledge-distillation-pytorch#25, overhaul-distillation#37, graph2tac#95, xmodaler#15,
BEVDepth#60, SingLoRA#6, fastai#3023.
"""

from dataclasses import replace

from reports.twentyeighth import rewards, runs, texts, tuned

REPORTS = tuple(
    replace(report, group="twentyeighth")
    for report in (*rewards.REPORTS, *runs.REPORTS, *texts.REPORTS, *tuned.REPORTS)
)
"""All reports."""

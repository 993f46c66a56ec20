"""Threads of a twenty-seventh list: 60 symptoms, two thirds of runs that end, a third that die.

The symptoms were written down as a user would say them, of what matters most, before a rule was
read; of the lists here, the last had been read for its form, and of the others only the names of
their threads. random.Random("twentyseventh-2026-11-27").shuffle gave their order; each was asked
once, of issues, with its words or nearly, and six questions were asked again. Of each answer the
first thread was taken that is named in no list here, not even as left out, whose cause and remedy
can be read, and which fails on a CPU in an environment here, no more than three of one project. All
60 were asked; the sixteen are of the first 40. The doctor was asked about none of them before the
list was whole.

Five die, eleven end without an error. Causes that can be known by the arguments, with the model or
the rows: Online-RLHF#4 (the file of the reward model), trl#1674 (its tokenizer), LlamaFactory#7454
(the template and the model's end), SimPO#12 (a loss), axolotl#28 (a callback) and, with the type of
the model's outputs, transformers#30104. By the rows, as the script's maps make them:
twewy-discord-chatbot#13, probabilistic-inference-scaling#6, NLP-Projects-NHV#4, alpaca-lora#306.
The script's own code is needed for GLM#70 (a collator), verifiers#1336 (a reward function),
llm2vec#32 (a metric), and for peft#868, #1300 and #2438 (what it does with the model after the
training).

Rebuilt otherwise: all with TRL's trainers. alpaca-lora#306, llm2vec#32 and verifiers#1336 are pull
requests. peft#868's last answer is not stored whole: what is stored says that merge_and_unload
gives the merged model, which is the remedy here. peft#2438 has an answer that says dropout, and no
word of eval(). NLP-Projects-NHV#4 has one line of an answer; its rows are tokenized by the script,
as TRL's trainer ends texts itself. GLM#70 is of a model that is no decoder; its padding between
source and target is the same here. verifiers#1336 is of an environment; its answers are taught
first, here, and the right one is the second of two. SimPO#12 names three remedies, of which the
loss of the chosen answers was taken; the model is taught the answers first, too.
transformers#30104 has no sound, and a model that is told to give its hidden states; axolotl#28 and
it have environments in which that fails. Online-RLHF#4 has a model of texts where that has a model
of preferences, with the same head that is new. trl#1674 has a tokenizer of letters.
LlamaFactory#7454 is a feature, which sets the end for the user. twewy-discord-chatbot#13 has a
column that is shifted. probabilistic-inference-scaling#6 searches answers, and here trains.

Left out: the cause or the remedy is not in the thread, as far as it was shown, or is only guessed:
peft#1381, #1120, #2764, #2322, unsloth#1763, #1343, #918, #1008, #419, #2648, #1273, ChatTS#28,
transformers#11284, #8876, #31044, #16620, #28530, #28415, train_custom_LLM#8, baichuan_sft_lora#1,
Firefly#23, LongLoRA#68, StableLM#98, LMOps#286, LlamaFactory#2884, #664, #1785, #430, #3486,
axolotl#2073, llama-cookbook#640, granite-3.1-language-models#2, trl#204, #235, #925, #1005,
MedicalGPT#374, #403, reward-bench#115, evaluation-pipeline-2023#5, trl#1447, alpaca-lora#526,
#232, SimPO#42, #80, InternLM#318; it does not fail with the TRL here, or the cause is the
library's: transformers#10290, #15898, #33420, #29186, #38130, trl#1184, #588, #619, #989, #3237,
peft#782, #1346, #1410, unsloth#1290, #943, #237; another cause than the question's, or the same
failure as one in a list here: LMFlow#125, peft#1396, blog#1302, transformers#23530, trl#976,
open-r1#494, sentence-transformers#1952, #3246, Qwen3#927, LlamaFactory#7997, #8260, ms-swift#4498,
fms-hf-tuning#436, sagemaker-huggingface-llama-2-samples#5, Transformers-Tutorials#323,
transformers#22707, ChartLlama-code#18, exllamav2#271; a question or a feature:
Phi3V-Finetuning#9, transformers#22602, #15466, #39567, #38448, trl#892, HALOs#4, #5, OpenRLHF#242,
direct-preference-optimization#46; no training of a language model: signet-trainer#34,
gpt-neox#1373, espnet#5090, fastText#74.
"""

from dataclasses import replace

from reports.twentyseventh import adapters, masks, measured, preferences, rewards, texts

REPORTS = tuple(
    replace(report, group="twentyseventh")
    for report in (
        *adapters.REPORTS,
        *masks.REPORTS,
        *measured.REPORTS,
        *preferences.REPORTS,
        *rewards.REPORTS,
        *texts.REPORTS,
    )
)

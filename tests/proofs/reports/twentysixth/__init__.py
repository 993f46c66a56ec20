"""Threads of a twenty-sixth list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down as a user would say them, of kinds that are common, before a rule was
read; the list before this one had been read for its form, with its threads, and of the others only
the names of their threads. random.Random("twentysixth-2026-11-27").shuffle gave their order; each
was asked once, of issues, with the words of the trainers or of the error, until sixteen were found,
which took 47; eight threads were looked up once more. Of each answer the first thread was taken
that is named in no list here, not even as left out, whose cause and remedy can be read, and which
fails on a CPU in an environment here; no more than three of one project. The doctor was asked about
none of them before the list was whole.

Four die, twelve end without an error: of the symptoms of runs that die, most have no answer that
is not the same failure as one in a list here. Causes that can be known by the arguments, with the
model or the rows: LlamaFactory#181, transformers#12618. By the rows, as the script's maps make
them: LlamaFactory#3803, happy-llm#50, stanford_alpaca#126, ainode#186 and nanochat#582. The
script's own code is needed for datasets#3329 (a map), transformers#34392 (a collator), cookbook#388
and modelforge#129 (a trainer of its own), transformers#24034 and transformer-from-scratch#7 (a
metric), lamorel#53, souprise#17 and trl#5813 (what it does with the model after the training).

Rebuilt otherwise: all with TRL's trainers. cookbook#388, modelforge#129, nanochat#582 and trl#5813
are pull requests, and cookbook#388 names seven causes, of which the first was taken.
LlamaFactory#181 has a Bloom of two layers. transformers#34392 has no images, and an environment in
which the error is the thread's. happy-llm#50 has an environment in which rows without a label are
not left out; the ids of the other tokenizer are made up. stanford_alpaca#126 has no remedy but what
it says is missing. datasets#3329 shows what the map gives, not its code. ainode#186 guesses that
its NaN comes from the padding that has a loss, which is what was rebuilt. transformers#12618 was
helped by training without accumulation, and has an environment whose trainer does not evaluate at
the end. lamorel#53, souprise#17 and trl#5813 ask models that were just trained.

Left out: it does not fail with the TRL here: self-llm#229, trl#3694; the cause or the remedy is not
in the thread, as far as it is stored, or is only guessed: LlamaFactory#2737, trl#2578, trl#1538,
unsloth#2095, transformers#20638, #19957, #30316, #26207, datasets#2963, #1422, LLaVA#901,
localGPT#720, GLiNER#140, MedicalGPT#76, #91, #186, modelscope#909, litgpt#221, MiniCPM-V#549, #559,
peft#1035, #838, OpenRLHF#860, Doctor-Dignity#22, trl#3857; the remedy is a release, or the cause is
the library's: trl#1467, trl#2778, ms-swift#2167, axolotl#457, peft#2415; a GPU or several
processes: LLM-Dojo#11, d3po#6, transformers#35311, DiffuSeq#37, Qwen-VL-Series-Finetune#10;
a question or a feature: LlamaFactory#6245, #2996, #151, deita#26, trl#1906, open-instruct#806,
GLM-4#675, theLMbook#8, Qwen3#853; the same failure as one in a list here: ChineseErrorCorrector#31,
aws-ai-ml-workshop-kr#151, neural-extraction-framework#54, transformers#12786, unsloth#1128,
unsloth#2985, #3974, course#875, trlx#474, peft#1457, alpaca-lora#539, #477, DMPR-PS#17, Soup#788,
olmocr#394, llms_tool#60, fms-hf-tuning#258, R1-V#34, fine-tune-codebase#3, trl#466, open-r1#559,
OpenRLHF#613, #973; no training of a language model: DeepForest#18, LineVul#5, reward-bench#137,
transformers#46531, super-gradients#416. The answers to the symptoms of adapters that are saved
empty, of equal reference models, of accumulated losses, of merged models and of templates that are
not set had none, or only such as are named here or there.
"""

from dataclasses import replace

from reports.twentysixth import adapters, generated, labels, loaded, losses, measured, tokens

REPORTS = tuple(
    replace(report, group="twentysixth")
    for report in (
        *adapters.REPORTS,
        *generated.REPORTS,
        *labels.REPORTS,
        *loaded.REPORTS,
        *losses.REPORTS,
        *measured.REPORTS,
        *tokens.REPORTS,
    )
)

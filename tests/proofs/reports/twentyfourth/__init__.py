"""Threads of a twenty-fourth list: 60 symptoms, half of runs that die, half of runs that end.

The symptoms were written down as a user would say them, before a rule was read; the history of the
last two lists, with the names of the rules that found their threads, had been read, and the titles
of the last thirty commits. random.Random("twentyfourth-2026-11-26").shuffle gave their order; each
was asked once, of issues, and five threads were looked up once more. Of each answer the first
thread was taken that is named in no list here, not even as left out, whose cause and remedy can be
read, and which fails on a CPU in an environment here; no more than three of one project. The doctor
was asked about none of them before the list was whole.

Seven die, ten end without an error. Causes that can be known by the arguments, the run file or the
model: torchkeras#58, trl#566, transformers#37593, transformers#7823, trl#5759 (with the rows),
fms-hf-tuning#492 (with the rows). The script's own code is needed for ms-swift#3840,
CoursIA#13614 (rewards), OpenRLHF#909 (a map), trl#734 (a formatting function), tokenizers#1284 (a
map and a collator), transformers#22634 (a metric), distillKitPlus#5 (a loss), peft#282, peft#536,
peft#940 and open-instruct#142 (what it does to the model, the last two after the training).

Rebuilt otherwise: all with TRL's trainers. fms-hf-tuning#492 reads the template of the answers from
a YAML file, in single quotes, where the thread has it in JSON. peft#940 measures the gain of a
training against the model that was adapted in place; the thread compares two answers. peft#282
trains nothing in the second of two rounds of one script. open-instruct#142 is the remedy of #190.
trl#566 runs with a TRL that does not yet refuse two labels. trl#5759 has the default of 256 tokens,
and rows whose solutions are longer. CoursIA#13614 has one reward of its notebook, without a GPU.
OpenRLHF#909 gives TRL's DPOTrainer the rows with a prompt that the thread compares. Of
transformers#7823 the remedy was known; the thread asks for it as a feature. transformers#22634
decodes the labels of an SFT, where the thread has a model for translations.

Left out: it does not fail any more with the PEFT here: alpaca-lora#446; the cause or the remedy is
not in the thread: launchables#4, trl#742, #1236, #2371, #2961, unsloth#2291, ms-swift#4570, ETO#14,
llama3-Chinese-chat#43, qlora#155, alpaca_lora_4bit#137, text_classification_scripts#10,
ChatGLM3#1340; a package, a GPU or several processes that no environment has: peft#1402,
Qwen3-Embedding#138, ms-swift#5682, #8256, MindAct#1823; the remedy is a release: peft#1410,
transformers#37766, #40221, rl-swarm#176, mlx-vlm#845; a question or a feature: peft#2589, #463,
LongLoRA#79, LlamaFactory#2289, SimPO#13, direct-preference-optimization#40, open-r1#618, trl#1993;
two runs would be needed: transnormer#41; not of TRL: BERT-Classification-Tutorial#6, optimum#197,
transformers#14230, #28589, FinBERT#17, parameter-golf#2127, R1-V#67, LLMs-from-scratch#821; would
have been the fourth of a project: trl#4562, trl#6252, peft#793, peft#2115; the list was whole
enough: marin#904 and Soup#781, of the symptoms 50 and 56. The answers to the symptoms of the
scheduler, of columns that are shuffled, of KTO's labels and weights, of callbacks, of labels that
are floats, of ORPO's rows, of resumed runs, of the scaling of LoRA and of strings and messages had
none, and those to batches that num_generations does not divide, to early stopping, to PPO's value
model, to rewards of a wrong number, to metric_for_best_model and to iterable rows had only such as
are in a list here or named there.
"""

from dataclasses import replace

from reports.twentyfourth import adapters, evaluation, labels, preferences, rewards, saved

REPORTS = tuple(
    replace(report, group="twentyfourth")
    for report in (
        *adapters.REPORTS,
        *evaluation.REPORTS,
        *labels.REPORTS,
        *preferences.REPORTS,
        *rewards.REPORTS,
        *saved.REPORTS,
    )
)

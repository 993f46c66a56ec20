"""Threads of a twenty-ninth list: what hurts users most, 15 that end without an error and one.

Issues were asked some fifty times, by symptom: what of rows, templates, rewards, sampling, pairs,
adapters, precision, lengths of runs and evaluations goes wrong without an error. Of the lists here,
only one module of the last was read, for its form, and of the others the names of their threads; no
rule was read. Of the answers those threads were taken, of 2024 to 2026, whose cause and remedy can
be read, which are named in no list here, and which fail on a CPU in an environment here, no more
than two of one project. The doctor was asked about none of them before the list was whole.

unsloth#455 dies, the others end. Two are of an older library: trl#5783 (the model's own sampling
takes the place of the default) and transformers#35352 (the reward is read at the first end). Of the
others, arguments are enough for examples#77, OpenRLHF#1342 and unsloth#1364; the rows and the
script's own maps for prime-rl#2494, axolotl#3824, verl#601, gradient-garden#114, marin#2700,
rlhf-book#504 and, with a template, LlamaFactory#2684; the script's code for dllm#118 and trl#2777
(reward functions) and Soup#720 (a loss).

Rebuilt otherwise: prime-rl#2494, verl#601, marin#2700, gradient-garden#114, rlhf-book#504 and
OpenRLHF#1342 are pull requests of projects with a loader of their own, axolotl#3824, dllm#118 and
Soup#720 issues of such; what their code does, a script with TRL or a plain Trainer does here.
gradient-garden#114 has a second fault, that only the last answer is learnt, which is left out.
OpenRLHF#1342 has an adapter without a task here. examples#77 is a pull request, and a comment there
warns of both arguments. The thread of unsloth#1364 says what helped, the weights in 32 bits, and
guesses why. LlamaFactory#2684 has the cause in the answer of the maintainer. The remedy of trl#5783
is a newer library; the setting is taken away here, as that library does. transformers#35352 was
mended in the library; here the token for padding that the tokenizer has is kept. trl#2777 is a
change to the example of the documentation.
"""

from dataclasses import replace

from reports.twentyninth import measured, pairs, rewards, runs, texts

REPORTS = tuple(
    replace(report, level="", group="twentyninth")
    for report in (
        *texts.REPORTS,
        *rewards.REPORTS,
        *pairs.REPORTS,
        *runs.REPORTS,
        *measured.REPORTS,
    )
)
"""All reports."""

"""Threads of a thirty-third list: fourteen that go wrong in silence, and three that die.

The draw was fixed before an answer was seen: forty queries, each by a symptom, were written down,
and put to a search over issues; six of them also to one over pages. Every answer was gone through
in order, and a few more questions only asked for the cause of a thread that had been found. Taken
was each thread that is about training with TRL or about what its users do with what they trained,
whose cause the thread gives, that no list here names, and that fails on a CPU in an environment
here. Of the many threads about an argument that was renamed two were taken. Of the lists here one
was read, for its form; no rule was read. The doctor was asked about none of them.

Rebuilt otherwise: alpaca-lora#539 trains with a trainer of its own; here it is SFTTrainer, as
scripts that grew out of it do. peft#430 is a web interface that puts adapters on and off; here one
is trained first. peft#3447 has a layer alone; here the frozen adapter is in a run. ms-swift#3396
goes on from a checkpoint with that project's command; here it is TRL's trainer. CoursIA#12720 has
a large hybrid model; here it is a small one of the same kind, with random weights. unsloth#2648
and unsloth#2010 are about what that project passes to TRL; here the script passes it. Soup#781
asks in another command; here one script trains and asks. trl#1191 has another chat format. The
page is a diary of a fine-tuning.
"""

from dataclasses import replace

from reports.thirtythird import (
    asks,
    bases,
    beginnings,
    evaluated,
    frozen,
    judged,
    masked,
    rounds,
    saved,
    started,
)

REPORTS = tuple(
    replace(report, level="", group="thirtythird")
    for report in (
        *judged.REPORTS,
        *masked.REPORTS,
        *beginnings.REPORTS,
        *asks.REPORTS,
        *bases.REPORTS,
        *frozen.REPORTS,
        *saved.REPORTS,
        *evaluated.REPORTS,
        *started.REPORTS,
        *rounds.REPORTS,
    )
)

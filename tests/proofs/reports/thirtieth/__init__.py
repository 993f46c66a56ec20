"""Threads of a thirtieth list: users of TRL itself, 12 that end without an error and four.

Issues were asked by symptom, trainer by trainer, some ninety times, and the answers were taken as
they came: those of 2024 to 2026 whose cause can be read, that no list here names, and that fail on
a CPU in an environment here. Of the lists here, one module of the last was read, for its form, and
of the others the names of their threads; no rule was read. The doctor was asked about none of them
before the list was whole.

Four die: trl#2385, MiniOneRec#15, peft#1729 and semantic-router#3925. Six are of TRL's own tracker;
eight are of projects that call its trainers: autocontext#1067, open-r1#237, open-r1#616,
ms-swift#8030, TinyLoRA-GRPO-Coder#4, Soup#936, smol-course#61 and MiniOneRec#15, which has a
trainer of its own. peft#1729 and semantic-router#3925 are of the plain Trainer. There is GRPO in
seven, PPO, XPO, DPO in two, reward models in two, SFT. No thread on KTO could be used: those that
were found are in a list already, or end well in every environment here.

Rebuilt otherwise: autocontext#1067 is a pull request with a larger budget; here the reference
solutions tell what it costs. In trl#3683 the warning that repeats is the symptom, and that no
answer has seen what came before it is the harm; the remedy there is an older library, here no
checkpointing. ms-swift#8030 and Soup#936 have a trainer around TRL's, which is left out. The
trainer of MiniOneRec#15 is a copy of an older GRPOTrainer; here it is a subclass, and the library
below is the newer one. trl#6805 was mended in the library; the tokenizer's end is another token
here. trl#3318 has messages, whose rendering was mended since; here they are rendered first, as is
advised there, and the newline after the end still brings a second one. trl#2385 does not show its
error; the roles in its rows are kept. In trl#2758 the end pads, as it does for want of another
token. trl#2488 asks only that the documentation say what happens. TinyLoRA-GRPO-Coder#4 has a
larger model and a smaller rate. The table of peft#1729 is not shown there; the answer names it.
"""

from dataclasses import replace

from reports.thirtieth import groups, paid, pairs, plain, talks

REPORTS = tuple(
    replace(report, level="", group="thirtieth")
    for report in (
        *paid.REPORTS,
        *groups.REPORTS,
        *pairs.REPORTS,
        *talks.REPORTS,
        *plain.REPORTS,
    )
)
"""All reports."""

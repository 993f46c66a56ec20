"""Threads of a thirty-second list: nine of TRL that train wrongly in silence, and five that die.

The draw was fixed before an answer was seen: thirty-six queries, each by a symptom or by what a
fix is called, were written down in four sets, and put to a search over issues; eight of the first
ten also to one over pages. Every answer was gone through in order. Taken was each thread that is
about training, whose cause the thread gives, that no list here names, and that fails on a CPU in
an environment here. Most answers were threads that a list has. Of the lists here one was read,
for its form; no rule was read. The doctor was asked about none of them.

Rebuilt otherwise: the adapters of transformers#26098 and alpaca-lora#352 come from another job;
here the script makes them first, and nothing is quantized. The reward model of OpenRLHF#1039 is
the one here, its head renamed as that project names it. trl#5026 is a review of an example that
was never merged. CoursIA#12596 is a notebook that shows how many preferences are right; here it
is small. peft#1522 compares versions of its data type; the one that works takes its place.
unsloth#7951 and unsloth#3971 are about what that project passes to TRL; here the script passes
it. trl#5213 has a larger template; here it is the part that opens a turn otherwise. The pages are
a question in a forum and an answer that was written up.
"""

from dataclasses import replace

from reports.thirtysecond import adapters, groups, judged, pairs, scored, templates, texts

REPORTS = tuple(
    replace(report, level="", group="thirtysecond")
    for report in (
        *judged.REPORTS,
        *scored.REPORTS,
        *adapters.REPORTS,
        *texts.REPORTS,
        *templates.REPORTS,
        *groups.REPORTS,
        *pairs.REPORTS,
    )
)

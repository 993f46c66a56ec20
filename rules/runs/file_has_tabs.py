"""A JSON run file has tabs, which `trl … --config` refuses.

TRL's commands read every run file as YAML. YAML takes JSON, but no tab between two values. The
command stops before it reads the first argument.

Remedy: indent the file with spaces. If a script of your own reads it as JSON, ignore this rule.

Versions: every release of trl that has `--config`.

Seen: reproduced: `trl sft --config run.json` of trl 1.16.0, and the reader of 0.12.2, 0.15.2 and
0.24.0: "found character '\\t' that cannot start any token".
"""

import re
from collections.abc import Iterator

from trl_doctor.core.finding import Finding
from trl_doctor.core.unavailable import NotConcerned
from trl_doctor.facts import Facts
from trl_doctor.facts.arguments.unknown import no_other_program
from trl_doctor.facts.documents import Document
from trl_doctor.facts.rule import Bad, Good, Rule

TEXT_OR_TAB = re.compile(rb'"(?:[^"\\]|\\.)*"|(\t)')
"""A tab inside a text cannot be in JSON: there it is written as `\\t`."""


def check(facts: Facts) -> Iterator[Finding]:
    file = facts.run.file
    if not isinstance(file, Document) or file.format != "json" or facts.run.by_class:
        raise NotConcerned("the run is not read from a JSON file")
    no_other_program(facts)
    places = TEXT_OR_TAB.finditer(file.data) if b"\t" in file.data else ()
    tab = next((match for match in places if match[1]), None)
    if tab:
        line = file.data.count(b"\n", 0, tab.start()) + 1
        message = "the file has tabs: `trl … --config` reads it as YAML, which refuses them"
        yield Finding(file.line_place(line), message)


RULE = Rule(
    doc=__doc__,
    severity="warning",
    check=check,
    examples=(
        Bad({"run.json": '{\n\t"output_dir": "out"}'}, says="the file has tabs"),
        Bad({"run.json": '{"output_dir":\t"out"}'}, says="which refuses them"),
        Good({"run.json": '{\n  "output_dir": "a\\tb"}'}),
        Good({"run.yaml": "output_dir: out\n"}, target="run.yaml"),
    ),
)

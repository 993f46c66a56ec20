"""The recipes of a Makefile or a justfile as shell text, each line where it is in the file."""

from __future__ import annotations

import re

from trl_doctor.files.launch.variables import Shell, Word

INLINE = re.compile(r"^[^\s#:=][^:=#]*:(?![:=])[^;#]*;")
"""A target of a Makefile with its recipe in the same line."""

ASSIGNED = re.compile(r"^([A-Za-z_]\w*)\s*[:?+]?=\s*(.*)$", re.MULTILINE)
SET = re.compile(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$", re.MULTILINE)
"""A variable of a justfile."""

HEADING = re.compile(r"^@?[A-Za-z_][\w-]*((?:\s+[^:\n]*)?):(?!=)", re.MULTILINE)
DEFAULT = re.compile(r"[+*$]?([A-Za-z_][\w-]*)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s'\"]+)")
"""A parameter of a recipe of a justfile with its default."""

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")


def in_makefile(text: str, shell: Shell) -> str:
    """The recipes of a Makefile; its variables are set in the shell."""
    for name, value in ASSIGNED.findall(text):
        shell.variables.setdefault(name, [Word(value.strip(), 0, 0)] if "$(" not in value else None)
    lines, inside = [], False
    for line in text.split("\n"):
        if inline := INLINE.match(line):
            line = "\t" + " " * (inline.end() - 1) + line[inline.end() :]
        if line.startswith("\t") or inside:
            plain = re.sub(r"\$\((\w+)\)", r"${\1}", line).replace("$$", "$")
            lines.append(re.sub(r"^(\t?)[@+-]+", r"\1", plain))
            inside = line.rstrip().endswith("\\")
        else:
            lines.append("")
    return "\n".join(lines)


def in_justfile(text: str, shell: Shell) -> str:
    """The recipes of a justfile; its variables and the defaults of parameters are set."""
    parameters = " ".join(HEADING.findall(text))
    for name, value in [*SET.findall(text), *DEFAULT.findall(parameters)]:
        quoted = re.fullmatch(r"\"([^\"\\]*)\"|'([^']*)'", value.strip())
        known = [Word(quoted[1] or quoted[2] or "", 0, 0)] if quoted else None
        shell.variables[name.replace("-", "_")] = known
    lines = []
    for line in text.split("\n"):
        recipe = line if line.startswith((" ", "\t")) else ""
        plain = PLACEHOLDER.sub(lambda match: f"${{{match[1].replace('-', '_')}}}", recipe)
        lines.append(re.sub(r"^(\s*)[@-]+", r"\1", plain))
    return "\n".join(lines)

"""The recipes of a Makefile or a justfile as shell text, each line where it is in the file."""

from __future__ import annotations

import re

from trl_doctor.files.launch.sourced import env_file, text_of
from trl_doctor.files.launch.variables import Shell, Word

INLINE = re.compile(r"^[^\s#:=][^:=#]*:(?![:=])[^;#]*;")
"""A target of a Makefile with its recipe in the same line."""

ASSIGNED = re.compile(r"^(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*([:?+]?)=[ \t]*(.*)$", re.MULTILINE)
INCLUDED = re.compile(r"^[-s]?include[ \t]+(.+)$", re.MULTILINE)
CHOOSES = re.compile(r"^[ \t]*ifn?(?:eq|def)\b", re.MULTILINE)
DOTENV = re.compile(r"^set\s+dotenv-load\b(?!\s*:=\s*false)", re.MULTILINE)

SET = re.compile(r"^(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)$", re.MULTILINE)
"""A variable of a justfile."""

HEADING = re.compile(r"^@?[A-Za-z_][\w-]*((?:\s+[^:\n]*)?):(?!=)", re.MULTILINE)
DEFAULT = re.compile(r"[+*$]?([A-Za-z_][\w-]*)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s'\"]+)")
"""A parameter of a recipe of a justfile with its default."""

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w-]*)\s*\}\}")


def in_makefile(text: str, shell: Shell) -> str:
    """The recipes of a Makefile; its variables are set in the shell."""
    given = set(shell.variables)
    whole = INCLUDED.sub(lambda match: _included(match[1], shell), text)
    assigned: dict[str, list[Word] | None] = {}
    for name, how, value in ASSIGNED.findall(whole):
        if name in assigned and how == "?":
            continue
        unknown = "$(" in value or how == "+" or (name in assigned and CHOOSES.search(whole))
        assigned[name] = None if unknown else [Word(value.partition(" #")[0].strip(), 0, 0)]
    shell.variables.update((name, words) for name, words in assigned.items() if name not in given)
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


def _included(names: str, shell: Shell) -> str:
    """The text of the files that a Makefile includes, as far as they are here."""
    launcher = shell.launcher
    return "\n".join(text_of(name, launcher) for name in names.split()) if launcher else ""


def in_justfile(text: str, shell: Shell) -> str:
    """The recipes of a justfile; its variables and the defaults of parameters are set."""
    if shell.launcher and DOTENV.search(text):
        for name, value in env_file(".env", shell.launcher).items():
            shell.variables.setdefault(name, [Word(value, 0, 0)])
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

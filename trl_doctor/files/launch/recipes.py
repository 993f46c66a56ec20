"""The recipes of a Makefile or a justfile as shell text, each line where it is in the file."""

from __future__ import annotations

import re
from collections.abc import Mapping

from trl_doctor.files.launch.shell.sourced import env_file, text_of
from trl_doctor.files.launch.shell.variables import Shell, Word

INLINE = re.compile(r"^[^\s#:=][^:=#]*:(?![:=])[^;#]*;")
"""A target of a Makefile with its recipe in the same line."""

ASSIGNED = re.compile(r"^(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*([:?+]?)=[ \t]*(.*)$", re.MULTILINE)
CONTINUED = re.compile(r"[ \t]*\\\r?\n[ \t]*")
"""A line of a Makefile that goes on in the next one."""

OF_MAKE = re.compile(r"\$\$|\$\((\w+)\)|\$\{(\w+)\}|\$([A-Za-z_])")
"""A variable of make in a recipe."""

NAMED = re.compile(r"\$(?:\((\w+)\)|\{(\w+)\})")
DEEPEST = 50
"""Variables inside of others that are read."""

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
    values = _assigned(CONTINUED.sub(" ", whole))
    for name in values.keys() - given:
        value = _expanded(name, values, shell)
        shell.variables[name] = None if value is None else [Word(value, 0, 0)]
    lines, inside = [], False
    for line in text.split("\n"):
        if inline := INLINE.match(line):
            line = "\t" + " " * (inline.end() - 1) + line[inline.end() :]
        if line.startswith("\t") or inside:
            plain = OF_MAKE.sub(lambda match: _for_shell(match, shell, text), line)
            lines.append(plain if inside else re.sub(r"^(\t?)[@+-]+", r"\1", plain))
            inside = line.rstrip().endswith("\\")
        else:
            lines.append("")
    return "\n".join(lines)


def _for_shell(match: re.Match[str], shell: Shell, text: str) -> str:
    """What the shell reads in place of a variable of make; `$$` is a `$` for the shell.

    Without parentheses the name is one letter: `$seed` is `$s`, which is empty, and "eed".
    """
    name = match[1] or match[2] or match[3]
    if name is None:
        return "$"
    of_shell = match[3] or re.search(rf"\bfor {name} in\b", text)
    return "" if of_shell and name not in shell.variables else f"${{{name}}}"


def _assigned(text: str) -> dict[str, str | None]:
    """What a Makefile gives its variables, as it is written; None where that is not known."""
    assigned: dict[str, str | None] = {}
    chooses = CHOOSES.search(text)
    for name, how, written in ASSIGNED.findall(text):
        value = written.partition(" #")[0].strip()
        earlier = assigned.get(name, "")
        if name in assigned and how == "?":
            continue
        if (name in assigned and chooses) or earlier is None:
            assigned[name] = None
        elif how == "+":
            assigned[name] = f"{earlier} {value}".strip()
        else:  # `:=` may name the value that the variable had before
            own = (f"$({name})", f"${{{name}}}") if how == ":" else ()
            for named in own:
                value = value.replace(named, earlier)
            assigned[name] = value
    return assigned


def _expanded(name: str, values: Mapping[str, str | None], shell: Shell) -> str | None:
    """The value of a variable with those that it names; None if one of them is not known."""
    value: str | None = f"$({name})"
    for _ in range(DEEPEST + 1):
        named = None if value is None else NAMED.search(value)
        if value is None or named is None:
            break
        inner_name = named[1] or named[2]
        inner = values.get(inner_name) if inner_name in values else shell.value(inner_name)
        value = None if inner is None else value[: named.start()] + inner + value[named.end() :]
    return None if value is None or "$" in value else value


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
    lines, inside = [], False
    for line in text.split("\n"):
        recipe = line if line.startswith((" ", "\t")) else ""
        plain = PLACEHOLDER.sub(lambda match: f"${{{match[1].replace('-', '_')}}}", recipe)
        lines.append(plain if inside else re.sub(r"^(\s*)[@-]+", r"\1", plain))
        inside = recipe.rstrip().endswith("\\")
    return "\n".join(lines)

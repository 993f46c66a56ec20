"""The commands of a Jenkinsfile or a tox.ini as shell text, each line where it is in the file."""

from __future__ import annotations

import re

from trl_doctor.files.launch.shell.variables import Shell, Word

STEP = re.compile(
    r"\bsh\b[ \t]*\(?\s*(?:[^()\n]*?\bscript[ \t]*:\s*)?(\"\"\"|'''|\"|')(.*?)(?<!\\)\1", re.DOTALL
)
"""The text that a step `sh` runs: `sh '…'`, `sh(script: \"\"\"…\"\"\")`."""

ENVIRONMENT = re.compile(r"\benvironment\s*\{([^{}]*)\}")
SETTING = re.compile(r"^\s*(\w+)\s*=\s*(?:'([^']*)'|\"([^\"$]*)\")?", re.MULTILINE)
COMMENT = re.compile(r"^[ \t]*//.*$", re.MULTILINE)

HEADING = re.compile(r"^([A-Za-z_]+)[ \t]*=[ \t]*(.*)$")
SET = re.compile(r"^\s*([A-Za-z_]\w*)\s*=\s*(.*?)\s*$")
GIVEN = re.compile(r"\{(?:posargs|env:\w+):([^{}]*)\}")
"""A value that the user may give, with its default."""


def in_jenkinsfile(text: str, shell: Shell) -> str:
    """What the steps `sh` run; the variables of `environment` are set in the shell."""
    text = COMMENT.sub("", text)
    for block in ENVIRONMENT.findall(text):
        for name, single, double in SETTING.findall(block):
            value = single or double
            shell.variables[name] = [Word(value, 0, 0)] if value else None
    pieces, at = list[str](), 0
    for step in STEP.finditer(text):
        start = step.start(2)
        before = re.sub(r"[^\n]", " ", text[at : start - 1])
        pieces += [before, ";" if at and "\n" not in before else " "]
        body = step[2].replace("\\\\\n", "\\\n")
        pieces.append(body if step[1].startswith("'") else body.replace("\\$", "$"))
        at = step.end(2)
    return "".join(pieces)


def in_tox(text: str, shell: Shell) -> str:
    """The commands of a tox.ini; what it sets for them (`set_env`) is set in the shell."""
    lines, key = [], ""
    for line in text.split("\n"):
        command = ""
        if heading := HEADING.match(line):
            key, command = heading[1].replace("_", ""), " " * heading.start(2) + heading[2]
        elif line.startswith((" ", "\t")):
            command = line
        elif line.strip():
            key = ""
        if key == "setenv" and (variable := SET.match(command)):
            unknown = "{" in variable[2]
            shell.variables[variable[1]] = None if unknown else [Word(variable[2], 0, 0)]
        lines.append(_plain(command) if key.startswith("commands") else "")
    return "\n".join(lines)


def _plain(command: str) -> str:
    """A command with the defaults of what the user may give; what tox gives is not known."""
    filled = GIVEN.sub(r"\1", command).replace("{posargs}", "")
    return re.sub(r"\{(\w+)\}", r"${TOX_\1}", re.sub(r"^(\s*)[-!]\s+", r"\1", filled))

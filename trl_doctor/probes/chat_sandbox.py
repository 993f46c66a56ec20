"""The sandbox in which transformers 5.23 renders chat templates, and what comes out of it."""

import json
from datetime import datetime

import jinja2
import jinja2.ext
from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError
from jinja2.sandbox import ImmutableSandboxedEnvironment

LONGEST_MESSAGE = 500
"""Longer messages of exceptions are cut: a template can make them as long as it likes."""


LARGE = "what it writes has over {:,} characters"


class Generation(jinja2.ext.Extension):
    """`{% generation %}`: remembers which spans of the text the assistant writes."""

    tags = frozenset({"generation"})

    def __init__(self, environment):
        super().__init__(environment)
        self.start_over()

    def start_over(self):
        self.written, self.spans = 0, []

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        call = self.call_method("_remember")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _remember(self, caller):
        text = caller()
        self.spans.append((self.written, self.written + len(text)))
        return text


class Dict:
    """The global `dict` of a template: it makes dicts and is no type."""

    def __call__(self, *args, **kwargs):
        return dict(*args, **kwargs)

    def fromkeys(self, *args):
        return dict.fromkeys(*args)


class Namespace(jinja2.utils.Namespace):
    """jinja2's namespace without names that start with an underscore."""

    def __init__(*args, **kwargs):
        values = dict(*args[1:], **kwargs)
        for name in values:
            refuse_underscore(name)
        jinja2.utils.Namespace.__init__(args[0], values)

    def __setitem__(self, name, value):
        refuse_underscore(name)
        super().__setitem__(name, value)


def refuse_underscore(name):
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace cannot hold {name!r}, which starts with an underscore")


def raise_exception(message):
    raise TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(
        x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def strftime_now(format):
    return datetime.now().strftime(format)


def environment():
    """The environment that compiles templates, and the tracker of its generation blocks."""
    sandbox = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    sandbox.filters["tojson"] = tojson
    sandbox.globals.update(
        dict=Dict(),
        namespace=Namespace,
        raise_exception=raise_exception,
        strftime_now=strftime_now,
    )
    return sandbox, sandbox.extensions[Generation.identifier]


def as_passed(messages):
    """The messages as transformers hands them on: no nulls, reasoning under all its names."""
    passed = []
    for message in messages:
        message = {key: value for key, value in message.items() if value is not None}
        names = ("reasoning_content", "thinking", "reasoning")
        reasoning = next((message[name] for name in names if name in message), None)
        if reasoning is not None:
            message = {"thinking": reasoning, **message, "reasoning_content": reasoning}
        passed.append(message)
    return passed


def rendered(template, tracker, render, limit):
    """The answer for one conversation; what the template raises is passed on."""
    tracker.start_over()
    variables = {
        **render["variables"],
        "messages": as_passed(render["messages"]),
        "tools": render["tools"],
        "documents": None,
        "add_generation_prompt": render["add_generation_prompt"],
    }
    pieces = []
    for piece in template.generate(**variables):
        pieces.append(piece)
        tracker.written += len(piece)
        if tracker.written > limit:
            return {"error": "size", "message": LARGE.format(limit), "line": None}
    return {"text": "".join(pieces), "generation": tracker.spans}


def failure(error):
    """The answer for an exception out of compiling or rendering a template."""
    said = getattr(error, "message", None) or getattr(error, "msg", None) or error
    message = str(said)[:LONGEST_MESSAGE]
    if isinstance(error, SecurityError):
        kind = "refused"
    elif isinstance(error, TemplateSyntaxError):
        return {"error": "syntax", "message": message, "line": error.lineno}
    elif isinstance(error, SyntaxError):
        return {"error": "syntax", "message": message, "line": None}
    elif type(error) is TemplateError:
        kind = "raised"
    elif isinstance(error, RecursionError):
        kind = "depth"
    elif isinstance(error, MemoryError):
        kind, message = "memory", ""
    else:
        kind, message = "error", f"{type(error).__name__}: {message}"
    return {"error": kind, "message": message, "line": line_of(error)}


def line_of(error):
    """The line of the template at which it happened, in a macro the macro's, or None."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line

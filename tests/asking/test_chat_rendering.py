"""Chat templates are rendered as transformers does, and no template harms who renders it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trl_doctor.asking.rendering import (
    LONGEST_TEMPLATE,
    Message,
    Render,
    Rendered,
    Renderer,
    RenderingLimits,
    TemplateFailed,
)
from trl_doctor.core.unavailable import Unavailable

HELLO: list[Message] = [{"role": "user", "content": "Hello"}]

STRICT = RenderingLimits(cpu_s=1, wall_s=100.0, memory=128 << 20, output=100_000)

ENDLESS = "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}"


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer(STRICT) as renderer:
        yield renderer


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("", ""),
        ("{{ messages[0].content }}, {{ messages[0]['role'] }}\n", "Hello, user"),
        ("{% if true %}\n  a\n{% endif %}\nb", "  a\nb"),
        ("x\n    {% for m in messages %}\n{{ m.role }}\n    {% endfor %}\n", "x\nuser\n"),
        ("{{ bos_token }}|{{ eos_token }}|{{ pad_token is defined }}", "<s>||False"),
        ("{{ tools is none }}{{ documents is none }}{{ add_generation_prompt }}", "TrueTrueFalse"),
        ("{{ {'é': '<b>&', 'a': [1, 2.5, none]} | tojson }}", '{"é": "<b>&", "a": [1, 2.5, null]}'),
        ("{{ {'b': 1, 'a': 2} | tojson(sort_keys=true, separators=(',', ':')) }}", '{"a":2,"b":1}'),
        ("{{ ['é'] | tojson(ensure_ascii=true, indent=1) }}", '[\n "\\u00e9"\n]'),
        ("{% for i in range(9) %}{% if i == 3 %}{% break %}{% endif %}{{ i }}{% endfor %}", "012"),
        ("{% for i in range(3) %}{% if i == 1 %}{% continue %}{% endif %}{{i}}{% endfor %}", "02"),
        ("{% set ns = namespace(n=1) %}{% set ns.n = ns.n + 1 %}{{ ns.n }}", "2"),
        ("{{ dict(a=1) }}{{ dict.fromkeys([1]) }}", "{'a': 1}{1: None}"),
        ("{{ strftime_now('%Y') }}", str(datetime.now().year)),
        ("{% generation %}said{% endgeneration %} heard", "said heard"),
        ("{{ '\\ud83d' }}", "\ud83d"),
    ],
)
def test_text_is_what_transformers_renders(renderer: Renderer, template: str, text: str) -> None:
    assert renderer.render(template, HELLO, {"bos_token": "<s>"}) == text


def test_messages_reach_the_template_as_from_transformers(renderer: Renderer) -> None:
    message: Message = {"role": "assistant", "content": None, "reasoning": "why"}
    template = "{% for key in messages[0] %}{{ key }}={{ messages[0][key] }};{% endfor %}"
    assert renderer.render(template, [message]) == (
        "thinking=why;role=assistant;reasoning=why;reasoning_content=why;"
    )


def test_generation_spans_are_offsets_in_the_text(renderer: Renderer) -> None:
    template = (
        "{% for m in messages %}[{{ m.role }}]{% generation %}{{ m.content }}!{% endgeneration %}"
        "\n{% endfor %}"
    )
    (answer,) = renderer.render_all(template, [Render([*HELLO, *HELLO])])
    assert isinstance(answer, Rendered)
    assert [answer.text[start:end] for start, end in answer.generation] == ["Hello!", "Hello!"]


@given(st.text(max_size=200))
@settings(max_examples=50)
def test_contents_of_messages_are_rendered_unchanged(renderer: Renderer, text: str) -> None:
    message: Message = {"role": "user", "content": text}
    assert renderer.render("{{ messages[0].content }}", [message]) == text


@given(st.text(alphabet="{%}# -'\"\\|.~()[]xfor in\n", max_size=60))
@settings(max_examples=50)
def test_any_text_is_rendered_or_refused(renderer: Renderer, template: str) -> None:
    (answer,) = renderer.render_all(template, [Render(HELLO)])
    assert isinstance(answer, Rendered | TemplateFailed)


@pytest.mark.parametrize(
    ("template", "kind", "line"),
    [
        ("\n{{ raise_exception('roles must alternate') }}", "raised", 2),
        ("{% macro f() %}\n{{ raise_exception('x') }}{% endmacro %}\n\n{{ f() }}", "raised", 2),
        ("{{ raise_exception('r' * 100000000) }}", "memory raised", None),
        ("\n{% if %}", "syntax", 2),
        ("{% for m in messages %}", "syntax", 1),
        ("{{ x | nofilter }}", "syntax", 1),
        ("{% break %}", "syntax", None),
        ("{% for x in messages %}" * 30 + "{% endfor %}" * 30, "syntax", None),
        ("\n\n{{ 1 / 0 }}", "error", 3),
        ("{{ nobody.content }}", "error", 1),
        ("{% include '/etc/passwd' %}", "error", 1),
        ("{% for i in range(10 ** 12) %}{% endfor %}", "error", 1),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "refused", 1),
        ("{{ (messages | attr('__class__')).__mro__ }}", "refused", 1),
        ("{{ '{0.__class__.__init__.__globals__}'.format(messages) }}", "refused", 1),
        ("{{ lipsum.__globals__['os'].system('id') }}", "refused", 1),
        ("{{ cycler.__init__.__globals__ }}", "refused", 1),
        ("{{ messages.append(1) }}", "refused", 1),
        ("{% set ns = namespace() %}{% set ns._x = 1 %}", "refused", 1),
        ("{{ 'x' * 300000000 }}", "memory", 1),
        ("{% set n = 300000000 * messages | length %}{{ ('x' * n) | length }}", "memory", 1),
        ("{{ '%999999999d' % 1 }}", "memory", 1),
        ("{{ '{:>9999999999}'.format(1) }}", "memory", 1),
        ("{{ range(99999) | join('y' * 99999) | length }}", "memory", 1),
        (
            "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}"
            "{% endfor %}{{ ns.x | length }}",
            "memory",
            1,
        ),
        ("{% for i in range(999) %}{{ 'x' * 999 }}{% endfor %}", "size", None),
        ("x" * (LONGEST_TEMPLATE + 1), "size", None),
        ("{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}", "depth", 1),
        ("{% for x in messages recursive %}{{ loop(messages) }}{% endfor %}", "depth", 1),
        ("{% if 1 %}" * 5000 + "{% endif %}" * 5000, "depth", None),
        ("{{ " + "(" * 20000 + "1" + ")" * 20000 + " }}", "depth", None),
        ("{{ " + "not " * 50000 + "1 }}", "depth", None),
        (
            "{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = [ns.x] %}"
            "{% endfor %}{{ ns.x | tojson }}",
            "depth",
            1,
        ),
        (ENDLESS, "time", None),
        ("{{ 9 ** (9 ** 9) }}", "time memory", None),
        ("{{ 1 }}" * 120_000, "time depth memory", None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_hostile_template_is_an_answer(
    renderer: Renderer, template: str, kind: str, line: int | None
) -> None:
    with pytest.raises(TemplateFailed) as failed:
        renderer.render(template, HELLO)
    assert failed.value.kind in kind.split()
    assert line is None or failed.value.line == line
    assert str(failed.value).startswith("the chat template ") and len(str(failed.value)) < 700
    assert renderer.render("{{ messages[0].role }}", HELLO) == "user"


def test_special_tokens_of_megabytes_are_rendered_or_refused(renderer: Renderer) -> None:
    long = {"eos_token": "x" * 1_000_000}
    assert renderer.render_all("{{ eos_token | length }}", [Render(HELLO, long)] * 3)
    with pytest.raises(Unavailable, match="special tokens are too long"):
        renderer.render_all("{{ eos_token }}", [Render(HELLO, long)] * 5)


def test_one_failed_render_leaves_the_others_of_a_request(renderer: Renderer) -> None:
    template = "{% if messages[0].role == 'user' %}ok{% else %}" + ENDLESS + "{% endif %}"
    other: Message = {"role": "system", "content": ""}
    answers = renderer.render_all(template, [Render(HELLO), Render([other]), Render(HELLO)])
    assert [getattr(answer, "kind", "text") for answer in answers] == ["text", "time", "time"]


def process_group(renderer: Renderer) -> int:
    renderer.start()
    assert renderer._server is not None
    return renderer._server.pid


def is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def soon_gone(group: int) -> bool:
    """Whether no process of a group is left; waits for it, since the kernel takes its time."""
    for _ in range(6000):
        if is_gone(group):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs Linux's /proc")
def test_the_process_has_no_variables_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "a-token-of-mine")
    monkeypatch.setenv("MINE", "a-value-of-mine")
    with Renderer(STRICT) as renderer:
        variables = Path(f"/proc/{process_group(renderer)}/environ").read_bytes()
        assert renderer.render("{{ messages|length }}", HELLO) == str(len(HELLO))
    assert b"of-mine" not in variables


def test_killed_server_is_started_again() -> None:
    with Renderer(STRICT) as renderer:
        first = process_group(renderer)
        os.killpg(first, signal.SIGKILL)
        assert renderer.render("{{ messages[0].role }}", HELLO) == "user"
        assert process_group(renderer) != first
    assert soon_gone(first)


def test_server_killed_while_it_works_is_started_again() -> None:
    with Renderer(STRICT) as renderer:
        first = process_group(renderer)
        threading.Timer(0.5, os.killpg, (first, signal.SIGKILL)).start()
        with pytest.raises(TemplateFailed) as failed:
            renderer.render(ENDLESS, HELLO)
        assert failed.value.kind == "time"
        assert process_group(renderer) != first


def test_hung_server_is_killed_and_started_again() -> None:
    with Renderer(RenderingLimits(wall_s=1.0), patience=2.0) as renderer:
        first = process_group(renderer)
        os.killpg(first, signal.SIGSTOP)
        assert renderer.render("{{ messages[0].role }}", HELLO) == "user"
        assert soon_gone(first)


def test_close_leaves_no_process_and_may_be_repeated() -> None:
    renderer = Renderer(STRICT)
    group = process_group(renderer)
    thread = threading.Thread(target=lambda: renderer.render("x", HELLO))
    thread.start()
    thread.join()
    renderer.close()
    renderer.close()
    assert soon_gone(group)


SCRIPT = """
import os
from trl_doctor.asking.rendering import Render, shared
renderer = shared()
assert renderer is shared()
assert renderer.render("{{ messages|length }}", []) == "0"
print(renderer._server.pid, flush=True)
if %r:
    renderer.render(%r, [])
"""


@pytest.mark.parametrize("end", ["exit", "killed"])
def test_shared_renderer_ends_with_its_process(end: str) -> None:
    script = SCRIPT % (end == "killed", ENDLESS)
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        group = int(process.stdout.readline())
        if end == "killed":
            process.kill()
        process.wait()
    assert soon_gone(group)


def test_renders_where_standard_input_is_closed() -> None:
    script = "from trl_doctor.asking.rendering import shared; print(shared().render('x', []))"
    command = f'exec "{sys.executable}" -c "{script}" <&-'
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert result.stdout == "x\n"


def test_threads_may_share_a_renderer(renderer: Renderer) -> None:
    texts: dict[int, str] = {}

    def render(number: int) -> None:
        texts[number] = renderer.render(f"{number} {{{{ messages[0].role }}}}", HELLO)

    threads = [threading.Thread(target=render, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {number: f"{number} user" for number in range(8)}


def test_nothing_is_rendered_where_no_process_can_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(Unavailable, match="fork"), Renderer() as renderer:
        renderer.render("x", HELLO)


def test_a_missing_jinja2_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(Unavailable, match="jinja2"), Renderer() as renderer:
        renderer.render("x", HELLO)


def test_a_process_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    open_files = len(list(Path("/dev/fd").iterdir()))
    with pytest.raises(Unavailable, match="No such file"), Renderer() as renderer:
        renderer.render("x", HELLO)
    assert len(list(Path("/dev/fd").iterdir())) == open_files

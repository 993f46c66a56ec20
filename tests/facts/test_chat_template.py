"""How templates of every family end a turn, and what else is read off their renderings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from trl_doctor.asking.oracle import NoOracle
from trl_doctor.asking.rendering import Renderer, TemplateFailed
from trl_doctor.checkup.opening import Options, open_run
from trl_doctor.core.finding import Json
from trl_doctor.core.unavailable import Unavailable
from trl_doctor.facts import Facts, chat_template
from trl_doctor.facts.chat_template.chat import Chat, Template, chat_of, tokens_at
from trl_doctor.facts.chat_template.conversation import ANSWER, QUESTION, Shape
from trl_doctor.files.target import target
from trl_doctor.machine.environment import Environment
from trl_doctor.testing import laid_out


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as renderer:
        yield renderer


def each(body: str, prompt: str = "") -> str:
    """A template that writes every message alike, and a generation prompt on request."""
    generation_prompt = "{% if add_generation_prompt %}" + prompt + "{% endif %}" if prompt else ""
    return "{% for message in messages %}" + body + "{% endfor %}" + generation_prompt


CHATML = each(
    "<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{{ '' }}",
    "<|im_start|>assistant\n{{ '' }}",
)
CHATML_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")

QWEN_STRIPPING = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.role == 'assistant' %}{% if loop.last %}<think>\n\n</think>\n\n{% endif %}"
    "{{ message.content.split('</think>')[-1] | trim }}"
    "{% else %}{{ message.content }}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)

QWEN_ENDS_ONLY_INNER_TURNS = each(
    "{{ '<|im_start|>' + message.role + '\n' + message.content }}"
    "{% if not loop.last or add_generation_prompt %}{{ '<|im_end|>\n' }}{% endif %}",
    "{{ '<|im_start|>assistant\n' }}",
)

LLAMA2 = (
    "{% if messages[0].role == 'system' %}{% set system = '<<SYS>>' + messages[0].content %}"
    "{% set turns = messages[1:] %}{% else %}{% set system = '' %}{% set turns = messages %}"
    "{% endif %}{% for message in turns %}{% if (message.role == 'user') != (loop.index0 % 2 == 0)"
    " %}{{ raise_exception('roles must alternate') }}{% endif %}{% if message.role == 'user' %}"
    "{{ bos_token + '[INST] ' + system + message.content + ' [/INST]' }}{% else %}"
    "{{ ' ' + message.content + ' ' + eos_token }}{% endif %}{% endfor %}"
)

LLAMA3 = (
    "{% for message in messages %}{% set content = '<|start_header_id|>' + message['role'] + "
    "'<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' %}{% if loop.index0 == 0 %}"
    "{% set content = bos_token + content %}{% endif %}{{ content }}{% endfor %}"
)
LLAMA3_PROMPT = "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}"
LLAMA3_TOKENS = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
)

GEMMA = (
    "{{ bos_token }}{% for message in messages %}{% if message.role == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% set role = 'model' if message.role == 'assistant' else message.role %}"
    "{{ '<start_of_turn>' + role + '\n' + message.content | trim + '<end_of_turn>\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"
)

PHI3 = (
    "{% for message in messages %}{{ '<|' + message.role + '|>\n' + message.content }}"
    "{{ '<|end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\n' }}"
    "{% else %}{{ eos_token }}{% endif %}"
)
PHI3_TOKENS = ("<|endoftext|>", "<|user|>", "<|assistant|>", "<|end|>", "<|system|>")

MISTRAL = (
    "{{ bos_token }}{% for message in messages %}{% if message.role == 'user' %}"
    "{{ '[INST] ' + message.content + ' [/INST]' }}{% elif message.role == 'assistant' %}"
    "{{ ' ' + message.content + eos_token }}{% else %}{{ raise_exception('no such role') }}"
    "{% endif %}{% endfor %}"
)

ZEPHYR = each(
    "{{ '<|' + message.role + '|>\n' + message.content + eos_token + '\n' }}",
    "{{ '<|assistant|>\n' }}",
)
ZEPHYR_WITHOUT_END = each(
    "{{ '<|' + message.role + '|>\n' + message.content + '\n' }}", "{{ '<|assistant|>\n' }}"
)

VICUNA = (
    "{{ bos_token }}A chat.{% for message in messages %}{% if message.role == 'user' %}"
    "{{ ' USER: ' + message.content }}{% elif message.role == 'assistant' %}"
    "{{ ' ASSISTANT: ' + message.content + eos_token }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ ' ASSISTANT:' }}{% endif %}"
)

GPT_OSS = (
    "<|start|>system<|message|>You are a model.<|end|>{% for message in messages %}"
    "{% if message.role == 'assistant' %}<|start|>assistant<|channel|>final<|message|>"
    "{{ message.content }}{{ '<|return|>' if loop.last and not add_generation_prompt else "
    "'<|end|>' }}{% else %}<|start|>{{ message.role }}<|message|>{{ message.content }}<|end|>"
    "{% endif %}{% endfor %}{% if add_generation_prompt %}<|start|>assistant{% endif %}"
)
GPT_OSS_TOKENS = (
    "<|startoftext|>",
    "<|return|>",
    "<|start|>",
    "<|message|>",
    "<|channel|>",
    "<|end|>",
)

GLM = "[gMASK]<sop>" + each(
    "<|{{ message.role }}|>\n{{ message.content }}", "<|assistant|>\n{{ '' }}"
)
GLM_TOKENS = ("<|endoftext|>", "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>")

R1 = (
    "{{ bos_token }}{% for message in messages %}{% if message.role == 'user' %}<｜User｜>"
    "{{ message.content }}{% elif message.role == 'assistant' %}<｜Assistant｜>"
    "{{ message.content.split('</think>')[-1] }}<｜end▁of▁sentence｜>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<｜Assistant｜><think>\n{{ '' }}{% endif %}"
)
R1_TOKENS = ("<｜User｜>", "<｜Assistant｜>", "<think>", "</think>")

PARTS_ONLY = each(
    "{{ message.role | capitalize }}:{% for part in message.content %}{% if part.type == 'text' %}"
    "{{ part.text }}{% endif %}{% endfor %}<end_of_utterance>\n{{ '' }}",
    "Assistant:",
)

SYSTEM_ONLY = (
    "{% if messages[0].role != 'system' %}{{ raise_exception('a system message first') }}"
    "{% endif %}" + CHATML
)

TOOLS = (
    "{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}"
    "{% for call in message.tool_calls or [] %}<tool_call>{{ call | tojson }}</tool_call>"
    "{% endfor %}<|im_end|>\n{% endfor %}"
)

ONE_TURN = (
    "{% if messages | length > 2 %}{{ raise_exception('one turn only') }}{% endif %}"
    "{{ messages[0].content }}{% if messages[1] %}{{ messages[1].content + eos_token }}{% endif %}"
)


@dataclass(frozen=True)
class Family:
    """A template with the tokens of its tokenizer, and the tokens that end its turns."""

    text: str
    eos: str
    tokens: tuple[str, ...] = ()
    bos: str | None = None
    last: str | None = None
    first: str | None = None


FAMILIES = {
    "chatml": Family(CHATML, "<|im_end|>", CHATML_TOKENS, None, "<|im_end|>", "<|im_end|>"),
    "chatml, other eos": Family(
        CHATML, "<|endoftext|>", CHATML_TOKENS, None, "<|im_end|>", "<|im_end|>"
    ),
    "chatml, start is bos": Family(
        CHATML, "<|im_end|>", (), "<|im_start|>", "<|im_end|>", "<|im_end|>"
    ),
    "chatml, no such tokens": Family(CHATML, "</s>"),
    "qwen stripping": Family(
        QWEN_STRIPPING, "<|im_end|>", CHATML_TOKENS, None, "<|im_end|>", "<|im_end|>"
    ),
    "last turn open": Family(
        QWEN_ENDS_ONLY_INNER_TURNS, "<|endoftext|>", CHATML_TOKENS, None, None, "<|im_end|>"
    ),
    "llama 2": Family(LLAMA2, "</s>", (), "<s>", "</s>", "</s>"),
    "llama 3": Family(
        LLAMA3, "<|end_of_text|>", LLAMA3_TOKENS, "<|begin_of_text|>", "<|eot_id|>", "<|eot_id|>"
    ),
    "gemma": Family(
        GEMMA,
        "<eos>",
        ("<start_of_turn>", "<end_of_turn>", "\n"),
        "<bos>",
        "<end_of_turn>",
        "<end_of_turn>",
    ),
    "phi 3": Family(PHI3, "<|endoftext|>", PHI3_TOKENS, None, "<|end|>", "<|end|>"),
    "mistral": Family(MISTRAL, "</s>", ("[INST]", "[/INST]"), "<s>", "</s>", "</s>"),
    "zephyr": Family(ZEPHYR, "</s>", ("<|user|>", "<|assistant|>"), None, "</s>", "</s>"),
    "zephyr without end": Family(ZEPHYR_WITHOUT_END, "</s>", ("<|user|>", "<|assistant|>")),
    "vicuna": Family(VICUNA, "</s>", (), "<s>", "</s>", "</s>"),
    "vicuna, one token for bos and eos": Family(VICUNA, "<|e|>", (), "<|e|>", "<|e|>", "<|e|>"),
    "content and separator": Family(
        each("{{ message.content }}<|sep|>"), "<e>", ("<|sep|>",), None, "<|sep|>", "<|sep|>"
    ),
    "gpt-oss": Family(GPT_OSS, "<|return|>", GPT_OSS_TOKENS, None, "<|return|>", "<|end|>"),
    "glm": Family(GLM, "<|endoftext|>", GLM_TOKENS),
    "r1": Family(R1, "<｜end▁of▁sentence｜>", R1_TOKENS, "<bos>", *["<｜end▁of▁sentence｜>"] * 2),
    "parts only": Family(
        PARTS_ONLY, "</s>", ("<end_of_utterance>",), None, *["<end_of_utterance>"] * 2
    ),
    "system only": Family(
        SYSTEM_ONLY, "<|im_end|>", CHATML_TOKENS, None, "<|im_end|>", "<|im_end|>"
    ),
    "tools": Family(TOOLS, "<|im_end|>", CHATML_TOKENS, None, "<|im_end|>", "<|im_end|>"),
}


def chat(renderer: Renderer, family: Family) -> Chat:
    """What is read off a family's template; the ids are positions among its tokens."""
    named = {"eos_token": family.eos} | ({"bos_token": family.bos} if family.bos else {})
    tokens = dict.fromkeys((*family.tokens, *named.values()))
    ids = {token: number for number, token in enumerate(tokens)}
    return chat_of(Template(family.text, dict(named), ids), renderer)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_turn_end(renderer: Renderer, family: Family) -> None:
    result = chat(renderer, family)
    assert (result.turn_end.token, result.first_turn_end.token) == (family.last, family.first)
    for end in (result.turn_end, result.first_turn_end):
        assert end.id == (None if end.token is None else result.template.tokens[end.token])
        assert end.token is None or end.token in end.tail
    assert result.conversation.text.endswith(ANSWER + result.turn_end.tail)
    assert result.conversation.text[: result.conversation.answer_end].endswith(ANSWER)


def test_a_token_that_may_end_messages_of_other_kinds(renderer: Renderer) -> None:
    ends = {name: chat(renderer, family).turn_end.ends_others for name, family in FAMILIES.items()}
    assert not any(ends.values())
    always = GPT_OSS.replace("<|return|>", "<|end|>")
    assert chat(renderer, Family(always, "<|return|>", GPT_OSS_TOKENS)).turn_end.ends_others
    thinks = CHATML.replace("{{ message.content", "{{ '<think>\\n\\n</think>' + message.content")
    tokens = (*CHATML_TOKENS, "<think>", "</think>")
    assert not chat(renderer, Family(thinks, "<|endoftext|>", tokens)).turn_end.ends_others


def test_tail_names_all_its_tokens_in_order(renderer: Renderer) -> None:
    result = chat(renderer, FAMILIES["phi 3"])
    assert result.turn_end.tail == "<|end|>\n<|endoftext|>"
    assert result.turn_end.tokens == ("<|end|>", "<|endoftext|>")
    assert result.first_turn_end.tokens == ("<|end|>", "<|user|>")


def test_template_that_always_prompts_shows_it_in_its_tail(renderer: Renderer) -> None:
    family = Family(LLAMA3 + LLAMA3_PROMPT, "<|eot_id|>", LLAMA3_TOKENS, "<|begin_of_text|>")
    result = chat(renderer, family)
    assert result.generation_prompt == ""
    assert result.turn_end.token == "<|eot_id|>"
    assert result.turn_end.tail == result.conversation.header


@pytest.mark.parametrize(
    ("family", "prompt", "opens_think", "prefix", "history", "reasoning", "bos"),
    [
        ("chatml", "<|im_start|>assistant\n", False, True, True, True, False),
        ("qwen stripping", "<|im_start|>assistant\n", False, True, False, True, False),
        ("last turn open", "<|im_end|>\n<|im_start|>assistant\n", False, True, True, True, False),
        ("llama 2", "", False, True, True, True, True),
        ("gemma", "<start_of_turn>model\n", False, True, True, True, True),
        ("phi 3", "<|assistant|>\n", False, True, True, True, False),
        ("vicuna", " ASSISTANT:", False, True, True, True, True),
        ("r1", "<｜Assistant｜><think>\n", True, False, True, True, True),
        ("parts only", "Assistant:", False, True, True, True, False),
        ("gpt-oss", "<|start|>assistant", False, True, True, True, False),
    ],
)
def test_what_else_is_read(
    renderer: Renderer,
    family: str,
    prompt: str,
    opens_think: bool,
    prefix: bool,
    history: bool,
    reasoning: bool,
    bos: bool,
) -> None:
    result = chat(renderer, FAMILIES[family])
    assert result.generation_prompt == prompt
    assert (result.opens_think, result.prompt_is_prefix) == (opens_think, prefix)
    assert (result.keeps_history, result.keeps_reasoning) == (history, reasoning)
    assert result.renders_bos == bos


def test_reasoning_of_earlier_turns_that_is_dropped(renderer: Renderer) -> None:
    strips = each(
        "{% if loop.last %}{{ message.content }}{% else %}{{ message.content.split('>')[-1] }}"
        "{% endif %}</s>"
    )
    result = chat(renderer, Family(strips, "</s>"))
    assert result.keeps_history
    assert not result.keeps_reasoning


def test_printed_tokens(renderer: Renderer) -> None:
    result = chat(renderer, FAMILIES["gpt-oss"])
    assert result.prints("<|return|>") and result.prints("<|end|>") and result.prints("<|channel|>")
    assert not result.prints("<|startoftext|>")


@pytest.mark.parametrize(
    ("body", "trains"),
    [
        ("{{ message.content }}<|end|>", None),
        ("{% generation %}{{ message.content }}{% endgeneration %}<|end|>", False),
        ("{% generation %}{{ message.content }}<|end|>{% endgeneration %}", True),
        ("{% generation %}{{ message.content }}<|end|>\n{% endgeneration %}", True),
        (
            "{% generation %}{{ message.content }}{% endgeneration %}"
            "{% generation %}<|end|>{% endgeneration %}",
            True,
        ),
    ],
)
def test_generation_block_takes_in_the_turn_end(
    renderer: Renderer, body: str, trains: bool | None
) -> None:
    text = each("{% if message.role == 'assistant' %}" + body + "{% else %}{{ message.content }}"
                "{% endif %}")  # fmt: skip
    assert chat(renderer, Family(text, "<|end|>")).trains_turn_end is trains


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        (CHATML, Shape()),
        (SYSTEM_ONLY, Shape(system=True)),
        (PARTS_ONLY, Shape(parts=True)),
        (SYSTEM_ONLY.replace(CHATML, PARTS_ONLY), Shape(system=True, parts=True)),
    ],
)
def test_shape_is_the_first_that_the_template_takes(
    renderer: Renderer, text: str, shape: Shape
) -> None:
    result = chat(renderer, Family(text, "</s>"))
    assert result.renderings.shape == shape
    assert QUESTION in result.conversation.text


def test_template_of_one_turn_still_ends_it(renderer: Renderer) -> None:
    result = chat(renderer, Family(ONE_TURN, "</s>"))
    assert result.turn_end.token == "</s>"
    with pytest.raises(TemplateFailed, match="one turn only"):
        _ = result.first_turn_end
    assert not result.prints("<unk>")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{{ raise_exception('never') }}", "raises at line 1: never"),
        ("{% for m in messages %}", "does not parse at line 1"),
        ("{{ 'x' * 300000000 }}", "takes too much memory"),
        ("nothing of it", "does not print the assistant's messages"),
        ("{{ messages[0].content }}", "does not print the assistant's messages"),
        ("", "does not print the assistant's messages"),
    ],
)
def test_a_template_without_marks_of_turns(renderer: Renderer, text: str, reason: str) -> None:
    with pytest.raises(Unavailable, match=reason):
        chat(renderer, Family(text, "</s>"))


TOKENS = ("<a>", "<a>>", "<b", "<", "ab", " ")


@given(st.lists(st.sampled_from([*TOKENS, "x", ">", "b"]), max_size=12).map("".join))
def test_tokens_stand_where_they_are_found_and_do_not_overlap(text: str) -> None:
    places = tokens_at(text, TOKENS)
    end = 0
    for at, token in places:
        assert at >= end and text.startswith(token, at)
        assert not any(text.startswith(other, at) for other in TOKENS if len(other) > len(token))
        assert not any(other in text[end:at] for other in TOKENS)
        end = at + len(token)
    assert not any(other in text[end:] for other in TOKENS)


CONFIG: dict[str, Json] = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "eos_token": "<|endoftext|>",
    "pad_token": None,
    "unk_token": "",
    "additional_special_tokens": ["<|im_start|>", "<|im_end|>"],
    "chat_template": CHATML,
    "added_tokens_decoder": {
        "7": {"content": "<|endoftext|>", "special": True},
        "8": {"content": "<|im_start|>", "special": True},
        "9": {"content": "<|im_end|>", "special": True},
        "10": {"content": "  ", "special": False},
    },
}


@contextmanager
def facts_of(
    config: dict[str, Json], arguments: dict[str, Json] | None = None, transformers: str = "5.23.0"
) -> Iterator[Facts]:
    """The facts of an SFT run over a model folder with this tokenizer_config.json."""
    run: dict[str, Json] = {"trainer": "sft", "model_name_or_path": "model", **(arguments or {})}
    files = {"run.json": run, "model/config.json": {}, "model/tokenizer_config.json": config}
    environment = Environment(Path("python"), (), {"transformers": Version(transformers)})
    with laid_out(files) as folder:
        found_target = target(str(folder / "run.json"), offline=True)
        yield Facts(
            open_run(found_target, environment, Options(offline=True)),
            environment,
            NoOracle("not asked"),
        )


def test_facts_of_a_folder() -> None:
    with facts_of(CONFIG) as facts:
        end = facts[chat_template.turn_end]
        assert (end.token, end.id, end.tail) == ("<|im_end|>", 9, "<|im_end|>\n")
        assert facts[chat_template.first_turn_end].token == "<|im_end|>"
        assert facts[chat_template.chat].generation_prompt == "<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("transformers", "variables"),
    [
        ("5.23.0", {"eos_token": "<|endoftext|>", "unk_token": ""}),
        (
            "4.57.6",
            {
                "eos_token": "<|endoftext|>",
                "additional_special_tokens": ["<|im_start|>", "<|im_end|>"],
            },
        ),
    ],
)
def test_variables_are_what_that_release_of_transformers_passes(
    transformers: str, variables: dict[str, Json]
) -> None:
    with facts_of(CONFIG, transformers=transformers) as facts:
        assert facts[chat_template.template].variables == variables


@pytest.mark.parametrize("stated", [{"thinking": False}, '{"thinking": false}'])
def test_arguments_of_the_run_reach_the_template(stated: Json) -> None:
    arguments: dict[str, Json] = {"chat_template_kwargs": stated, "eos_token": "<|im_end|>"}
    with facts_of(CONFIG, arguments) as facts:
        variables = facts[chat_template.template].variables
        assert (variables["thinking"], variables["eos_token"]) == (False, "<|im_end|>")


@pytest.mark.parametrize(
    ("template", "arguments", "reason"),
    [
        (None, {}, "the tokenizer has no chat template"),
        ([{"name": "tool_use", "template": "x"}], {}, "no default chat template, only tool_use"),
        (CHATML, {"chat_template_path": "a.jinja"}, "chat_template_path replaces the chat templ"),
        ("{% if %}", {}, "the chat template does not parse at line 1"),
    ],
)
def test_reason_why_no_turn_end_is_known(
    template: Json, arguments: dict[str, Json], reason: str
) -> None:
    with (
        facts_of({**CONFIG, "chat_template": template}, arguments) as facts,
        pytest.raises(Unavailable, match=reason),
    ):
        _ = facts[chat_template.turn_end]

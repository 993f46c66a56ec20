"""Unexpected values, keys and lines of a file."""

from __future__ import annotations

from typing import Any


def deep(levels: int, dicts: bool = False) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value} if dicts else [value]
    return value


ODD: list[Any] = [
    None, True, False, 0, -1, 1, 7, 299, 2**31, 2**63, 2**64, 10**30, -(10**400), -0.0, 0.5, 1e308,
    float("nan"), float("inf"), "", " ", "x", "\ud800", "a\udfffb", "\x00", "\x1b[31m", "\u202e",
    "\u2028", "../../x", "/etc/passwd", "..", ".", "a\x00b", "~nobody-here/x", "a\nb", "a" * 5000,
    "a/" * 3000, "-" * 3000, "é" * 300, "nan", "1e5", "0x10", "1_0", "١٢", "true", "None", "{{",
    "models/healthy", "models/reward", "org/name", "org/name@x", "gpt2", "<|im_end|>", "</search>",
    [], {}, [[]], [{}], [None], [True], ["a", 1, None], [1, 2.5], [-1, 2**70], ["\ud800"],
    {"": None}, {"content": 5}, {"content": None}, {"content": "x", "special": "y"}, {"id": "3"},
    {"a": {"b": []}}, {"0": {}}, {"-1": {"content": "x"}}, {"x": {"content": "x"}},
    {"9" * 30: {"content": "x"}}, {"\ud800": "\ud800"}, {"../x": "../y"}, [{"id": 1}, {"id": 1}],
    [{"name": "default", "template": "x"}], [{"name": 3}], [{"name": "default", "template": None}],
    deep(60), deep(99, True), deep(150), deep(300), list(range(400)),
    {str(number): number for number in range(300)},
]  # fmt: skip
KEYS = [
    "", "a", "content", "special", "id", "model_type", "vocab_size", "eos_token_id", "pad_token",
    "chat_template", "text_config", "architectures", "added_tokens_decoder", "trainer",
    "num_labels",
    "model_name_or_path", "tokenizer_name_or_path", "generation_kwargs", "stop", "num_processes",
    "weight_map", "metadata", "auto_map", "quantization_config", "tie_word_embeddings",
    "max_length",
    "per_device_train_batch_size", "num_generations", "use_vllm", "dataset_name", "\ud800", "../x",
]  # fmt: skip
TEMPLATES = [
    "{{ messages.__class__ }}", "{{ raise_exception('no') }}", "{%", "{{ messages[99].content }}",
    "{% generation %}{{ messages[-1].content }}{% endgeneration %}", "{{ cycler }}", "{{ 1 / 0 }}",
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "{{ messages }}", "{% set x = eos_token %}",
    "{{ strftime_now('%Y') }}", "\ud800", "\x00", "{% include 'x' %}", "{{ '\\x1b[31m' }}", "",
    "{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}", "{{ eos_token * 1000 }}", "{#",
    "{% for m in messages %}{{ m['role'] + m['content'] + none }}{% endfor %}", "{{ tools[0] }}",
]  # fmt: skip
HEAVY = [
    "{% for i in range(10 ** 9) %}{% endfor %}", "{{ 'x' * 10 ** 9 }}", "{{ [1] * 10 ** 8 }}",
    "{% for i in range(10 ** 5) %}{% for j in range(10 ** 5) %}x{% endfor %}{% endfor %}",
]  # fmt: skip
YAML_LINES = [
    "x: &a 1", "x: *a", "x: &a [*a]", "<<: *a", "<<: {trainer: ppo}", "<<: [1]", "? [a]\n: b",
    "? a",
    "x: !!python/object/apply:os.system [id]", "x: !tag y", "x: !!binary aGk=", "x: !!set {a, b}",
    "\tx: 1", "---", "...", "--- x", "%YAML 1.2", "%TAG ! x", "x: |", "x: >-\n  a\n\n  b", "x: 'a",
    'x: "\\ud800"', 'x: "\\x00"', "x: 0o17", "x: 1:30", "x: 2020-01-01", "x: .nan", "x: -.inf",
    "=: 1",
    "x: [", "x: {", "}", "]", "- a", "# c", "x: a: b", "x: @b", "x: `b`", "x: 1e5", "x: 1_000",
    "x:",
    "1: 2", "null: 3", "true: 4", "x: {a: 1, a: 2}", "trainer: ppo", "trainer: [grpo]", "x: ~",
    "x: y",
    "a: &l [x,x,x,x,x,x,x,x]\nb: &m [*l,*l,*l,*l,*l,*l,*l,*l]\nc: &n [*m,*m,*m,*m,*m,*m,*m,*m]\n"
    "d: [*n,*n,*n]\ne: {x: *n, <<: {y: *m}}",
]  # fmt: skip
CODE_LINES = [
    "import torch", "from trl import *", "from trl import GRPOConfig as C", "args = C(**locals())",
    "arguments.learning_rate = 10 ** 10 ** 10", "x = [x for x in x]", "def f(*a, **k): return f(f)",
    "trainer = trainer", "arguments = GRPOConfig(**{'output_dir': 'x', 1: 2})", "if True:", "else:",
    "arguments = GRPOConfig(output_dir=f'{arguments}')", "lambda: (yield)", "x = " + "(" * 300,
    "x = " + "-" * 2000 + "1", "x = " + "[" * 90 + "]" * 90, "while True: pass", "\x00", "\x0c",
    "# -*- coding: latin-1 -*-", "# -*- coding: nothing -*-", '"""', "%%bash", "!rm -rf /", "?x",
    "GRPOTrainer()", "GRPOTrainer(*[1], **{})", "SFTTrainer(model='models/healthy')", "é = 'é'",
    "trainer = GRPOTrainer('models/healthy', arguments, None, reward)", "x: int = 'a' 'b' f''",
    "match arguments:", "    case _: pass", "del arguments", "global arguments", "await x",
    "arguments.num_generations += arguments.num_generations", "1 / 0", "raise SystemExit",
]  # fmt: skip
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"
WHOLE = [
    b"", b" ", b"\n", POINTER, b"\xef\xbb\xbf{}", b"\xff\xfe{\x00}\x00", b"\x00" * 64, b"null",
    b"[]",
    b"{}", b'"x"', b"3", b"NaN", b"[" * 200, b'{"a":' * 2000, b"<<<<<<< HEAD\n{}\n=======\n{}\n",
    b"\x80\x02.", b"<html>404</html>", b"{'a': None}", b'{"a": 1, "a": {}}', b"---\n---\n",
    b"{" * 99,
]  # fmt: skip
ROWS = [
    b"", b"null", b"[]", b"3", b"{}", b"{", b"\xff", b'{"prompt": "\\ud800"}', b'{"prompt": NaN}',
    b'{"prompt": ' + b"[" * 200 + b"]" * 200 + b"}", b'{"prompt": 1e999}', b"\xef\xbb\xbf{}",
    b'{"prompt": ' + b"9" * 5000 + b"}", b'{"prompt": "a"} {"prompt": "b"}', b"[{}, 3]", b"\r",
    b'{"messages": [{"role": null, "content": {"x": []}}]}', b'{"messages": [[]]}', b"\x00",
    b'{"chosen": "", "rejected": []}', b'{"prompt": [{"role": "user"}], "images": [3]}',
    b'{"prompt": "' + b"x" * 100_000 + b'"}', b'{"a\\u0000b": "\\u001b[31m"}',
]  # fmt: skip
TOML_LINES = [
    "select = []", 'select = "*"', 'select = ["file-*", "nothing"]', 'ignore = "tokenizer-*"',
    'ignore = [{rule = "*", reason = "\\u001b[31m"}]', "ignore = [{}]", 'require = ["step-raises"]',
    'fail-on = "note"', 'fail-on = "x"', 'trainer = "ppo"', "processes = 8", "offline = true",
    "processes = 99999999999999999999", "processes = -1", "level = 'files'", "with = ['trl==0']",
    "with = ['trl==1.16.0', 'transformers==x']", 'severity = {"*" = "note"}', "python = './x'",
    'targets = {"*.yaml" = {trainer = "grpo"}}', 'targets = {"[" = {}}', "[tool.trl-doctor]",
    "a.b.c = 1", "x = nan", "x = 1979-05-27", "x = '''", 'x = """', "= 1", "[", "]", "[[a]]",
    "timeout = inf", "memory-limit = '1 KiB'", "vllm-server = 'file:///etc/passwd'", "keep = '/'",
    "device = 'cuda'", 'severity = {"\\ud800" = "note"}', "output = 'json=/dev/full'",
]  # fmt: skip
NAMES = [
    "a\nb.json", "\udcff.json", "\x1b[31m.safetensors", "x" * 200 + ".json", " .json", "-rf.json",
    "%s{}.json", "tokenizer_config.json\n", "a\\b.json", ".json", "checkpoint-x", "config.JSON",
    "model.safetensors.index.json.index.json", "pytorch_model.bin", "chat_template.json",
    "additional_chat_templates", "torch.py", "yaml.py", "model-00001-of-99999.safetensors",
    "\u202e.json", "spiece.model", "vocab.txt", "optimizer.pt", "processor_config.json",
]  # fmt: skip
"""Names of files that nobody made on purpose."""

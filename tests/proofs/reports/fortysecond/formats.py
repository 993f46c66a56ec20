"""Threads of a forty-second list: what templates make of data, two models of two forms."""

import json

from laid import ROOT

from reports.report import CHATS, PAIRS, Report, changed, rows, turn

CALLED = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}"
    '{% for call in m.tool_calls or [] %}<tool_call>\n{"name": "{{ call.function.name }}", '
    '"arguments": {{ call.function.arguments | tojson }}}\n</tool_call>{% endfor %}'
    "<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def called(asked: str, name: str, **arguments: object) -> dict[str, object]:
    """A chat whose answer is a call."""
    function = {"name": name, "arguments": arguments}
    answer = turn("assistant", "") | {"tool_calls": [{"type": "function", "function": function}]}
    return {"messages": [turn("user", asked), answer]}


MOVES = rows(
    called("move to (0, 1)", "move", x=0, y=1),
    called("turn by ninety degrees", "turn", theta=90),
    called("move to (3, 2)", "move", x=3, y=2),
    called("turn by ten degrees", "turn", theta=10),
)
CALLS = '''\
"""Fine-tuning on tool calls: the chats are rendered before."""

import json

from datasets import Dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("model")


def render(row):
    messages = []
    for message in row["messages"]:
        message = dict(message)
        calls = []
        for call in message.get("tool_calls") or []:
            function = dict(call["function"])
            calls.append({"type": "function", "function": function})
        message["tool_calls"] = calls
        messages.append(message)
    return {"text": tokenizer.apply_chat_template(messages, tokenize=False)}


with open("calls.jsonl") as file:
    dataset = Dataset.from_list([json.loads(line) for line in file])
dataset = dataset.map(render, remove_columns=dataset.column_names)
trainer = SFTTrainer(
    model="model",
    args=SFTConfig(
        output_dir="out",
        per_device_train_batch_size=2,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
texts = [tokenizer.decode(row["input_ids"]) for row in trainer.train_dataset]
print("arguments of other tools are trained:", any("null" in text for text in texts))
'''
FUNCTION = '            function = dict(call["function"])\n'
GIVEN = (
    FUNCTION
    + """\
            given = function["arguments"].items()
            function["arguments"] = {key: value for key, value in given if value is not None}
"""
)
DISTILLED = (
    "{% for m in messages %}"
    "{% set content = m.content %}"
    "{% if m.role == 'assistant' and '</think>' in content %}"
    "{% set content = content.split('</think>')[-1] %}{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
)
TRACES = rows(
    *(
        {
            "messages": [
                turn("user", asked),
                turn("assistant", f"<think>\nThey ask: {asked}\n</think>\n\n{answer}"),
            ]
        }
        for asked, answer in PAIRS
    )
)
TRACED = '''\
"""Fine-tuning of a distilled reasoning model on traces with thoughts."""

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import SFTConfig, SFTTrainer

CHAT_TEMPLATE = None

tokenizer = AutoTokenizer.from_pretrained("model")
if CHAT_TEMPLATE is not None:
    tokenizer.chat_template = CHAT_TEMPLATE
trainer = SFTTrainer(
    model="model",
    args=SFTConfig(
        output_dir="data/distill",
        learning_rate=5e-5,
        max_length=256,
        per_device_train_batch_size=2,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="traces.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
texts = [tokenizer.decode(row["input_ids"]) for row in trainer.train_dataset]
print("the thoughts are trained:", all("They ask" in text for text in texts))
'''
PLAIN = (
    "CHAT_TEMPLATE = (\n"
    '    "{% for m in messages %}<|im_start|>{{ m.role }}\\n{{ m.content }}<|im_end|>\\n"\n'
    '    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\\n{% endif %}"\n'
    ")\n"
)
FOLDER = ROOT / "fixtures/models/healthy"


def ended(name: str, token: str, number: int) -> dict[str, str]:
    """The files of a model whose texts end with this token."""
    keys: dict[str, dict[str, object]] = {
        "config.json": {"eos_token_id": number},
        "generation_config.json": {"eos_token_id": number},
        "tokenizer_config.json": {"eos_token": token},
    }
    files = {
        f"{name}/{file}": json.dumps(json.loads((FOLDER / file).read_text()) | new)
        for file, new in keys.items()
    }
    return files | {f"{name}/tokenizer.json": (FOLDER / "tokenizer.json").read_text()}


POLICY = '''\
"""On-policy distillation: a base model learns from a larger chat model."""

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GKDConfig, GKDTrainer

STUDENT = "model"
TEACHER = "teacher"

tokenizer = AutoTokenizer.from_pretrained(STUDENT)
student = AutoModelForCausalLM.from_pretrained(STUDENT)
dataset = load_dataset("json", data_files="chats.jsonl", split="train")
trainer = GKDTrainer(
    model=student,
    teacher_model=TEACHER,
    args=GKDConfig(
        output_dir="gkd",
        lmbda=1.0,
        beta=1.0,
        max_new_tokens=16,
        per_device_train_batch_size=2,
        learning_rate=5e-6,
        max_steps=2,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()


def ends(model):
    """The tokens at which its texts end."""
    number = model.generation_config.eos_token_id
    return set(number if isinstance(number, list) else [number])


turns = ends(AutoModelForCausalLM.from_pretrained(TEACHER))
print("the student ends its turn as its teacher does:", turns <= ends(trainer.model))
'''
STUDENT = "student = AutoModelForCausalLM.from_pretrained(STUDENT)\n"
TAUGHT = (
    STUDENT
    + """\
tokenizer.eos_token = AutoTokenizer.from_pretrained(TEACHER).eos_token
student.config.eos_token_id = tokenizer.eos_token_id
student.generation_config.eos_token_id = tokenizer.eos_token_id
"""
)
REPORTS = (
    Report(
        "axolotl-ai-cloud/axolotl#2909",
        "four",
        "arguments of other tools are trained: True",
        r"\bnull\b|tool[ _]call|None (value|key|argument)|empty keys",
        {"train.py": CALLS, "calls.jsonl": MOVES, "model/chat_template.jinja": CALLED},
        changed(CALLS, (FUNCTION, GIVEN)),
    ),
    Report(
        "huggingface/open-r1#349",
        "current",
        "the thoughts are trained: False",
        r"think|reasoning|drops|strips|left out|\blost\b",
        {
            "train.py": TRACED,
            "traces.jsonl": TRACES,
            "model/chat_template.jinja": DISTILLED,
        },
        changed(TRACED, ("CHAT_TEMPLATE = None\n", PLAIN)),
    ),
    Report(
        "modelscope/ms-swift#9526",
        "four",
        "the student ends its turn as its teacher does: False",
        r"\beos|end token|<\|im_end\|>|<\|endoftext\|>|ends? (a|the|its|of) turn",
        {
            "train.py": POLICY,
            "chats.jsonl": CHATS,
            **ended("model", "<|endoftext|>", 296),
            **ended("teacher", "<|im_end|>", 298),
        },
        changed(POLICY, (STUDENT, TAUGHT)),
        small={"teacher": "reward 320"},
    ),
)

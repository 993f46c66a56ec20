"""Reports that were looked for a fourth time, most of them of other trainers than GRPO."""

from dataclasses import replace

from reports.report import (
    CHAT_PROMPTS,
    CHATS,
    LABELLED,
    LENGTH,
    PREFERENCES,
    PROMPTS,
    REWARD,
    TEXT,
    Report,
    rows,
    script,
    turn,
)

LOADED = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
)
USED = {"model": "model", "processing_class": "tokenizer"}
INITIALISED = (
    "from transformers import AutoModelForCausalLM\n"
    "def model_init(trial):\n    return AutoModelForCausalLM.from_pretrained('model')\n"
)
ADAPTER = (
    "from peft import LoraConfig, get_peft_model\n"
    "from transformers import AutoModelForCausalLM\n"
    "adapter = LoraConfig(task_type='CAUSAL_LM')\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n{}"
)
ADAPTED = {"model": "model", "peft_config": "adapter"}
WORDS = LABELLED.replace("true", '"true"').replace("false", '"false"')
NULLS = PREFERENCES.replace('" No."', "null", 1)
TOOL = (
    "def times(one: int, other: int) -> int:\n"
    '    """Multiplies.\n\n    Args:\n        one: a number\n        other: another\n\n'
    '    Returns:\n        their product\n    """\n    return one * other\n'
)
ROOMS = (
    "class Room:\n"
    "    def reset(self, **kwargs):\n        self.moves = 0\n"
    "    def move(self, steps: int) -> str:\n"
    '        """Moves.\n\n        Args:\n            steps: how many\n\n'
    '        Returns:\n            where\n        """\n        return str(steps)\n'
)
PLACED = rows(
    *({"prompt": [turn("user", "Go.")], "environment": "hallway"} for _ in range(4)),
)
CALLS = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{% for call in m.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TOOLS = {**REWARD, "tools": "[times]"}
ENTERED = {**REWARD, **USED, "environment_factory": "{'room': Room}"}
ANSWERING = LOADED + (
    "from trl.chat_template_utils import qwen3_template\n"
    "tokenizer.response_template = qwen3_template\n"
)
NONE = "def score(completions, **kwargs):\n    return [{} for _ in completions]\n"
PICTURES = "load_dataset('parquet', data_files='rows.parquet', split='train')"
TEXTS = f"{PICTURES}.map(rendered)"
RENDERED = (
    "from transformers import AutoProcessor\nprocessor = AutoProcessor.from_pretrained('model')\n"
    "def rendered(row):\n"
    "    text = processor.apply_chat_template(row['prompt'], add_generation_prompt=True)\n"
    "    return {'prompt': text}\n"
)
PROCESSOR = (
    "from transformers import AutoModelForImageTextToText, AutoProcessor\n"
    "processor = AutoProcessor.from_pretrained('model')\n"
    "model = AutoModelForImageTextToText.from_pretrained('model')\n"
)
PROCESSED = {"model": "model", "processing_class": "processor"}
PADDED = {"padding_value": "<|endoftext|>"}
THREADS = (
    Report(
        "huggingface/trl#3132",
        "grpo-first",
        "unexpected keyword argument 'model_init'",
        "model_init",
        {
            "train.py": script(
                "SFT", {}, {"model": "", "model_init": "model_init"}, before=INITIALISED
            ),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT")},
    ),
    Report(
        "huggingface/trl#3080",
        "grpo-first",
        r"full\(\)(: argument| received an invalid)",
        "padding_value",
        {
            "train.py": script("DPO", PADDED, USED, before=LOADED),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("DPO", {}, USED, before=LOADED)},
    ),
    Report(
        "axolotl-ai-cloud/axolotl#3665",
        "current",
        "You passed a `PeftModel` instance together with a `peft_config`",
        "peft_config",
        {
            "train.py": script(
                "DPO",
                {},
                ADAPTED,
                before=ADAPTER.format("model = get_peft_model(model, adapter)\n"),
            ),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("DPO", {}, ADAPTED, before=ADAPTER.format(""))},
    ),
    Report(
        "huggingface/trl#4491",
        "four",
        "No module named 'trl.experimental.gold'",
        "trl.experimental.gold|GOLD",
        {
            "train.py": "from trl.experimental.gold import GOLDConfig\n" + script("SFT"),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT")},
    ),
    Report(
        "linkedin/Liger-Kernel#1244",
        "current",
        "cannot import name 'ORPOTrainer'|has no attribute 'ORPOTrainer'",
        "ORPO",
        {
            "train.py": "from trl.trainer import ORPOTrainer\n" + script("DPO"),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": "from trl.experimental.orpo import ORPOTrainer\n" + script("DPO")},
    ),
    Report(
        "Red-Hat-AI-Innovation-Team/training_hub#93",
        "current",
        "`max_length` is not enforced",
        "padding_free",
        {"train.py": script("SFT", {"padding_free": True}), "rows.jsonl": TEXT},
        {"train.py": script("SFT", {"padding_free": False})},
    ),
    Report(
        "huggingface/trl#2997",
        "four",
        "liger-kernel",
        "liger",
        {"train.py": script("SFT", {"use_liger_kernel": True}), "rows.jsonl": TEXT},
        {"train.py": script("SFT")},
    ),
    Report(
        "modelscope/ms-swift#1513",
        "current",
        "Error",
        "label",
        {"train.py": script("KTO"), "rows.jsonl": WORDS},
        {"rows.jsonl": LABELLED},
    ),
    Report(
        "shibing624/MedicalGPT#382",
        "current",
        "Error",
        "rejected",
        {"train.py": script("DPO"), "rows.jsonl": NULLS},
        {"rows.jsonl": PREFERENCES},
    ),
    Report(
        "huggingface/trl#5724",
        "current",
        "Unrecognized chat template",
        "response_template|response_schema|response schema",
        {
            "train.py": script("GRPO", {}, TOOLS, before=LENGTH + TOOL),
            "rows.jsonl": CHAT_PROMPTS,
            "model/chat_template.jinja": CALLS,
        },
        {"train.py": script("GRPO", {}, {**TOOLS, **USED}, before=LENGTH + TOOL + ANSWERING)},
    ),
    Report(
        "huggingface/trl#6002",
        "current",
        "hallway",
        "environment",
        {
            "train.py": script("GRPO", {}, ENTERED, before=LENGTH + ROOMS + ANSWERING),
            "rows.jsonl": PLACED,
            "model/chat_template.jinja": CALLS,
        },
        {"rows.jsonl": PLACED.replace("hallway", "room")},
    ),
    Report(
        "modelscope/ms-swift#4751",
        "grpo-first",
        "must be real number, not NoneType",
        "None|number",
        {
            "train.py": script("GRPO", {}, REWARD, before=NONE.format("None")),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=NONE.format("0.0"))},
        level="tiny",
    ),
    Report(
        "huggingface/trl#4009",
        "four",
        "cannot import name 'DataCollatorForLanguageModeling'",
        "DataCollatorForLanguageModeling",
        {
            "train.py": "from trl import DataCollatorForLanguageModeling\n" + script("SFT"),
            "rows.jsonl": CHATS,
        },
        {
            "train.py": "from trl.trainer.sft_trainer import DataCollatorForLanguageModeling\n"
            + script("SFT")
        },
    ),
    Report(
        "huggingface/trl#4746",
        "vision",
        "Multimodal training requires conversational prompts|string indices must be",
        "prompt",
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH + RENDERED, data=TEXTS)},
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH, data=PICTURES)},
        level="",
        sees="gemma3 grpo",
    ),
    Report(
        "huggingface/trl#3822",
        "vision-four",
        "has no attribute 'eos_token'|eos_token",
        "eos_token",
        {
            "train.py": script(
                "SFT", {"eos_token": "<eos>"}, PROCESSED, before=PROCESSOR, data=PICTURES
            )
        },
        {"train.py": script("SFT", {}, PROCESSED, before=PROCESSOR, data=PICTURES)},
        sees="gemma3 sft",
    ),
)
REPORTS = tuple(replace(report, group="fourth") for report in THREADS)

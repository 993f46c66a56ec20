"""Reports that were looked for after the rules on images, to measure once more."""

from dataclasses import replace

from reports.report import (
    CHAT_PROMPTS,
    LENGTH,
    PREFERENCES,
    PROMPTS,
    REWARD,
    TEXT,
    Report,
    rows,
    script,
)

PICTURES = "load_dataset('parquet', data_files='rows.parquet', split='train')"
ASKED = "Please read the question with care, and think about it before you answer. " * 4
CUT = rows(*({"prompt": f"{ASKED}What is {n}?", "completion": f" {n}."} for n in range(4)))
THINKS = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
PREFILLED = THINKS.replace("assistant\n{% endif", "assistant\n<think>\n{% endif")
FORMAT = "from trl.rewards import think_format_reward as score\n"
WELL_FORMED = (
    "import re\nfrom trl.rewards import think_format_reward\n"
    "said = [[{'role': 'assistant', 'content': 'So.\\n</think>\\nIt is 4.'}]]\n"
    "one = score(said)\nprint('a good answer gets', one)\n"
)
STRICT = (
    "import re\n"
    "def score(completions, **kwargs):\n"
    "    pattern = r'^<reasoning>.*?</reasoning>\\s*<answer>.*?</answer>${}'\n"
    "    texts = [one[0]['content'] for one in completions]\n"
    "    return [0.5 if re.match(pattern, text{}) else 0.0 for text in texts]\n"
)
GOOD = "'<reasoning>\\nSo.\\n</reasoning>\\n<answer>\\n4\\n</answer>'"
SHOWN = (
    f"print('a good answer gets', score([[{{'role': 'assistant', 'content': {GOOD}}}]]))\n"
    "trainer.train()\n"
)
HEAD = (
    "from transformers import AutoTokenizer\nfrom trl import AutoModelForCausalLMWithValueHead\n"
    "from transformers import AutoModelForCausalLM\n"
    "model = {}.from_pretrained('model')\n"
)
PROCESSOR = (
    "from transformers import AutoModelForImageTextToText, AutoProcessor\n"
    "processor = AutoProcessor.from_pretrained('model')\n"
    "model = AutoModelForImageTextToText.from_pretrained('model')\n"
)


def _pictured(**keywords: str) -> dict[str, str]:
    """SFT of rows with images, with these arguments besides the model."""
    trainer = {"model": "model", **keywords}
    return {"train.py": script("SFT", {}, trainer, before=PROCESSOR, data=PICTURES)}


THREADS = (
    Report(
        "huggingface/trl#6668",
        "four",
        "'loss': nan|'loss': 0.0",
        "max_length",
        {"train.py": script("SFT", {"max_length": 16, "logging_steps": 1}), "rows.jsonl": CUT},
        {"train.py": script("SFT", {"max_length": 1024, "logging_steps": 1})},
        level="tiny",
    ),
    Report(
        "huggingface/trl#6966",
        "current",
        r"a good answer gets \[0.0\]",
        "<think>",
        {
            "train.py": script("GRPO", {}, REWARD, before=FORMAT, after=WELL_FORMED),
            "rows.jsonl": CHAT_PROMPTS,
            "model/chat_template.jinja": PREFILLED,
        },
        {
            "train.py": script(
                "GRPO",
                {},
                REWARD,
                before="from trl.rewards import think_format_reward\n"
                "def score(completions, **kwargs):\n"
                "    return think_format_reward(\n"
                "        [[{'role': 'assistant', 'content': '<think>' + one[0]['content']}]\n"
                "         for one in completions])\n",
                after=WELL_FORMED,
            ),
        },
    ),
    Report(
        "huggingface/trl#3099",
        "grpo-first",
        "Unrecognized configuration class",
        "AutoModelForCausalLM",
        {"train.py": script("SFT"), "rows.jsonl": TEXT},
        {
            "train.py": script(
                "SFT",
                {},
                {"model": "model", "processing_class": "tokenizer"},
                before="from transformers import AutoModelForImageTextToText, AutoTokenizer\n"
                "tokenizer = AutoTokenizer.from_pretrained('model')\n"
                "model = AutoModelForImageTextToText.from_pretrained('model')\n",
            )
        },
        sees="llava",
    ),
    Report(
        "huggingface/huggingface-gemma-recipes#27",
        "vision",
        "appears to be vision-related",
        "processor|processing_class",
        _pictured(processing_class="processor.tokenizer"),
        _pictured(processing_class="processor"),
        sees="gemma3 sft",
    ),
    Report(
        "huggingface/trl#4289",
        "vision-four",
        "Image features and image tokens do not match|Mismatch in `image` token count",
        "max_length",
        {"train.py": script("SFT", {"max_length": 8}, data=PICTURES)},
        {"train.py": script("SFT", {"max_length": None}, data=PICTURES)},
        level="tiny",
        sees="llava sft",
    ),
    Report(
        "huggingface/trl#3257",
        "grpo-first",
        "has no attribute 'warnings_issued'|AttributeError",
        "ValueHead",
        {
            "train.py": script(
                "GRPO",
                {},
                {**REWARD, "model": "model"},
                before=LENGTH + HEAD.format("AutoModelForCausalLMWithValueHead"),
            ),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "GRPO",
                {},
                {**REWARD, "model": "model"},
                before=LENGTH + HEAD.format("AutoModelForCausalLM"),
            )
        },
    ),
    Report(
        "unslothai/unsloth#1761",
        "current",
        r"a good answer gets \[0.0\]",
        "several lines|same reward",
        {
            "train.py": script("GRPO", {}, REWARD, before=STRICT.format("", ""), after=SHOWN),
            "rows.jsonl": CHAT_PROMPTS,
        },
        {
            "train.py": script(
                "GRPO", {}, REWARD, before=STRICT.format("", ", re.DOTALL"), after=SHOWN
            )
        },
    ),
    Report(
        "huggingface/cookbook#305",
        "vision",
        "unexpected keyword argument 'tokenizer'",
        "tokenizer.*processing_class",
        _pictured(tokenizer="processor.tokenizer"),
        _pictured(processing_class="processor"),
        sees="llava sft",
    ),
    Report(
        "tulerfeng/Video-R1#100",
        "vision",
        "Unrecognized image processor|image_processor_type|Can't load",
        "preprocessor_config|processor_config|image_processor",
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH, data=PICTURES)},
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH, data=PICTURES)},
        model={"processor_config.json": {"image_processor": None}},
        sees="llava grpo",
    ),
    Report(
        "dongyh20/Insight-V#6",
        "current",
        "unexpected keyword argument 'dpo_alpha'",
        "dpo_alpha",
        {
            "train.py": script("DPO", {}, {"dpo_alpha": "1.0", "gamma": "0.0"}),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("DPO")},
    ),
    Report(
        "huggingface/trl#1411",
        "ppo-first",
        "cannot import name 'TrainingArguments'",
        "TrainingArguments",
        {"train.py": "from trl import TrainingArguments\n" + script("SFT"), "rows.jsonl": TEXT},
        {"train.py": "from transformers import TrainingArguments\n" + script("SFT")},
    ),
)
REPORTS = tuple(replace(report, group="later") for report in THREADS)

"""Reports of a sixth list: written down by their symptoms, rebuilt and counted before any rule."""

from collections.abc import Mapping
from dataclasses import replace

from reports.report import (
    CHATS,
    LENGTH,
    PREFERENCES,
    PROMPTS,
    REWARD,
    TEXT,
    Report,
    rows,
    said,
    script,
)

LOADED = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
)
USED = {"model": "model", "processing_class": "tokenizer"}
STREAM = "load_dataset('json', data_files='rows.jsonl', split='train', streaming=True)"
STEPS = {
    "max_steps": -1,
    "total_episodes": 4,
    "response_length": 8,
    "num_sample_generations": 0,
    "stop_token": "eos",
    "per_device_train_batch_size": 2,
}
ROLES = (
    LOADED + "from transformers import AutoModelForSequenceClassification\n"
    "scorer = AutoModelForSequenceClassification.from_pretrained('reward', num_labels=1)\n"
    "value = AutoModelForSequenceClassification.from_pretrained('reward', num_labels=1)\n"
    "reference = AutoModelForCausalLM.from_pretrained('model')\n"
)
TOKENS = (
    "load_dataset('json', data_files='rows.jsonl', split='train').map(\n"
    "    lambda row: {'input_ids': tokenizer(row['prompt'])['input_ids']},\n"
    "    remove_columns=['prompt'])"
)
FIRST = {"policy": "model", "ref_policy": "reference"}
LATER = {"model": "model", "ref_model": "reference"}
HEAD = "from trl import AutoModelForCausalLMWithValueHead\n"
VALUED = "value = AutoModelForCausalLMWithValueHead.from_pretrained('model')\n"
OWN = (
    "import torch\n"
    "class Scorer(torch.nn.Module):\n"
    "    def __init__(self):\n"
    "        super().__init__()\n"
    "        self.score = torch.nn.Linear(1, 1)\n"
    "    def forward(self, input_ids, **kwargs):\n"
    "        return self.score(input_ids.float().mean(-1, keepdim=True))\n"
    "scorer = Scorer()\n"
)
LONG = " ".join(f"word{n}" for n in range(80))
UNEVEN = rows(
    *({"prompt": f"What is {n}?", "chosen": f" {LONG} {n}.", "rejected": " No."} for n in range(4))
)
SUMS = (
    "batch = next(iter(trainer.get_train_dataloader()))\n"
    "print('tokens of answers:', (batch['rejected_labels'] != -100).sum(-1).tolist())\n"
    "trainer.train()\n"
)
ANSWERED = rows(
    *({"text": f"### Question: What is {n}?\n### Answer: the sea {n}."} for n in range(4))
)
COLLATOR = (
    "from trl import DataCollatorForCompletionOnlyLM\n"
    "collator = DataCollatorForCompletionOnlyLM({!r}, tokenizer=tokenizer)\n"
)
COUNTED = (
    "batch = next(iter(trainer.get_train_dataloader()))\n"
    "print('trained tokens:', (batch['labels'] != -100).sum().item())\ntrainer.train()\n"
)
TEACHER = (
    LOADED + "from transformers import AutoConfig\n"
    "config = AutoConfig.from_pretrained('model')\n"
    "config.vocab_size = {}\n"
    "teacher = AutoModelForCausalLM.from_config(config)\n"
)
JUDGE = (
    LOADED + "from transformers import AutoConfig, AutoModelForSequenceClassification\n"
    "from tokenizers import Tokenizer, models, pre_tokenizers\n"
    "from transformers import PreTrainedTokenizerFast\n"
    "config = AutoConfig.from_pretrained('reward')\n"
    "config.vocab_size = 40\nconfig.pad_token_id = 0\n"
    "scorer = AutoModelForSequenceClassification.from_config(config)\n"
    "words = {chr(97 + n): n for n in range(1, 26)}\n"
    "small = Tokenizer(models.WordLevel({'[PAD]': 0, **words}, '[PAD]'))\n"
    "small.pre_tokenizer = pre_tokenizers.Whitespace()\n"
    "small = PreTrainedTokenizerFast(tokenizer_object=small, pad_token='[PAD]')\n"
)
EXTRA = rows(
    *(
        {
            "messages": [said("user", f"What is {n}?")],
            "chosen": [said("user", f"What is {n}?"), said("assistant", f"{n}.")],
            "rejected": [said("user", f"What is {n}?"), said("assistant", "No.")],
        }
        for n in range(4)
    )
)


def _ppo(given: Mapping[str, str], before: str, *, first: bool = True) -> str:
    roles = {"reward_model": "scorer", "value_model": "value", **(FIRST if first else LATER)}
    named = {"model": "", "processing_class": "tokenizer", **roles, **given}
    text = script("PPO", STEPS, named, before=before, data=TOKENS)
    if first:
        return text.replace("args=args", "config=args")
    return text.replace("from trl import", "from trl.experimental.ppo import")


FOUND = (
    Report(
        "huggingface/trl#6548",
        "ppo-last",
        r"tokens of answers: \[0",
        "max_length",
        {
            "train.py": script(
                "CPO",
                {"max_length": 64, "loss_type": "simpo", "cpo_alpha": 0.0},
                USED,
                before=LOADED,
                after=SUMS,
                package="trl.experimental.cpo",
            ),
            "rows.jsonl": UNEVEN,
        },
        {
            "train.py": script(
                "CPO",
                {"max_length": 1024, "loss_type": "simpo", "cpo_alpha": 0.0},
                USED,
                before=LOADED,
                after=SUMS,
                package="trl.experimental.cpo",
            )
        },
    ),
    Report(
        "huggingface/trl#3768",
        "grpo-shapes",
        "NotImplementedError|IterableColumn",
        "streamed rows",
        {
            "train.py": script("SFT", {"assistant_only_loss": True}, data=STREAM),
            "rows.jsonl": CHATS,
        },
        {"train.py": script("SFT", data=STREAM)},
    ),
    Report(
        "huggingface/trl#3292",
        "ppo-first",
        "'NoneType' object has no attribute",
        "value_model",
        {"train.py": _ppo({"value_model": ""}, ROLES), "rows.jsonl": PROMPTS},
        {"train.py": _ppo({}, ROLES)},
    ),
    Report(
        "huggingface/trl#2718",
        "ppo-first",
        "no attribute 'base_model_prefix'",
        "ValueHead|SequenceClassification",
        {"train.py": _ppo({}, ROLES + HEAD + VALUED), "rows.jsonl": PROMPTS},
        {"train.py": _ppo({}, ROLES)},
    ),
    Report(
        "huggingface/trl#1977",
        "ppo-last",
        "no attribute 'base_model_prefix'",
        "SequenceClassification|Scorer",
        {"train.py": _ppo({}, ROLES + OWN, first=False), "rows.jsonl": PROMPTS},
        {"train.py": _ppo({}, ROLES, first=False)},
    ),
    Report(
        "huggingface/trl#2273",
        "ppo-first",
        "has no attribute 'modules'",
        "score|function",
        {"train.py": _ppo({"reward_model": "score"}, ROLES + LENGTH), "rows.jsonl": PROMPTS},
        {"train.py": _ppo({}, ROLES)},
    ),
    Report(
        "QwenLM/Qwen3-VL#858",
        "grpo-first",
        "has no attribute tokenizer",
        "processor",
        {
            "train.py": script(
                "DPO",
                {},
                USED,
                before=LOADED.replace("CausalLM", "ImageTextToText"),
            ),
            "rows.jsonl": PREFERENCES,
        },
        {
            "train.py": script(
                "DPO",
                {},
                USED,
                before=LOADED.replace("CausalLM", "ImageTextToText")
                + "model = model.language_model\n",
            ),
        },
        sees="llava",
    ),
    Report(
        "huggingface/trl#1337",
        "ppo-first",
        "enough samples to at least yield one packed sequence",
        "pack",
        {
            "train.py": script("SFT", {"packing": True, "max_seq_length": 1024}),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", {"packing": True, "max_seq_length": 16})},
        level="tiny",
    ),
    Report(
        "huggingface/trl#1820",
        "grpo-first",
        "trained tokens: 0",
        "response_template|template|target",
        {
            "train.py": script(
                "SFT",
                {},
                {**USED, "data_collator": "collator"},
                before=LOADED + COLLATOR.format("\n### Answer: "),
                after=COUNTED,
            ),
            "rows.jsonl": ANSWERED,
        },
        {
            "train.py": script(
                "SFT",
                {},
                {**USED, "data_collator": "collator"},
                before=LOADED + COLLATOR.format("### Answer:"),
                after=COUNTED,
            ),
        },
    ),
    Report(
        "huggingface/trl#2215",
        "four",
        "RuntimeError",
        "vocab",
        {
            "train.py": script(
                "GKD", {}, {**USED, "teacher_model": "teacher"}, before=TEACHER.format(384)
            ),
            "rows.jsonl": CHATS,
        },
        {
            "train.py": script(
                "GKD", {}, {**USED, "teacher_model": "teacher"}, before=TEACHER.format(320)
            ),
        },
        level="",
    ),
    Report(
        "huggingface/trl#6951",
        "ppo-last",
        "index out of range",
        "reward_processing_classes|vocab|embedding",
        {
            "train.py": script(
                "XPO",
                {"max_new_tokens": 4},
                {
                    **USED,
                    "ref_model": "None",
                    "reward_funcs": "scorer",
                    "reward_processing_classes": "small",
                },
                before=JUDGE,
                package="trl.experimental.xpo",
            ),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "XPO",
                {"max_new_tokens": 4},
                {**USED, "ref_model": "None", "reward_funcs": "scorer"},
                before=LOADED + "from transformers import AutoModelForSequenceClassification\n"
                "scorer = AutoModelForSequenceClassification.from_pretrained('reward')\n",
                package="trl.experimental.xpo",
            ),
        },
        level="",
    ),
    Report(
        "huggingface/trl#3566",
        "grpo-shapes",
        "eval batch size",
        "per_device_eval_batch_size|evaluation batch",
        {
            "train.py": script(
                "GRPO",
                {"per_device_eval_batch_size": 1, "eval_strategy": "steps"},
                {**REWARD, "eval_dataset": "rows"},
                before=LENGTH,
            ),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "GRPO",
                {"per_device_eval_batch_size": 2, "eval_strategy": "steps"},
                {**REWARD, "eval_dataset": "rows"},
                before=LENGTH,
            ),
        },
    ),
    Report(
        "instructlab/instructlab#2803",
        "grpo-first",
        "unexpected keyword argument 'max_seq_length'",
        "max_seq_length",
        {"train.py": script("SFT", {}, {"max_seq_length": "64"}), "rows.jsonl": TEXT},
        {"train.py": script("SFT", {"max_seq_length": 64})},
    ),
    Report(
        "huggingface/trl#3030",
        "grpo-first",
        "Error",
        "stream|padding_free",
        {
            "train.py": script(
                "SFT",
                {},
                {**USED, "data_collator": "collator"},
                before=LOADED
                + COLLATOR.format("### Answer:").replace(
                    "=tokenizer)", "=tokenizer, padding_free=True)"
                ),
                data=STREAM,
            ),
            "rows.jsonl": ANSWERED,
        },
        {
            "train.py": script(
                "SFT",
                {},
                {**USED, "data_collator": "collator"},
                before=LOADED + COLLATOR.format("### Answer:"),
            ),
        },
    ),
    Report(
        "axolotl-ai-cloud/axolotl#2415",
        "grpo-first",
        "Invalid keys in the example",
        "messages",
        {"train.py": script("DPO", {}, USED, before=LOADED), "rows.jsonl": EXTRA},
        {"rows.jsonl": EXTRA.replace('"messages"', '"asked"')},
        level="tiny",
    ),
)
REPORTS = tuple(replace(one, group="sixth") for one in FOUND)

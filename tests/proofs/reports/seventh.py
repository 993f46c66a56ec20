"""What the searches of the sixth list found too: most are of kinds that were told before."""

from dataclasses import replace

from reports.report import LENGTH, PREFERENCES, PROMPTS, REWARD, TEXT, Report, rows, script

LOADED = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
)
USED = {"model": "model", "processing_class": "tokenizer"}
OWN = (
    "from dataclasses import dataclass\nfrom trl import DPOConfig\n"
    "@dataclass\nclass OwnConfig(DPOConfig):\n    rescale: int = 1\n"
)
WHOLE = "load_dataset('json', data_files='rows.jsonl')"
COLLATOR = (
    "from trl import DataCollatorForCompletionOnlyLM\n"
    "collator = DataCollatorForCompletionOnlyLM('### Answer:', tokenizer=tokenizer)\n"
)
COLLATED = {**USED, "data_collator": "collator"}
COUNTED = (
    "batch = next(iter(trainer.get_train_dataloader()))\n"
    "print('trained tokens:', (batch['labels'] != -100).sum().item())\ntrainer.train()\n"
)
ASKED = rows(*({"text": f"### Question: What is {n}?\n### Answer:"} for n in range(4)))
PADDED = (
    "load_dataset('json', data_files='rows.jsonl', split='train').map(\n"
    "    lambda row: tokenizer(row['text'], padding='max_length', max_length=32),\n"
    "    remove_columns=['text'])"
)


def _groups(**arguments: int | None) -> str:
    return script("GRPO", arguments, REWARD, before=LENGTH)


THREADS = (
    Report(
        "SALT-NLP/demonstrated-feedback#2",
        "grpo-first",
        "Error: .*(unexpected keyword|no attribute)",
        "SFTConfig|OwnConfig",
        {
            "train.py": script("SFT", before=OWN).replace("= SFTConfig(", "= OwnConfig("),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT")},
    ),
    Report(
        "huggingface/trl#2858",
        "grpo-first",
        "must be evenly divisible",
        "num_generations",
        {
            "train.py": _groups(
                per_device_train_batch_size=1, gradient_accumulation_steps=8, num_generations=8
            ),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": _groups(per_device_train_batch_size=8, num_generations=8)},
    ),
    Report(
        "ayminovitch/fine-tune-codebase#2",
        "current",
        "does not have a padding token",
        "pad",
        {"train.py": script("SFT", {}, USED, before=LOADED, data=PADDED), "rows.jsonl": TEXT},
        {
            "train.py": script(
                "SFT",
                {},
                USED,
                before=LOADED + "tokenizer.pad_token = tokenizer.eos_token\n",
                data=PADDED,
            )
        },
        model={"tokenizer_config.json": {"pad_token": None}},
        level="",
    ),
    Report(
        "tulerfeng/Video-R1#14",
        "grpo-shapes",
        "unexpected keyword argument 'tokenizer'",
        "tokenizer",
        {
            "train.py": script(
                "SFT", {}, {"model": "model", "tokenizer": "tokenizer"}, before=LOADED
            ),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", {}, USED, before=LOADED)},
    ),
    Report(
        "unslothai/unsloth#252",
        "four",
        "Error",
        "split|DatasetDict",
        {"train.py": script("SFT", data=WHOLE), "rows.jsonl": TEXT},
        {"train.py": script("SFT")},
    ),
    Report(
        "huggingface/trl#2291",
        "ppo-first",
        "has no attribute 'model_init_kwargs'",
        "DPOConfig",
        {
            "train.py": script(
                "DPO", {}, USED, before=LOADED + "from transformers import TrainingArguments\n"
            ).replace("= DPOConfig(", "= TrainingArguments("),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("DPO", {}, USED, before=LOADED)},
    ),
    Report(
        "huggingface/trl#1267",
        "four",
        "automatically infer lengths",
        "group_by_length",
        {
            "train.py": script("DPO", {"group_by_length": True}, USED, before=LOADED),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("DPO", {}, USED, before=LOADED)},
    ),
    Report(
        "huggingface/trl#1225",
        "grpo-first",
        "trained tokens: 0",
        "answer|target|response_template",
        {
            "train.py": script("SFT", {}, COLLATED, before=LOADED + COLLATOR, after=COUNTED),
            "rows.jsonl": ASKED,
        },
        {"rows.jsonl": ASKED.replace("Answer:", "Answer: so it is.")},
    ),
)
REPORTS = tuple(replace(report, group="seventh") for report in THREADS)

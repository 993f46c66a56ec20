"""Reports of a sixth list: written down by their symptoms, rebuilt and counted before any rule."""

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
    script,
    turn,
)
from reports.sixth import roles

LOADED = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
)
USED = {"model": "model", "processing_class": "tokenizer"}
STREAM = "load_dataset('json', data_files='rows.jsonl', split='train', streaming=True)"
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
EXTRA = rows(
    *(
        {
            "messages": [turn("user", f"What is {n}?")],
            "chosen": [turn("user", f"What is {n}?"), turn("assistant", f"{n}.")],
            "rejected": [turn("user", f"What is {n}?"), turn("assistant", "No.")],
        }
        for n in range(4)
    )
)


THREADS = (
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
REPORTS = tuple(replace(report, group="sixth") for report in (*THREADS, *roles.REPORTS))

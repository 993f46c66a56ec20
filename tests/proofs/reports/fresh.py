"""Reports that were looked for after the rules had been written, to measure them."""

from dataclasses import replace

from reports.report import (
    LENGTH,
    PAIRS,
    PREFERENCES,
    PROMPTS,
    REWARD,
    TEXT,
    Report,
    rows,
    script,
)

LOADED = (
    "from transformers import AutoTokenizer\ntokenizer = AutoTokenizer.from_pretrained('model')\n"
)
PASSED = {"processing_class": "tokenizer"}
WHOLE = "load_dataset('json', data_files='rows.jsonl')"
LONG = rows(*({"prompt": "Count to five. " * 40, "completion": " Two."},) * 4)
SOURCES = rows(*({"text": asked, "source": "web"} for asked, _ in PAIRS))
SHARED = rows(
    *(
        {"dialog": [{"from": "human", "value": asked}, {"from": "gpt", "value": answer}]}
        for asked, answer in PAIRS
    )
)
PACKED = {"packing": True, "dataset_text_field": "text"}
THREADS = (
    Report(
        "Algorineko/AgenticArXiv-RL#22",
        "current",
        "num_samples=0",
        "max_length",
        {"train.py": script("SFT", {"max_length": 64}), "rows.jsonl": LONG},
        {"train.py": script("SFT", {"max_length": 1024})},
        level="tiny",
    ),
    Report(
        "Algorineko/AgenticArXiv-RL#60",
        "current",
        "unexpected keyword argument 'logging_dir'",
        "logging_dir",
        {"train.py": script("SFT", {"logging_dir": "logs"}), "rows.jsonl": TEXT},
        {"train.py": script("SFT")},
    ),
    Report(
        "huggingface/trl#2916",
        "grpo-first",
        "Unable to create tensor",
        "remove_unused_columns",
        {"train.py": script("SFT", {"remove_unused_columns": False}), "rows.jsonl": SOURCES},
        {"train.py": script("SFT")},
        level="",
    ),
    Report(
        "mohres/LLM-SLM-Fine-tuning#7",
        "ppo-first",
        "enough samples to at least yield one packed sequence",
        "packed sequence|packing",
        {
            "train.py": script("SFT", {**PACKED, "max_seq_length": 512}, PASSED, before=LOADED),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", {**PACKED, "max_seq_length": 8}, PASSED, before=LOADED)},
        level="tiny",
    ),
    Report(
        "huggingface/trl#2541",
        "current",
        "got `DatasetDict`",
        "DatasetDict|split",
        {"train.py": script("SFT", data=WHOLE), "rows.jsonl": TEXT},
        {"train.py": script("SFT")},
    ),
    Report(
        "huggingface/trl#6493",
        "four",
        "Please first select a split",
        "DatasetDict|split",
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH, data=WHOLE), "rows.jsonl": PROMPTS},
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
    ),
    Report(
        "Polygl0t/llm-foundry#60",
        "current",
        "unexpected keyword argument 'warmup_ratio'",
        "warmup_ratio",
        {"train.py": script("DPO", {"warmup_ratio": 0.1}), "rows.jsonl": PREFERENCES},
        {"train.py": script("DPO", {"warmup_steps": 0.1})},
    ),
    Report(
        "Polygl0t/llm-foundry#73",
        "current",
        "has no attribute 'get'",
        "get",
        {
            "train.py": script("SFT", {}, {"train_dataset": "rows.get('train', rows)"}),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT")},
        level="",
    ),
    Report(
        "huggingface/open-r1#205",
        "grpo-silent",
        "Error",
        "text|messages",
        {
            "train.py": script("SFT", {**PACKED, "max_seq_length": 8}, PASSED, before=LOADED),
            "rows.jsonl": SHARED,
        },
        {"rows.jsonl": TEXT},
    ),
)
REPORTS = tuple(replace(report, group="fresh") for report in THREADS)

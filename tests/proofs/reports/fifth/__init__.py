"""Reports of the other half of that list: rebuilt and counted before any rule was written."""

from dataclasses import replace

from reports.fifth import groups
from reports.report import (
    CHATS,
    COMPLETIONS,
    LABELLED,
    PREFERENCES,
    TEXT,
    Report,
    rows,
    script,
)

LOADED = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
)
USED = {"model": "model", "processing_class": "tokenizer"}
OWN = (
    "import dataclasses\nimport transformers\n"
    "@dataclasses.dataclass\n"
    "class TrainingArguments(transformers.TrainingArguments):\n"
    "    cache_dir: str = dataclasses.field(default='cache')\n"
)
STREAM = "load_dataset('json', data_files='rows.jsonl', {}streaming=True)"
LAST = (
    "ids = trainer.train_dataset[0]['input_ids']\n"
    "print('ends in', tokenizer.convert_ids_to_tokens(ids[-1:]))\ntrainer.train()\n"
)
LABELS = (
    "batch = next(iter(trainer.get_train_dataloader()))\n"
    "learnt = set(batch['labels'].flatten().tolist())\n"
    "print('the eos is', 'learnt' if tokenizer.eos_token_id in learnt else 'never learnt')\n"
    "trainer.train()\n"
)
ADDED = "for n in range(40):\n    tokenizer.add_tokens(f'<extra{n}>')\n"
MARKED = rows(*({"text": f"<extra39>What is {n}? It is {n}."} for n in range(4)))


def _made(config: str) -> str:
    return config.replace("SFTConfig(", "TrainingArguments(")


THREADS = (
    Report(
        "MakazhanAlpamys/Soup#709",
        "current",
        "unexpected keyword argument 'packing'",
        "packing",
        {"train.py": script("SFT", {}, {"packing": "True"}), "rows.jsonl": TEXT},
        {"train.py": script("SFT")},
    ),
    Report(
        "foundation-model-stack/fms-hf-tuning#198",
        "four",
        "unexpected keyword argument 'cache_dir'",
        "cache_dir",
        {"train.py": _made(script("SFT", before=OWN)), "rows.jsonl": TEXT},
        {"train.py": script("SFT")},
    ),
    Report(
        "lansinuote/Simple_LLM_DPO#1",
        "four",
        "'TrainingArguments' object has no attribute",
        "DPOConfig",
        {
            "train.py": script(
                "DPO",
                {},
                USED,
                before=LOADED + "from transformers import TrainingArguments\n",
            ).replace("DPOConfig(", "TrainingArguments("),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("DPO", {}, USED, before=LOADED)},
    ),
    Report(
        "huggingface/open-r1#603",
        "grpo-first",
        "never learnt",
        "pad_token|eos",
        {
            "train.py": script(
                "SFT",
                {},
                USED,
                before=LOADED + "tokenizer.pad_token = tokenizer.eos_token\n",
                after=LABELS,
            ),
            "rows.jsonl": CHATS,
        },
        {"train.py": script("SFT", {}, USED, before=LOADED, after=LABELS)},
    ),
    Report(
        "huggingface/trl#1620",
        "four",
        "Error",
        "set_format",
        {
            "train.py": script(
                "KTO",
                {},
                USED,
                before=LOADED,
                data="load_dataset('json', data_files='rows.jsonl', split='train')"
                "\nrows.set_format('torch')",
            ),
            "rows.jsonl": LABELLED,
        },
        {"train.py": script("KTO", {}, USED, before=LOADED)},
        level="",
    ),
    Report(
        "huggingface/trl#2138",
        "current",
        "Error",
        "split|IterableDatasetDict",
        {"train.py": script("SFT", data=STREAM.format("")), "rows.jsonl": TEXT},
        {"train.py": script("SFT", data=STREAM.format("split='train', "))},
    ),
    Report(
        "huggingface/trl#2996",
        "current",
        "IndexError",
        "embedding|resize_token_embeddings",
        {
            "train.py": script(
                "SFT",
                {},
                USED,
                before=LOADED + ADDED,
            ),
            "rows.jsonl": MARKED,
        },
        {
            "train.py": script(
                "SFT",
                {},
                USED,
                before=LOADED + ADDED + "model.resize_token_embeddings(len(tokenizer))\n",
            ),
        },
    ),
    Report(
        "huggingface/trl#3083",
        "grpo-first",
        "ends in (?!.*im_end|.*eos)",
        "eos|end",
        {
            "train.py": script("SFT", {}, USED, before=LOADED, after=LAST),
            "rows.jsonl": COMPLETIONS,
        },
        {
            "rows.jsonl": COMPLETIONS.replace('."}', '.<|im_end|>"}'),
        },
        level="",
    ),
    Report(
        "huggingface/trl#6168",
        "current",
        "unexpected keyword argument",
        "tokenizer|max_seq_length",
        {
            "train.py": script(
                "SFT",
                {"max_seq_length": 64},
                {"model": "model", "tokenizer": "tokenizer"},
                before=LOADED,
            ),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", {"max_length": 64}, USED, before=LOADED)},
    ),
    Report(
        "kaito-project/kaito#1015",
        "four",
        "chat_template is not set",
        "template",
        {"train.py": script("SFT"), "rows.jsonl": CHATS},
        {"train.py": script("SFT")},
        model={"tokenizer_config.json": {"chat_template": None}},
    ),
    Report(
        "simplescaling/s1#39",
        "grpo-first",
        "KeyError: 'text'",
        "text",
        {
            "train.py": script("SFT", {"dataset_text_field": "text"}),
            "rows.jsonl": rows(*({"question": f"What is {n}?", "attempt": "4"} for n in range(4))),
        },
        {"rows.jsonl": TEXT},
    ),
)
REPORTS = tuple(replace(report, group="fifth") for report in (*THREADS, *groups.REPORTS))

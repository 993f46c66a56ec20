"""Reports of SFTTrainer: rows, templates, masks, evaluation."""

from reports.report import CHATS, COMPLETIONS, PAIRS, TEXT, Report, rows, script, turn

EVALUATED = {"eval_dataset": "rows"}
LONG = rows(
    *(
        {"messages": [turn("user", "Count to five. " * 30), turn("assistant", "One, two.")]}
        for _ in range(4)
    )
)
GENERATION = (
    "{% for m in messages %}{% if m.role == 'assistant' %}<|im_start|>assistant\n"
    "{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}\n"
    "{% else %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TEMPLATED = (
    "from transformers import AutoTokenizer\ntokenizer = AutoTokenizer.from_pretrained('model')\n"
    f"tokenizer.chat_template = {GENERATION!r}\n"
)
PROCESSED = {"processing_class": "tokenizer"}
BEST = {"eval_strategy": "steps", "eval_steps": 1, "save_strategy": "best", "save_steps": 1}
LOADS_BEST = {**BEST, "save_strategy": "steps", "load_best_model_at_end": True}
ANSWERS = rows(*({"question": a, "answer": b} for a, b in PAIRS))
WRITTEN = 'def written(row):\n    return f\'{row.get("question")} {row.get("answer")}\'\n'
LISTED = 'def listed(row):\n    return [f\'{row["question"]} {row["answer"]}\']\n'
ALTERNATES = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/...') }}{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
)
STREAMED = "load_dataset('json', data_files='rows.jsonl', split='train', streaming=True)"

REPORTS = (
    Report(
        "ProfSynapse/Synaptic-Tuner#43",
        "grpo-shapes",
        "KeyError",
        "messages",
        {"train.py": script("SFT"), "rows.jsonl": CHATS.replace('"messages"', '"dialogue"')},
        {"rows.jsonl": CHATS},
    ),
    Report(
        "QwenLM/Qwen3#1522",
        "four",
        "has no assistant tokens",
        "generation",
        {"train.py": script("SFT", {"assistant_only_loss": True}), "rows.jsonl": CHATS},
        {"train.py": script("SFT", {"assistant_only_loss": True}, PROCESSED, before=TEMPLATED)},
    ),
    Report(
        "huggingface/trl#3927",
        "grpo-shapes",
        "'loss': nan|'loss': 0.0",
        "max_length",
        {
            "train.py": script(
                "SFT",
                {"assistant_only_loss": True, "max_length": 64, "logging_steps": 1},
                PROCESSED,
                before=TEMPLATED,
            ),
            "rows.jsonl": LONG,
        },
        {
            "train.py": script(
                "SFT",
                {"assistant_only_loss": True, "max_length": 512, "logging_steps": 1},
                PROCESSED,
                before=TEMPLATED,
            )
        },
        level="",
    ),
    Report(
        "modelscope/ms-swift#6701",
        "four",
        "metric_for_best_model.* is set to .*, which is not found",
        "metric_for_best_model",
        {
            "train.py": script(
                "SFT", {**LOADS_BEST, "metric_for_best_model": "accuracy"}, EVALUATED
            ),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", {**LOADS_BEST, "metric_for_best_model": "loss"}, EVALUATED)},
        level="tiny",
    ),
    Report(
        "huggingface/trl#2152",
        "current",
        "you didn't pass an `eval_dataset`",
        "eval_dataset",
        {"train.py": script("SFT", {"eval_strategy": "steps"}), "rows.jsonl": TEXT},
        {"train.py": script("SFT", {"eval_strategy": "steps", "eval_steps": 1}, EVALUATED)},
    ),
    Report(
        "huggingface/trl#6333",
        "current",
        "max_steps has to be specified",
        "max_steps",
        {"train.py": script("SFT", {"max_steps": None}, data=STREAMED), "rows.jsonl": TEXT},
        {"train.py": script("SFT", data=STREAMED)},
    ),
    Report(
        "unslothai/unsloth#334",
        "current",
        "Conversation roles must alternate",
        "alternate",
        {
            "train.py": script("SFT"),
            "rows.jsonl": CHATS + rows({"messages": [turn("user", "Why?"), turn("user", "Why?")]}),
            "model/chat_template.jinja": ALTERNATES,
        },
        {"rows.jsonl": CHATS},
    ),
    Report(
        "unslothai/unsloth#4486",
        "four",
        "formatting function was provided while `completion_only_loss=True`",
        "formatting_func",
        {
            "train.py": script(
                "SFT",
                {"completion_only_loss": True},
                {"formatting_func": "written"},
                before=WRITTEN,
            ),
            "rows.jsonl": COMPLETIONS,
        },
        {"train.py": script("SFT", {"completion_only_loss": True})},
    ),
    Report(
        "huggingface/trl#3141",
        "current",
        "Error",
        "formatting_func",
        {
            "train.py": script("SFT", {}, {"formatting_func": "listed"}, before=LISTED),
            "rows.jsonl": ANSWERS,
        },
        {"train.py": script("SFT", {}, {"formatting_func": "written"}, before=WRITTEN)},
        level="tiny",
    ),
)

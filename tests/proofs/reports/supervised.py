"""Reports of SFTTrainer: arguments, rows, masks, evaluation."""

from report import CHATS, COMPLETIONS, PAIRS, TEXT, Report, rows, said, script

EVALUATED = {"eval_dataset": "rows"}
LONG = rows(
    *(
        {"messages": [said("user", "Count to five. " * 30), said("assistant", "One, two.")]}
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
WRITTEN = "def written(row):\n    return f'{row.get(\"question\")} {row.get(\"answer\")}'\n"
LISTED = "def listed(row):\n    return [f'{row[\"question\"]} {row[\"answer\"]}']\n"
ADAPTED = (
    "from peft import LoraConfig, get_peft_model\nfrom transformers import AutoModelForCausalLM\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "model = get_peft_model(model, LoraConfig(task_type='CAUSAL_LM'))\n"
)
SEEN = (
    "import torch\nbatch = next(iter(trainer.get_train_dataloader()))\n"
    "other = {**batch, 'input_ids': batch['input_ids'].clone()}\n"
    "other['input_ids'][0, 0] = 5\n"
    "with torch.no_grad():\n"
    "    one, two = (trainer.model(**each).logits[-1, -1] for each in (batch, other))\n"
    "print('rows see each other' if (one != two).any() else 'rows are apart')\ntrainer.train()\n"
)
ALTERNATES = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/...') }}{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
)
STREAMED = "load_dataset('json', data_files='rows.jsonl', split='train', streaming=True)"

REPORTS = (
    Report(
        "unslothai/unsloth#10785",
        "four",
        "unexpected keyword argument 'max_seq_length'",
        "max_seq_length",
        {"train.py": script("SFT", {"max_seq_length": 64}), "rows.jsonl": TEXT},
        {"train.py": script("SFT", {"max_length": 64})},
    ),
    Report(
        "unslothai/unsloth#1264",
        "grpo-first",
        "unexpected keyword argument 'dataset_text_field'",
        "dataset_text_field",
        {"train.py": script("SFT", {}, {"dataset_text_field": "'text'"}), "rows.jsonl": TEXT},
        {"train.py": script("SFT", {"dataset_text_field": "text"})},
    ),
    Report(
        "arcee-ai/DistillKit#23",
        "grpo-first",
        "unexpected keyword argument 'max_seq_length'",
        "max_seq_length",
        {"train.py": script("SFT", {}, {"max_seq_length": "64"}), "rows.jsonl": TEXT},
        {"train.py": script("SFT", {"max_seq_length": 64})},
    ),
    Report(
        "huggingface/trl#3564",
        "grpo-shapes",
        "unexpected keyword argument 'tools'",
        "tools",
        {"train.py": script("SFT", {"tools": []}), "rows.jsonl": CHATS},
        {"train.py": script("SFT")},
    ),
    Report(
        "ProfSynapse/Synaptic-Tuner#43",
        "grpo-shapes",
        "KeyError",
        "dialogue",
        {"train.py": script("SFT"), "rows.jsonl": CHATS.replace('"messages"', '"dialogue"')},
        {"rows.jsonl": CHATS},
    ),
    Report(
        "QwenLM/Qwen3#1522",
        "four",
        "has no assistant tokens",
        "generation",
        {"train.py": script("SFT", {"assistant_only_loss": True}), "rows.jsonl": CHATS},
        {
            "train.py": script(
                "SFT", {"assistant_only_loss": True}, PROCESSED, before=TEMPLATED
            )
        },
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
        level="tiny",
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
            "rows.jsonl": CHATS
            + rows({"messages": [said("user", "Why?"), said("user", "Why?")]}),
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
                "SFT", {"completion_only_loss": True}, {"formatting_func": "written"}, before=WRITTEN
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
            "train.py": script(
                "SFT", {}, {"formatting_func": "listed"}, before=LISTED
            ),
            "rows.jsonl": ANSWERS,
        },
        {"train.py": script("SFT", {}, {"formatting_func": "written"}, before=WRITTEN)},
        level="tiny",
    ),
    Report(
        "unslothai/unsloth#2797",
        "current",
        "not found in the vocabulary",
        "eos_token",
        {"train.py": script("SFT", {"eos_token": "<EOS_TOKEN>"}), "rows.jsonl": TEXT},
        {"train.py": script("SFT", {"eos_token": "<|im_end|>"})},
    ),
    Report(
        "huggingface/trl#2834",
        "grpo-shapes",
        "rows see each other",
        "padding_free",
        {"train.py": script("SFT", {"padding_free": True}, after=SEEN), "rows.jsonl": TEXT},
        {"train.py": script("SFT", after=SEEN)},
    ),
    Report(
        "foundation-model-stack/fms-acceleration#169",
        "four",
        "cannot import name 'DataCollatorForCompletionOnlyLM'",
        "DataCollatorForCompletionOnlyLM",
        {
            "train.py": "from trl import DataCollatorForCompletionOnlyLM\n" + script("SFT"),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT")},
    ),
    Report(
        "huggingface/trl#4713",
        "current",
        "PeftModel.* instance together with a `peft_config`",
        "peft_config",
        {
            "train.py": script(
                "SFT", {}, {"model": "model", "peft_config": "LoraConfig()"}, before=ADAPTED
            ),
            "rows.jsonl": TEXT,
        },
        {"train.py": script("SFT", {}, {"model": "model"}, before=ADAPTED)},
    ),
)

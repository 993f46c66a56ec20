"""Reports of SFTTrainer: arguments, imports, adapters."""

from reports.report import CHATS, TEXT, Report, script

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
    "print('attend to each other' if (one != two).any() else 'rows are apart')\ntrainer.train()\n"
)
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
        "attend to each other",
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

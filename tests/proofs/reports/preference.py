"""Reports of DPOTrainer, KTOTrainer and RewardTrainer."""

from reports.report import CHOICES, COMPLETIONS, LABELLED, PREFERENCES, Report, rows, script

LOADED = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
)
SCORER = (
    "from transformers import AutoModelForSequenceClassification, AutoTokenizer\n"
    "model = AutoModelForSequenceClassification.from_pretrained('model'{})\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
    "model.config.pad_token_id = tokenizer.pad_token_id\n"
)
SCORING = {"model": "model", "processing_class": "tokenizer"}
OTHERS = PREFERENCES.replace('"prompt"', '"query"').replace('"chosen"', '"response"')
LONG = rows(*({"prompt": "Count to five. " * 30, "chosen": " One, two.", "rejected": " No."},) * 4)
UNEVEN = rows(*({"prompt": "Count.", "chosen": " One, two, three. " * 9, "rejected": " No."},) * 4)
LOGGED = {"logging_steps": 1}

REPORTS = (
    Report(
        "Algorineko/AgenticArXiv-RL#11",
        "current",
        "unexpected keyword argument 'tokenizer'",
        "tokenizer.*processing_class",
        {
            "train.py": script(
                "DPO", {}, {"model": "model", "tokenizer": "tokenizer"}, before=LOADED
            ),
            "rows.jsonl": PREFERENCES,
        },
        {
            "train.py": script(
                "DPO", {}, {"model": "model", "processing_class": "tokenizer"}, before=LOADED
            )
        },
    ),
    Report(
        "huggingface/trl#2853",
        "grpo-first",
        "unexpected keyword argument 'max_prompt_length'",
        "max_prompt_length",
        {
            "train.py": script("DPO", {}, {**SCORING, "max_prompt_length": "64"}, before=LOADED),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("DPO", {"max_prompt_length": 64}, SCORING, before=LOADED)},
    ),
    Report(
        "huggingface/trl#2226",
        "four",
        "'dict' object has no attribute 'map'",
        "dict",
        {
            "train.py": script(
                "DPO", data="{'prompt': ['Why?'], 'chosen': [' So.'], 'rejected': [' No.']}"
            )
        },
        {"train.py": script("DPO"), "rows.jsonl": PREFERENCES},
    ),
    Report(
        "modelscope/ms-swift#1922",
        "four",
        "Column to remove .'chosen'",
        "chosen",
        {"train.py": script("DPO"), "rows.jsonl": OTHERS},
        {"rows.jsonl": PREFERENCES},
    ),
    Report(
        "rui-ye/OpenFedLLM#39",
        "ppo-first",
        "KeyError",
        r"it needs chosen \+ rejected",
        {
            "train.py": script("DPO", {}, SCORING, before=LOADED),
            "rows.jsonl": PREFERENCES.replace('"prompt"', '"instruction"').replace(
                '"rejected"', '"reject"'
            ),
        },
        {"rows.jsonl": PREFERENCES},
    ),
    Report(
        "huggingface/trl#3382",
        "grpo-first",
        "'logits/rejected': nan",
        "max_length",
        {
            "train.py": script(
                "DPO",
                {**LOGGED, "truncation_mode": "keep_end", "max_length": 8},
                SCORING,
                before=LOADED,
            ),
            "rows.jsonl": UNEVEN,
        },
        {"train.py": script("DPO", {**LOGGED, "max_length": 800}, SCORING, before=LOADED)},
        level="tiny",
    ),
    Report(
        "huggingface/trl#5826",
        "current",
        "num_samples=0",
        "max_length",
        {
            "train.py": script("DPO", {**LOGGED, "max_length": 64, "loss_type": ["sft"]}),
            "rows.jsonl": LONG,
        },
        {"train.py": script("DPO", {**LOGGED, "max_length": 800, "loss_type": ["sft"]})},
        level="tiny",
    ),
    Report(
        "huggingface/trl#5534",
        "current",
        "cannot be the same object",
        "ref_model",
        {
            "train.py": script("DPO", {}, {"model": "model", "ref_model": "model"}, before=LOADED),
            "rows.jsonl": PREFERENCES,
        },
        {"train.py": script("DPO", {}, {"model": "model"}, before=LOADED)},
    ),
    Report(
        "huggingface/trl#5087",
        "current",
        "num_labels",
        "num_labels|scores",
        {
            "train.py": script("Reward", {}, SCORING, before=SCORER.format("")),
            "rows.jsonl": CHOICES,
        },
        {"train.py": script("Reward", {}, SCORING, before=SCORER.format(", num_labels=1"))},
    ),
    Report(
        "huggingface/trl#2164",
        "ppo-first",
        "KeyError|Error",
        "chosen",
        {
            "train.py": script("Reward", {}, SCORING, before=SCORER.format(", num_labels=1")),
            "rows.jsonl": COMPLETIONS,
        },
        {"rows.jsonl": CHOICES},
    ),
    Report(
        "huggingface/trl#2238",
        "grpo-shapes",
        "Error",
        "label",
        {
            "train.py": script("KTO", {}, SCORING, before=LOADED),
            "rows.jsonl": LABELLED.replace('"label"', '"liked"'),
        },
        {"rows.jsonl": LABELLED},
    ),
    Report(
        "hiyouga/LlamaFactory#3847",
        "grpo-shapes",
        "batch size must be > 1",
        "batch",
        {
            "train.py": script("KTO", {"per_device_train_batch_size": 1}, SCORING, before=LOADED),
            "rows.jsonl": LABELLED,
        },
        {"train.py": script("KTO", {}, SCORING, before=LOADED)},
    ),
    Report(
        "modelscope/ms-swift#2941",
        "four",
        "does not require grad",
        "label",
        {
            "train.py": script("KTO", {}, SCORING, before=LOADED),
            "rows.jsonl": LABELLED.replace("true", "1").replace("false", "0"),
        },
        {"rows.jsonl": LABELLED},
    ),
)

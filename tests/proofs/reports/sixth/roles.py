"""Reports of the sixth list with more models than one: of PPO, a teacher, a judge."""

from collections.abc import Mapping

from reports.report import CHATS, LENGTH, PROMPTS, Report, script

LOADED = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "tokenizer = AutoTokenizer.from_pretrained('model', padding_side='left')\n"
)
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
USED = {"model": "model", "processing_class": "tokenizer"}
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


def _ppo(given: Mapping[str, str], before: str, *, first: bool = True) -> str:
    roles = {"reward_model": "scorer", "value_model": "value", **(FIRST if first else LATER)}
    named = {"model": "", "processing_class": "tokenizer", **roles, **given}
    text = script("PPO", STEPS, named, before=before, data=TOKENS)
    if first:
        return text.replace("args=args", "config=args")
    return text.replace("from trl import", "from trl.experimental.ppo import")


REPORTS = (
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
)

"""Reports of the other half of that list, of GRPO and RLOO."""

from reports.report import (
    CHAT_PROMPTS,
    LENGTH,
    PROMPTS,
    REWARD,
    Report,
    script,
)

LOADED = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "model = AutoModelForCausalLM.from_pretrained('model')\n"
    "tokenizer = AutoTokenizer.from_pretrained('model')\n"
)
USED = {"model": "model", "processing_class": "tokenizer"}
TWO = (
    LENGTH
    + "def other(completions, **kwargs):\n    return [1.0 + len(str(one)) for one in completions]\n"
)
ONE = "def score(completions, **kwargs):\n    return [float(len(completions[0]))]\n"
STRINGS = (
    "import re\n"
    "def score(completions, **kwargs):\n"
    "    return [1.0 if re.search('[0-9]', one) else 0.0 for one in completions]\n"
)
CONTENTS = STRINGS.replace("'[0-9]', one)", "'[0-9]', one[0]['content'])")
SAVED = (
    "from transformers import AutoModelForCausalLM, TrainerCallback, TrainerState\n"
    "AutoModelForCausalLM.from_pretrained('model').save_pretrained('out/checkpoint-1')\n"
    "TrainerState(global_step=1, max_steps=2, train_batch_size=2).save_to_json(\n"
    "    'out/checkpoint-1/trainer_state.json')\n"
    "class Says(TrainerCallback):\n"
    "    def on_train_begin(self, args, state, control, **kwargs):\n"
    "        print('starts at step', state.global_step)\n"
)
SAYS = "trainer.add_callback(Says())\ntrainer.train({})\n"
RESUMES = {"resume_from_checkpoint": True, "max_steps": 2}
EVALUATED = {"eval_strategy": "steps", "eval_steps": 1, "per_device_eval_batch_size": 2}
POLICIES = (
    "from transformers import AutoModelForCausalLM, AutoTokenizer\n"
    "from transformers import AutoModelForSequenceClassification\n"
    "tokenizer = AutoTokenizer.from_pretrained('model', padding_side='left')\n"
    "policy = AutoModelForCausalLM.from_pretrained('model')\n"
    "reference = AutoModelForCausalLM.from_pretrained('model')\n"
    "reward = AutoModelForSequenceClassification.from_pretrained('reward', num_labels=1)\n"
)
RLOO = {
    "model": "",
    "args": "",
    "config": "args",
    "processing_class": "tokenizer",
    "policy": "policy",
    "ref_policy": "reference",
    "reward_model": "reward",
}
SMALL = {
    "num_generations": None,
    "max_completion_length": None,
    "rloo_k": 2,
    "response_length": 8,
    "total_episodes": 4,
    "num_sample_generations": 0,
    "stop_token": "eos",
    "max_steps": -1,
}
TOKENS = (
    "load_dataset('json', data_files='rows.jsonl', split='train').map(\n"
    "    lambda row: {'input_ids': tokenizer(row['prompt'])['input_ids']},\n"
    "    remove_columns=['prompt'])"
)


REPORTS = (
    Report(
        "huggingface/open-r1#216",
        "grpo-silent",
        "'list' object has no attribute 'get'",
        "eval",
        {
            "train.py": script(
                "GRPO",
                EVALUATED,
                {**REWARD, "eval_dataset": "rows"},
                before=LENGTH,
            ),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=LENGTH)},
        level="",
    ),
    Report(
        "huggingface/trl#3179",
        "grpo-first",
        "starts at step 0",
        "resume_from_checkpoint",
        {
            "train.py": script(
                "GRPO", RESUMES, REWARD, before=LENGTH + SAVED, after=SAYS.format("")
            ),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "GRPO",
                {"max_steps": 2},
                REWARD,
                before=LENGTH + SAVED,
                after=SAYS.format("'out/checkpoint-1'"),
            )
        },
    ),
    Report(
        "huggingface/trl#2434",
        "ppo-first",
        "input_ids",
        "input_ids",
        {"train.py": script("RLOO", SMALL, RLOO, before=POLICIES), "rows.jsonl": PROMPTS},
        {"train.py": script("RLOO", SMALL, RLOO, before=POLICIES, data=TOKENS)},
    ),
    Report(
        "huggingface/trl#2839",
        "grpo-first",
        "'rewards/other': 0.0",
        "reward_processing_classes",
        {
            "train.py": script(
                "GRPO",
                {"logging_steps": 1},
                {
                    **USED,
                    "reward_funcs": "[score, other]",
                    "reward_processing_classes": "tokenizer",
                },
                before=TWO + LOADED,
            ),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "GRPO",
                {"logging_steps": 1},
                {**USED, "reward_funcs": "[score, other]"},
                before=TWO + LOADED,
            ),
        },
    ),
    Report(
        "huggingface/trl#4202",
        "current",
        "expected string or bytes-like object",
        "messages|content",
        {
            "train.py": script("GRPO", {}, REWARD, before=STRINGS),
            "rows.jsonl": CHAT_PROMPTS,
        },
        {"train.py": script("GRPO", {}, REWARD, before=CONTENTS)},
    ),
    Report(
        "huggingface/trl#6533",
        "four",
        r"'reward_std': 0.0",
        "one reward|returns|rewards",
        {
            "train.py": script(
                "GRPO",
                {"logging_steps": 1},
                REWARD,
                before=ONE,
            ),
            "rows.jsonl": PROMPTS,
        },
        {
            "train.py": script(
                "GRPO",
                {"logging_steps": 1},
                REWARD,
                before="def score(completions, **kwargs):\n"
                "    return [float(n) for n, one in enumerate(completions)]\n",
            ),
        },
    ),
)

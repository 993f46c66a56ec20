"""Reports of the threads of odd number with more models than one: of PPO, RLOO, a judge."""

from collections.abc import Mapping

from reports.report import PROMPTS, Report, script
from reports.sixth.roles import FIRST, LOADED, ROLES, STEPS, TOKENS, USED

OLD = (
    LOADED
    + """\
from trl import AutoModelForCausalLMWithValueHead, PPOConfig, PPOTrainer
model = AutoModelForCausalLMWithValueHead.from_pretrained('model')
reference = AutoModelForCausalLMWithValueHead.from_pretrained('model')
config = PPOConfig(mini_batch_size=1, batch_size=1, output_dir='out')
trainer = PPOTrainer(config, model, reference, tokenizer)
"""
)
JUDGED = (
    LOADED + "from transformers import AutoModelForSequenceClassification\n"
    "scorer = AutoModelForSequenceClassification.from_pretrained('reward', num_labels=1)\n"
    "judge = AutoTokenizer.from_pretrained('reward')\n"
)
UNPADDED = """\
{"chat_template": null, "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": "<|im_end|>",
"model_input_names": ["input_ids", "attention_mask"], "model_max_length": 2048}
"""
EVALUATED = {"eval_dataset": "rows"}


def roles(
    given: Mapping[str, str] | None = None, before: str = ROLES, after: str = "trainer.train()\n"
) -> str:
    """A script of PPO in trl 0.12."""
    named = {**FIRST, "reward_model": "scorer", "value_model": "value", **(given or {})}
    text = script(
        "PPO",
        STEPS,
        {"model": "", "processing_class": "tokenizer", "eval_dataset": "rows", **named},
        before=before,
        after=after,
        data=TOKENS,
    )
    return text.replace("args=args", "config=args")


def leave_one_out(given: Mapping[str, str]) -> str:
    """A script of RLOO in trl 0.15."""
    named = {**FIRST, "reward_model": "scorer", "processing_class": "tokenizer", **given}
    text = script(
        "RLOO",
        {
            **STEPS,
            "num_sample_generations": None,
            "rloo_k": 2,
            "num_generations": None,
            "max_completion_length": None,
        },
        {"model": "", **named},
        before=ROLES,
        data=TOKENS,
    )
    return text.replace("args=args", "config=args")


REPORTS = (
    Report(
        "huggingface/trl#2613",
        "grpo-first",
        "missing 2 required positional arguments",
        "reward_model|value_model|train_dataset",
        {"train.py": OLD, "rows.jsonl": PROMPTS},
        {
            "train.py": roles(before=ROLES)
            .replace("config=args", "args=args")
            .replace("policy=model", "model=model")
            .replace("ref_policy", "ref_model")
        },
    ),
    Report(
        "huggingface/trl#2641",
        "ppo-first",
        "index out of range",
        "vocab|embedding|sft",
        {
            "train.py": roles(
                before=ROLES.replace(
                    "model = AutoModelForCausalLM.from_pretrained('model')",
                    "model = AutoModelForCausalLM.from_pretrained('sft')",
                ).replace(
                    "reference = AutoModelForCausalLM.from_pretrained('model')",
                    "reference = AutoModelForCausalLM.from_pretrained('sft')",
                )
            ),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": roles()},
        small={"sft": "healthy"},
    ),
    Report(
        "huggingface/trl#3595",
        "ppo-first",
        "index out of range",
        "vocab|embedding|tokenizer.*reward|reward.*tokenizer",
        {"train.py": roles(before=ROLES.replace("'reward'", "'scorer'")), "rows.jsonl": PROMPTS},
        {"train.py": roles()},
        small={"scorer": "reward"},
    ),
    Report(
        "huggingface/trl#3825",
        "grpo-first",
        "NoneType",
        "eval_dataset|eval_strategy|evaluation",
        {"train.py": leave_one_out({}), "rows.jsonl": PROMPTS},
        {"train.py": leave_one_out(EVALUATED)},
    ),
    Report(
        "huggingface/trl#2353",
        "ppo-first",
        "'NoneType' object has no attribute",
        "ref_policy|ref_model",
        {"train.py": roles({"ref_policy": "None"}), "rows.jsonl": PROMPTS},
        {"train.py": roles()},
    ),
    Report(
        "huggingface/trl#2835",
        "grpo-first",
        "padding token",
        "reward_processing_class|judge|reward.*pad|pad.*reward",
        {
            "train.py": script(
                "OnlineDPO",
                {"max_new_tokens": 8},
                {**USED, "reward_model": "scorer", "reward_processing_class": "judge"},
                before=JUDGED,
            ),
            "rows.jsonl": PROMPTS,
            "reward/tokenizer_config.json": UNPADDED,
        },
        {
            "train.py": script(
                "OnlineDPO",
                {"max_new_tokens": 8},
                {**USED, "reward_model": "scorer", "reward_processing_class": "judge"},
                before=JUDGED + "judge.pad_token = judge.eos_token\n",
            ),
        },
        level="",
    ),
    Report(
        "huggingface/trl#2657",
        "ppo-first",
        "unexpected keyword argument 'resume_from_checkpoint'",
        "resume_from_checkpoint",
        {
            "train.py": roles(after="trainer.train(resume_from_checkpoint='out/checkpoint-2')\n"),
            "rows.jsonl": PROMPTS,
        },
        {"train.py": roles()},
    ),
)

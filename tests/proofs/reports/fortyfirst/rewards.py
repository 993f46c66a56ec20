"""Threads of a forty-first list: models and environments that give rewards."""

from reports.report import CHAT_PROMPTS, PROMPTS, Report, changed

CALLS = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{% for call in m.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
QUIZ = '''\
"""GRPO with an environment: an answer that is submitted is worth 1 or -1."""

from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_template

tokenizer = AutoTokenizer.from_pretrained("model")
tokenizer.response_template = qwen3_template


class Quiz:
    """Knows the answer, and what the last one was worth."""

    def reset(self, **kwargs):
        self.reward = 0.0

    def submit(self, answer: int) -> str:
        """Submits an answer.

        Args:
            answer: the answer

        Returns:
            whether it is right
        """
        self.reward = 1.0 if answer == 42 else -1.0
        return "right" if answer == 42 else "wrong"


def outcome(environments, **kwargs):
    return [environment.reward for environment in environments]


def brief(completions, **kwargs):
    return [-len(str(one)) / 1000 for one in completions]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=[outcome, brief],
    args=GRPOConfig(
        output_dir="quiz",
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        learning_rate=1e-6,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="quiz.jsonl", split="train"),
    processing_class=tokenizer,
    environment_factory=Quiz,
)
trainer.train()
untouched = Quiz()
untouched.reset()
print("nothing was submitted, but it is scored:", outcome([untouched]) != [None])
'''
PPO = '''\
"""PPO with a reward model."""

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from trl import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
dataset = load_dataset("json", data_files="prompts.jsonl", split="train")
dataset = dataset.map(lambda row: tokenizer(row["prompt"]), remove_columns=["prompt"])
reward_model = AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)
ppo_trainer = PPOTrainer(
    config=PPOConfig(
        output_dir="ppo",
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_mini_batches=1,
        num_ppo_epochs=1,
        total_episodes=2,
        response_length=4,
        num_sample_generations=0,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    processing_class=tokenizer,
    policy=AutoModelForCausalLM.from_pretrained("model"),
    ref_policy=AutoModelForCausalLM.from_pretrained("model"),
    reward_model=reward_model,
    train_dataset=dataset,
)
ppo_trainer.train()
'''
LOADED = 'AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1)\n'
REPORTS = (
    Report(
        "huggingface/trl#6427",
        "current",
        "nothing was submitted, but it is scored: True",
        r"untouched|\bidle|never calls?|no tool|without a (tool )?call|does nothing|default",
        {
            "train.py": QUIZ,
            "quiz.jsonl": CHAT_PROMPTS,
            "model/chat_template.jinja": CALLS,
        },
        changed(QUIZ, ("        self.reward = 0.0\n", "        self.reward = None\n")),
    ),
    Report(
        "blog.gitcode.com/793f90cfc323c5f729a08c3a7856d216",
        "ppo-first",
        "'NoneType' object has no attribute 'modules'",
        r"value_model",
        {"train.py": PPO, "prompts.jsonl": PROMPTS},
        changed(
            PPO,
            (LOADED, f"{LOADED}value_model = {LOADED}"),
            ("    reward_model=reward_model,\n",
             "    reward_model=reward_model,\n    value_model=value_model,\n"),
        ),
    ),
)  # fmt: skip

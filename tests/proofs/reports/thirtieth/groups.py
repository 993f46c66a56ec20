"""Threads of a thirtieth list: how groups of answers are sampled, clipped and kept."""

from reports.report import CHAT_PROMPTS, PROMPTS, Report, changed

CACHED = """\
import torch
from datasets import load_dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer


def unique_letters(completions, **kwargs):
    return [float(len(set(completion))) for completion in completions]


trainer = GRPOTrainer(
    model="model",
    reward_funcs=unique_letters,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    args=GRPOConfig(
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=16,
        gradient_checkpointing=True,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()

tokenizer = AutoTokenizer.from_pretrained("model")
asked = tokenizer("Count to five.", return_tensors="pt")
how = {"max_new_tokens": 8, "return_dict_in_generate": True, "output_logits": True}
trainer.model.train()
during = trainer.model.generate(**asked, do_sample=False, **how)
trainer.model.eval()
after = trainer.model.generate(**asked, do_sample=False, **how)
same = torch.allclose(torch.cat(during.logits), torch.cat(after.logits), atol=1e-3)
print("it speaks in training as it does afterwards:", same)
"""
BEST = """\
from datasets import load_dataset
from transformers import set_seed
from trl import GRPOConfig, GRPOTrainer

set_seed(7)


def more_letters(completions, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [1.0 + sum(letter.isalpha() for letter in text) / 10 for text in texts]


prompts = load_dataset("json", data_files="prompts.jsonl", split="train")
trainer = GRPOTrainer(
    model="model",
    reward_funcs=more_letters,
    train_dataset=prompts,
    eval_dataset=prompts.select(range(2)),
    args=GRPOConfig(
        output_dir="out",
        max_steps=2,
        per_device_train_batch_size=2,
        per_device_eval_batch_size=2,
        num_generations=2,
        max_completion_length=12,
        eval_strategy="steps",
        eval_steps=1,
        save_strategy="steps",
        save_steps=1,
        save_only_model=True,
        load_best_model_at_end=True,
        report_to="none",
        use_cpu=True,
        bf16=False,
    ),
)
trainer.train()
trainer.save_model("best")
history = trainer.state.log_history
seen = [entry["eval_reward"] for entry in history if "eval_reward" in entry]
print("the model in 'best' has the best reward:", trainer.state.best_metric == max(seen))
"""
CLIPPED = """\
from datasets import load_dataset
from transformers import set_seed
from trl import GRPOConfig, GRPOTrainer

set_seed(42)


def code_reward_func(completions, **kwargs):
    texts = [completion[0]["content"] for completion in completions]
    return [len(set(text)) / max(len(text), 1) for text in texts]


training_args = GRPOConfig(
    output_dir="out",
    learning_rate=1e-2,
    lr_scheduler_type="constant",
    max_steps=4,
    per_device_train_batch_size=4,
    num_generations=4,
    max_completion_length=16,
    epsilon=0.2,
    epsilon_high=0.8,
    logging_steps=1,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
    bf16=False,
)
trainer = GRPOTrainer(
    model="model",
    reward_funcs=code_reward_func,
    args=training_args,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
)
trainer.train()
share = [entry.get("clip_ratio/region_mean", 0.0) for entry in trainer.state.log_history]
print("a token was ever held back:", max(share) > 0)
"""
SAMPLER = """\
from datasets import load_dataset
from torch.utils.data import SequentialSampler
from trl import GRPOConfig, GRPOTrainer


class ReReTrainer(GRPOTrainer):
    # the items of a user are seen in the order in which they were bought

    def _get_train_sampler(self):
        return SequentialSampler(self.train_dataset)


def rule_reward(completions, **kwargs):
    return [float(completion.strip() != "") - len(completion) / 100 for completion in completions]


trainer = ReReTrainer(
    model="model",
    reward_funcs=rule_reward,
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    args=GRPOConfig(
        output_dir="out",
        max_steps=1,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
)
trainer.train()
"""
REPORTS = (
    Report(
        "huggingface/trl#3683",
        "grpo-silent",
        "it speaks in training as it does afterwards: False",
        r"gradient.checkpointing|cache|past_key_value",
        {"train.py": CACHED, "prompts.jsonl": PROMPTS},
        changed(CACHED, ("        gradient_checkpointing=True,\n", "")),
    ),
    Report(
        "modelscope/ms-swift#8030",
        "current",
        "has the best reward: False",
        r"metric_for_best_model|best (model|checkpoint)|load_best|eval_loss|eval_reward"
        r"|greater_is_better",
        {"train.py": BEST, "prompts.jsonl": CHAT_PROMPTS},
        changed(
            BEST,
            (
                "load_best_model_at_end=True,\n",
                'load_best_model_at_end=True,\n        metric_for_best_model="eval_reward",\n',
            ),
        ),
    ),
    Report(
        "Chi-Shan0707/TinyLoRA-GRPO-Coder#4",
        "four",
        "a token was ever held back: False",
        r"num_iterations|epsilon|clip|on.policy|ratio.{0,60}(\b1\b|one)",
        {"train.py": CLIPPED, "prompts.jsonl": CHAT_PROMPTS},
        changed(CLIPPED, ("    epsilon=0.2,\n", "    num_iterations=4,\n    epsilon=0.2,\n")),
    ),
    Report(
        "AkaliKong/MiniOneRec#15",
        "grpo-silent",
        "takes 1 positional argument but 2 were given",
        r"_get_train_sampler|sampler|positional argument|signature|overrid",
        {"train.py": SAMPLER, "prompts.jsonl": PROMPTS},
        changed(
            SAMPLER,
            ("def _get_train_sampler(self):", "def _get_train_sampler(self, dataset=None):"),
        ),
    ),
)

"""Threads that searches drawn by a seed found: classes of projects around TRL's trainers."""

from reports.report import CHATS, CHOICES, PREFERENCES, PROMPTS, Report, changed

WRAPPER = """\
from dataclasses import dataclass, field

from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer


@dataclass
class TrainingConfig:
    model_name: str = "model"
    output_dir: str = "agent-sft"
    learning_rate: float = 1e-4
    max_steps: int = 2
    use_lora: bool = True
    lora_r: int = 8
    lora_alpha: int = 16
    lora_target_modules: list = field(default_factory=lambda: ["q_proj", "v_proj"])


class SFTTrainerWrapper:
    \"\"\"Loads the model of an agent and trains it on its conversations.\"\"\"

    def __init__(self, config, dataset):
        self.config, self.dataset = config, dataset
        self.model = self.tokenizer = self.trainer = None

    def setup_model(self):
        self.tokenizer = AutoTokenizer.from_pretrained(self.config.model_name)
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.model = AutoModelForCausalLM.from_pretrained(self.config.model_name)

    def train(self):
        self.setup_model()
        self.trainer = SFTTrainer(
            model=self.model,
            args=SFTConfig(
                output_dir=self.config.output_dir,
                learning_rate=self.config.learning_rate,
                max_steps=self.config.max_steps,
                per_device_train_batch_size=2,
                report_to="none",
                save_strategy="no",
                use_cpu=True,
                bf16=False,
            ),
            train_dataset=self.dataset,
            processing_class=self.tokenizer,
        )
        self.trainer.train()
        weights = list(self.trainer.model.parameters())
        trained = sum(one.numel() for one in weights if one.requires_grad)
        print(f"trained: {trained / sum(one.numel() for one in weights):.0%} of the weights")


if __name__ == "__main__":
    config = TrainingConfig(use_lora=True, lora_r=4)
    rows = load_dataset("json", data_files="dialogues.jsonl", split="train")
    SFTTrainerWrapper(config, rows).train()
"""
ADAPTED = """\
        self.model = AutoModelForCausalLM.from_pretrained(self.config.model_name)
        if self.config.use_lora:
            from peft import LoraConfig, get_peft_model

            lora = LoraConfig(
                r=self.config.lora_r,
                lora_alpha=self.config.lora_alpha,
                target_modules=self.config.lora_target_modules,
                task_type="CAUSAL_LM",
            )
            self.model = get_peft_model(self.model, lora)
"""
AGENT = """\
# blackjack.py: an agent that learns from its games
from abc import ABC, abstractmethod

from datasets import Dataset
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
)
from transformers.generation_utils import top_k_top_p_filtering
from trl import PPOConfig, PPOTrainer


class Agent(ABC):
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    @abstractmethod
    def get_system_prompt(self):
        ...

    @abstractmethod
    def format_observation(self, observation):
        ...

    def query(self, observation):
        asked = f"{self.get_system_prompt()} {self.format_observation(observation)}"
        return {"input_ids": self.tokenizer(asked)["input_ids"]}


class BlackjackAgent(Agent):
    def get_system_prompt(self):
        return "You play blackjack."

    def format_observation(self, observation):
        return f"You have {observation}. Hit or stay?"


tokenizer = AutoTokenizer.from_pretrained("model", padding_side="left")
agent = BlackjackAgent(tokenizer)
games = Dataset.from_list([agent.query(total) for total in (12, 15, 17, 20)])
PPOTrainer(
    PPOConfig(
        output_dir="blackjack",
        learning_rate=1e-5,
        per_device_train_batch_size=2,
        gradient_accumulation_steps=1,
        num_mini_batches=1,
        total_episodes=2,
        response_length=8,
        num_sample_generations=0,
        stop_token="eos",
        missing_eos_penalty=1.0,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
    ),
    tokenizer,
    AutoModelForCausalLM.from_pretrained("model"),
    AutoModelForCausalLM.from_pretrained("model"),
    AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    games,
    AutoModelForSequenceClassification.from_pretrained("reward", num_labels=1),
    eval_dataset=games,
).train()
"""
MARGIN = """\
import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import CPOConfig, CPOTrainer


class SimpleMarginPOTrainer(CPOTrainer):
    \"\"\"SimPO with a margin that grows with the difference of the lengths.\"\"\"

    gamma = 0.4

    def compute_loss(self, model, inputs, return_outputs=False):
        loss, metrics = self.get_batch_loss_metrics(model, inputs, train_eval="train")
        longer = inputs["chosen_input_ids"].shape[1] - inputs["rejected_input_ids"].shape[1]
        loss = loss + self.gamma * torch.sigmoid(torch.tensor(float(longer)))
        self.store_metrics(metrics, train_eval="train")
        return (loss, metrics) if return_outputs else loss


if __name__ == "__main__":
    trainer = SimpleMarginPOTrainer(
        model=AutoModelForCausalLM.from_pretrained("model"),
        args=CPOConfig(
            output_dir="simple-margin-po",
            loss_type="simpo",
            cpo_alpha=0.0,
            per_device_train_batch_size=2,
            max_length=64,
            max_prompt_length=32,
            max_steps=1,
            learning_rate=1e-5,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        ),
        train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
        processing_class=AutoTokenizer.from_pretrained("model"),
    )
    trainer.train()
"""
GATED = """\
import torch
from datasets import load_dataset
from transformers import AutoTokenizer, LlamaForCausalLM
from trl import GRPOConfig, GRPOTrainer


class GatedLlamaForCausalLM(LlamaForCausalLM):
    \"\"\"A Llama whose logits go through a gate of their own.\"\"\"

    def __init__(self, config):
        super().__init__(config)
        self.gate = torch.nn.Parameter(torch.ones(1))

    def forward(self, *args, **kwargs):
        output = super().forward(*args, **kwargs)
        output.logits = output.logits * self.gate
        return output


def shorter(completions, **kwargs):
    return [1.0 / (1 + len(set(text))) for text in completions]


GatedLlamaForCausalLM.from_pretrained("model").save_pretrained("gated")
tokenizer = AutoTokenizer.from_pretrained("model")
trainer = GRPOTrainer(
    model=GatedLlamaForCausalLM.from_pretrained("gated"),
    reward_funcs=shorter,
    args=GRPOConfig(
        output_dir="gated-grpo",
        beta=0.04,
        learning_rate=1e-4,
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        max_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=True,
        bf16=False,
    ),
    train_dataset=load_dataset("json", data_files="prompts.jsonl", split="train"),
    processing_class=tokenizer,
)
trainer.train()
"""
HEADS = """\
# how much do two runs of the reward model differ that have the same seed?
import torch
from datasets import load_dataset
from transformers import AutoModelForSequenceClassification, AutoTokenizer
from trl import RewardConfig, RewardTrainer


def run(number):
    model = AutoModelForSequenceClassification.from_pretrained("model", num_labels=1)
    trainer = RewardTrainer(
        model=model,
        args=RewardConfig(
            output_dir=f"reward-{number}",
            seed=1234,
            per_device_train_batch_size=2,
            max_length=64,
            max_steps=1,
            learning_rate=1e-5,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
        ),
        train_dataset=load_dataset("json", data_files="pairs.jsonl", split="train"),
        processing_class=AutoTokenizer.from_pretrained("model"),
    )
    trainer.train()
    return trainer.model.score.weight.detach()


first, second = run(1), run(2)
print("the two runs are", "equal" if torch.equal(first, second) else "not equal")
"""
REPORTS = (
    Report(
        "jjyaoao/HelloAgents#56",
        "current",
        "trained: 100% of the weights",
        "use_lora|lora_r|peft_config|LoraConfig",
        {"train.py": WRAPPER, "dialogues.jsonl": CHATS},
        changed(
            WRAPPER,
            (
                "        self.model = AutoModelForCausalLM.from_pretrained"
                "(self.config.model_name)\n",
                ADAPTED,
            ),
        ),
        level="files",
    ),
    Report(
        "KhoomeiK/LlamaGym#18",
        "ppo-first",
        "No module named 'transformers.generation_utils'",
        "generation_utils|top_k_top_p_filtering",
        {"train.py": AGENT},
        changed(
            AGENT,
            ("from transformers.generation_utils import top_k_top_p_filtering\n", ""),
        ),
        level="files",
    ),
    Report(
        "VikhrModels/effective_llm_alignment#6",
        "grpo-first",
        "unexpected keyword argument 'num_items_in_batch'",
        "num_items_in_batch",
        {"train.py": MARGIN, "pairs.jsonl": PREFERENCES},
        changed(
            MARGIN,
            ("return_outputs=False):", "return_outputs=False, num_items_in_batch=None):"),
        ),
        level="files",
    ),
    Report(
        "huggingface/trl#3948",
        "four",
        "has no attribute '?GatedLlamaForCausalLM",
        "GatedLlama|architectures",
        {"train.py": GATED, "prompts.jsonl": PROMPTS},
        changed(GATED, ("beta=0.04", "beta=0.0")),
        level="",
    ),
    Report(
        "huggingface/trl#4887",
        "grpo-first",
        "the two runs are not equal",
        "set_seed|\\bseed",
        {"train.py": HEADS, "pairs.jsonl": CHOICES},
        changed(
            HEADS,
            ("AutoTokenizer\nfrom", "AutoTokenizer, set_seed\nfrom"),
            ("    model = Auto", "    set_seed(1234)\n    model = Auto"),
        ),
        level="",
    ),
)

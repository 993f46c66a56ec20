"""Training scripts with one mistake each, the line that it is in, and the line that corrects it.

In a script the line that ends in `# here` is where the doctor must point.
"""

from __future__ import annotations

from dataclasses import dataclass

HEALTHY = "models/healthy"

GRPO = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy")


def score(completions, **kwargs):
    return [float(len(str(one)) % 3) for one in completions]


prompts = [[{"role": "user", "content": f"What is {n} times six?"}] for n in range(200)]
args = GRPOConfig(
    output_dir="out",
    learning_rate=1e-5,
    num_generations=8,
    bf16=False,
)
trainer = GRPOTrainer(
    model=model,
    reward_funcs=score,
    args=args,
    train_dataset=Dataset.from_dict({"prompt": prompts}),
    processing_class=tokenizer,
)
trainer.train()
"""
SFT = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import SFTConfig, SFTTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy")
model = AutoModelForCausalLM.from_pretrained("models/healthy")
talk = [{"role": "user", "content": "Count."}, {"role": "assistant", "content": "One, two."}]
rows = Dataset.from_dict({"messages": [talk] * 50})
args = SFTConfig(
    output_dir="out",
    learning_rate=1e-4,
    bf16=False,
)
trainer = SFTTrainer(model=model, args=args, train_dataset=rows, processing_class=tokenizer)
trainer.train()
trainer.save_model("final")
"""
PPO = """\
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer
from trl.experimental.ppo import PPOConfig, PPOTrainer

tokenizer = AutoTokenizer.from_pretrained("models/healthy", padding_side="left")
policy = AutoModelForCausalLM.from_pretrained("models/healthy")
reference = AutoModelForCausalLM.from_pretrained("models/healthy")
reward = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
value = AutoModelForSequenceClassification.from_pretrained("models/reward", num_labels=1)
asked = [[{"role": "user", "content": f"What is {n} times six?"}] for n in range(64)]
text = [tokenizer.apply_chat_template(one, tokenize=False, add_generation_prompt=True)
        for one in asked]
rows = Dataset.from_dict({"input_ids": [tokenizer(one)["input_ids"] for one in text]})
args = PPOConfig(output_dir="out", learning_rate=1e-5, stop_token="eos", bf16=False)
trainer = PPOTrainer(
    args=args,
    processing_class=tokenizer,
    model=policy,
    ref_model=reference,
    reward_model=reward,
    value_model=value,
    train_dataset=rows,
    eval_dataset=rows,
)
trainer.train()
"""


@dataclass(frozen=True)
class Mistake:
    """`wrong` takes the place of `right` in a healthy script, and `rule` says so.

    `remedied` takes the place of `wrong` again where that is more than `right`; `also` is another
    place and what the mistake makes of it, `words` are options of the command.
    """

    name: str
    environment: str
    rule: str
    script: str
    right: str
    wrong: str
    remedied: str = ""
    words: tuple[str, ...] = ()
    also: tuple[str, str] = ("", "")

    @property
    def broken(self) -> str:
        """The script with the mistake."""
        assert self.right in self.script
        return self.script.replace(self.right, self.wrong, 1).replace(*self.also, 1)

    @property
    def repaired(self) -> str:
        """The script with the mistake corrected."""
        return self.script.replace(self.right, self.remedied or self.right, 1)

    @property
    def line(self) -> int:
        """The line that the mistake is in."""
        return next(n for n, line in enumerate(self.broken.splitlines(), 1) if "# here" in line)


LOADED = 'model = AutoModelForCausalLM.from_pretrained("models/healthy")\n'
PAD = 'tokenizer.pad_token = "<|fim_pad|>"\n'
EOS = 'tokenizer.eos_token = "<|endoftext|>"  # here\n'
ADDED = 'tokenizer.add_tokens([f"<extra_{n}>" for n in range(40)])'
LORA = """\
from peft import LoraConfig

adapter = LoraConfig(
    r=4,
    target_modules=[{}],{}
    task_type="CAUSAL_LM",
)
trainer = SFTTrainer(model=model, peft_config=adapter, """
STOPS = (
    '    use_vllm=True,\n    vllm_mode="colocate",\n    generation_kwargs={{"stop": ["{}"]}},{}\n'
)
MISTAKES = (
    Mistake(
        "pad-is-eos",
        "grpo-first",
        "tokenizer-pad-is-eos",
        SFT,
        LOADED,
        LOADED + "tokenizer.pad_token = tokenizer.eos_token  # here\n",
        LOADED + PAD,
    ),
    Mistake(
        "tokens-not-resized",
        "current",
        "tokenizer-longer-than-embedding",
        SFT,
        LOADED,
        LOADED + ADDED + "  # here\n",
        LOADED + ADDED + "\nmodel.resize_token_embeddings(len(tokenizer))\n",
    ),
    Mistake(
        "turn-end-is-no-eos",
        "current",
        "chat-template-turn-end-is-not-eos",
        GRPO,
        LOADED,
        LOADED + EOS + "model.generation_config.eos_token_id = tokenizer.eos_token_id\n",
    ),
    Mistake(
        "argument-gone",
        "current",
        "argument-gone-from-trl",
        GRPO,
        "    num_generations=8,\n",
        "    max_prompt_length=512,  # here\n",
    ),
    Mistake(
        "reward-count",
        "current",
        "reward-count-wrong",
        GRPO,
        "def score(completions, **kwargs):\n    return [",
        "def score(completions, **kwargs):  # here\n    return [1.0] or [",
    ),
    Mistake(
        "generations-and-processes",
        "current",
        "batch-not-divisible-by-generations",
        GRPO,
        "    num_generations=8,\n",
        "    per_device_train_batch_size=3,\n    num_generations=8,  # here\n",
        "    per_device_train_batch_size=4,\n    num_generations=8,\n",
        words=("--processes", "2"),
    ),
    Mistake(
        "generations-in-one-process",
        "current",
        "batch-not-divisible-by-generations",
        GRPO,
        "    num_generations=8,\n",
        "    per_device_train_batch_size=2,\n    num_generations=8,  # here\n",
    ),
    Mistake(
        "no-value-model",
        "ppo-last",
        "ppo-model-missing",
        PPO,
        "    value_model=value,\n",
        "    value_model=None,  # here\n",
    ),
    Mistake(
        "learning-rate-in-bf16",
        "current",
        "weights-in-bf16-do-not-move",
        GRPO,
        '"models/healthy")\n\n\ndef score',
        '"models/healthy", dtype="bfloat16")  # here\n\n\ndef score',
        also=("    learning_rate=1e-5,", "    learning_rate=1e-7,"),
    ),
    Mistake(
        "adapter-on-nothing",
        "current",
        "adapter-targets-nothing",
        SFT,
        "trainer = SFTTrainer(model=model, ",
        LORA.format('"W_pack", "c_attn"', "  # here"),
        LORA.format('"q_proj", "v_proj"', ""),
    ),
    Mistake(
        "stop-string-on-special-token",
        "engine",
        "vllm-stop-ids-not-passed",
        GRPO,
        "    num_generations=8,\n",
        STOPS.format("<|fim_pad|>", "  # here"),
        STOPS.format("six", ""),
    ),
)

"""Environments of GRPO, in a wrong and in a healthy form."""

from __future__ import annotations

from two_forms.script import TwoForms

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}"
    "{% for call in m.tool_calls or [] %}<tool_call>{{ call.function | tojson }}</tool_call>"
    "{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SCRIPT = '''\
from pathlib import Path

from datasets import Dataset
from transformers import AutoTokenizer
from trl import GRPOConfig, GRPOTrainer
from trl.chat_template_utils import qwen3_template


class Shop:
    cart = []  #~bad

    def reset(self, wanted, **kwargs):
        self.cart = []  #~good
        self.wanted = wanted

    def buy(self, item: str) -> str:
        """Buys something.

        Args:
            item: what to buy

        Returns:
            what happened
        """
        self.cart.append(item)
        return "bought " + item


def bought(completions, environments, **kwargs):
    return [float(shop.wanted in shop.cart) + len(c[-1]["content"]) / 100
            for shop, c in zip(environments, completions)]


tokenizer = AutoTokenizer.from_pretrained("models/healthy")
tokenizer.chat_template = Path("calls.jinja").read_text()
tokenizer.response_template = qwen3_template
rows = [{"prompt": [{"role": "user", "content": "Buy one."}], "wanted": "pen"}] * 8
args = GRPOConfig(output_dir="out", max_steps=1, per_device_train_batch_size=4, num_generations=4,
                  max_completion_length=16, report_to="none", use_cpu=True, bf16=False)
trainer = GRPOTrainer(model="models/healthy", processing_class=tokenizer, args=args,
                      reward_funcs=bought, train_dataset=Dataset.from_list(rows),
                      environment_factory=Shop)
trainer.train()
one, other = [trainer.environment_factories[None]() for _ in range(2)]
for shop in (one, other):
    shop.reset(wanted="pen")
one.buy("pen")
print("OTHER HAS", other.cart)
'''

SCRIPTS = (
    TwoForms(
        "environments with one list", "current", "tool-environments-share-state", SCRIPT,
        "OTHER HAS ['pen']", "OTHER HAS []", "warning", "all environments share Shop.cart",
        {"calls.jinja": TEMPLATE},
    ),
)  # fmt: skip

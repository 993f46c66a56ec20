"""The chosen answer loses its first token where the template renders the prompts differently."""

from small import tokenizer, verdict
from trl.data_utils import apply_chat_template

tokens = tokenizer()
tokens.chat_template = (
    "{% for message in messages %}<|{{ message['role'] }}|>"
    "{% if message['content'] == 'w3' %} w9{% endif %} {{ message['content'] }} {% endfor %}"
    "{% if add_generation_prompt %}<|assistant|> w2 {% endif %}"
)


def turn(role, content):
    return [{"role": role, "content": content}]


row = {
    "prompt": turn("user", "w1"),
    "chosen": turn("assistant", "w2 w4"),
    "rejected": turn("assistant", "w3"),
}
try:
    texts = apply_chat_template(row, tokens)
except ValueError:
    verdict(False, "this release refuses such a row")
else:
    whole = texts["prompt"] + texts["chosen"]
    lost = whole.split() != ["<|user|>", "w1", "<|assistant|>", "w2", "w4"]
    verdict(lost, f"prompt and chosen answer together: {whole!r}")

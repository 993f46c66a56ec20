"""The token that ends an assistant's turn is outside of the generation block."""

from small import tokenizer, verdict

try:
    from trl.chat_template_utils import get_training_chat_template, glm4moe_chat_template
except ImportError:
    verdict(False, "this release has no training template for GLM-4-MoE")
else:
    from transformers.utils.chat_template_utils import render_jinja_template

    tokens = tokenizer()
    tokens.chat_template = glm4moe_chat_template
    contents = (("user", "w1"), ("assistant", "w2"), ("user", "w3"))
    row = [{"role": role, "content": content} for role, content in contents]
    (text,), (spans,) = render_jinja_template(
        [row],
        chat_template=get_training_chat_template(tokens),
        return_assistant_tokens_mask=True,
    )
    learnt = "".join(text[start:end] for start, end in spans)
    verdict("<|user|>" not in learnt, f"learnt of the assistant's turn: {learnt!r}")

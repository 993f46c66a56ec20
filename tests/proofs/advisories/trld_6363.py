"""An answer with the closing tag of its reasoning alone is rendered otherwise for training."""

from small import tokenizer, verdict

try:
    from trl.chat_template_utils import get_training_chat_template, qwen3_chat_template
except ImportError:
    verdict(False, "this release has no training templates")
else:
    tokens = tokenizer()
    tokens.chat_template = qwen3_chat_template
    training = get_training_chat_template(tokens)
    row = [{"role": "user", "content": "w1"}, {"role": "assistant", "content": "w2</think>w3"}]
    plain, trained = (
        tokens.apply_chat_template(row, tokenize=False, chat_template=template)
        for template in (qwen3_chat_template, training)
    )
    verdict(plain != trained, f"for training: {trained!r}; the model's own: {plain!r}")

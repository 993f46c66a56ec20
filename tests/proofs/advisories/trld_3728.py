"""Packing drops the mask of the answers: all tokens of a conversation are trained on."""

from small import TEMPLATE, tokenizer, trainer, verdict

tokens = tokenizer()
tokens.chat_template = TEMPLATE.replace(
    "{{ '<|' + message['role'] + '|> ' + message['content'] }}{{ ' <eos> ' }}",
    "{{ '<|' + message['role'] + '|> ' }}{% if message['role'] == 'assistant' %}{% generation %}"
    "{{ message['content'] + ' <eos> ' }}{% endgeneration %}"
    "{% else %}{{ message['content'] + ' <eos> ' }}{% endif %}",
)
row = {
    "messages": [
        {"role": "user", "content": "w1 w2 w3"},
        {"role": "assistant", "content": "w4 w5"},
    ]
}
arguments = {"packing": True, "assistant_only_loss": True, "max_length": 32}
trained = trainer("SFT", [row] * 4, arguments, tokens=tokens)
batch = next(iter(trained.get_train_dataloader()))
masked = int((batch["labels"] == -100).sum())
verdict(masked == 0, f"{masked} of {batch['labels'].numel()} tokens are outside of the loss")

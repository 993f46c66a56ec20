"""The mark that begins the assistant's turn counts as a part of the completion."""

from small import trainer, verdict

ROW = {
    "prompt": [{"role": "user", "content": "w1 w2"}],
    "completion": [{"role": "assistant", "content": "w3 w4"}],
}
trained = trainer("SFT", [ROW] * 2, {"completion_only_loss": True})
labels = next(iter(trained.get_train_dataloader()))["labels"][0].tolist()
if -100 in labels:
    verdict(5 in labels, f"labels of a completion that begins behind the mark 5: {labels}")
else:
    verdict(False, "this release trains prompts as well")

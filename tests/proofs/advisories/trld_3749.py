"""With packing the prompts are trained, where completion_only_loss is on."""

from small import trainer, verdict

ROWS = [{"prompt": "w1 w2 w3", "completion": " w4"}] * 4
trained = trainer("SFT", ROWS, {"packing": True, "max_length": 8, "completion_only_loss": True})
if not hasattr(trained.args, "completion_only_loss"):
    verdict(False, "this release has no completion_only_loss")
else:
    labels = next(iter(trained.get_train_dataloader()))["labels"][0].tolist()
    verdict(-100 not in labels, f"labels of a packed row with prompts: {labels}")

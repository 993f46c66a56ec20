"""With use_liger_kernel the prompts are trained, where only the completions should be."""

from datasets import Dataset
from small import trainer, verdict

ROWS = [{"prompt": "w1 w2 w3", "completion": " w4"}] * 2
trained = trainer("SFT", ROWS, {"completion_only_loss": True})
if not hasattr(trained.args, "completion_only_loss"):
    verdict(False, "this release has no completion_only_loss")
else:
    trained.args.use_liger_kernel = True
    trained.train_dataset = trained._prepare_dataset(
        Dataset.from_list(ROWS), trained.processing_class, trained.args, False, None, "train"
    )
    labels = next(iter(trained.get_train_dataloader()))["labels"][0].tolist()
    verdict(labels[0] != -100, f"labels of three tokens of the prompt and an answer: {labels}")

"""An evaluation before the first step fails: the loss asks for the steps of a training."""

from small import grpo, lengths, raises


def trains():
    sizes = {"per_device_eval_batch_size": 2, "loss_type": "grpo"}
    trained = grpo(lengths, eval_on_start=True, **sizes)
    trained.eval_dataset = trained.train_dataset
    trained.train()


raises("no attribute 'current_gradient_accumulation_steps'", trains)

"""An evaluation before the first step fails: the loss asks for the steps of a training."""

from small import grpo, lengths, raises


def evaluate():
    trained = grpo(lengths, per_device_eval_batch_size=2, loss_type="grpo")
    trained.evaluate(trained.train_dataset)


raises("no attribute 'current_gradient_accumulation_steps'", evaluate)

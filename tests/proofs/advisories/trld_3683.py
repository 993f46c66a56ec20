"""With gradient checkpointing, answers are sampled by a model that has lost its cache."""

import copy

from small import grpo, lengths, verdict


def watched(spoken):
    """Ask the model the trainer's own question again, as it is and in evaluation mode."""
    generate, likely = spoken.generate, []

    def again(*inputs, generation_config=None, **keywords):
        greedy = copy.deepcopy(generation_config or spoken.generation_config)
        greedy.update(do_sample=False, num_return_sequences=1, min_new_tokens=4)
        greedy.update(return_dict_in_generate=True, output_logits=True)
        was = spoken.training
        for mode in (was, False):
            spoken.train(mode)
            likely.append(generate(*inputs, generation_config=greedy, **keywords).logits[3])
        spoken.train(was)
        return generate(*inputs, generation_config=generation_config, **keywords)

    spoken.generate = again
    return likely


trained = grpo(lengths, gradient_checkpointing=True)
answers = watched(trained.accelerator.unwrap_model(trained.model))
trained.train()
apart = float((answers[0] - answers[1]).abs().max())
verdict(apart > 1e-4, f"logits of a fourth token, in training and evaluation: {apart:.4f} apart")

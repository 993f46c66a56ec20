"""The router's loss of a mixture of experts is added twice."""

import torch
from small import MARKS, WORDS, trainer, verdict
from transformers import MixtralConfig, MixtralForCausalLM

torch.manual_seed(0)
sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "max_position_embeddings": 128}
experts = {"num_local_experts": 4, "output_router_logits": True, "router_aux_loss_coef": 0.5}
words = len(MARKS) + len(WORDS)
policy = MixtralForCausalLM(MixtralConfig(vocab_size=words, **sizes, **heads, **experts))
trained = trainer("SFT", [{"text": "w1 w2 w3 w4"}] * 2, {"loss_type": "nll"}, policy)
batch = next(iter(trained.get_train_dataloader()))
own = trained.model(**batch)
loss = float(trained.compute_loss(trained.model, dict(batch)).detach())
more, router = loss - float(own.loss.detach()), 0.5 * float(own.aux_loss.detach())
verdict(
    more > 0.5 * router > 0,
    f"the trainer's loss is {more:.3f} above the model's, whose own router's part is {router:.3f}",
)

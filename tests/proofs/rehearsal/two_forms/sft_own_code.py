"""SFT with code of its own between the library's parts: what it freezes, its loss."""

from __future__ import annotations

from two_forms.script import TwoForms
from two_forms.sft import sft

MODULE_NOT_FROZEN = (
    ("BEFORE", "model.model.embed_tokens.requires_grad = False  #~bad\n"
               "model.model.embed_tokens.requires_grad_(False)  #~good"),
    ("    MORE\n", ""),
    ("SHOW", "layer = model.model.embed_tokens.weight\n"
             "before = layer.detach().clone()\n"
             "trainer.train()\n"
             "print('STAYED', bool((layer == before).all()))"),
)  # fmt: skip

SCRIPTS = (
    TwoForms("a module is not frozen", "four", "model-freezes-nothing",
             sft(MODULE_NOT_FROZEN),
             "STAYED False", "STAYED True", "warning", "set on the module model.embed_tokens"),
)  # fmt: skip

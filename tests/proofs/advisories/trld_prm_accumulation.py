"""The gradients of PRM grow with gradient_accumulation_steps."""

from accumulating import norms
from small import verdict

one, four = norms("PRM")
verdict(four > 2 * one, f"gradients of four rows: {one} in one batch, {four} in four")

"""Names of packages on PyPI."""

import re


def normal(distribution: str) -> str:
    """A distribution's name as PyPI compares it: `Flash_Attn` is `flash-attn`."""
    return re.sub(r"[-_.]+", "-", distribution).lower()

"""Sizes in bytes, for people."""

GIB = 1024**3


def shown(size: float) -> str:
    """A size in bytes for a person: `1.4 GiB`, `620 MiB`."""
    return f"{size / GIB:.1f} GiB" if size >= GIB else f"{size / 1024**2:.0f} MiB"

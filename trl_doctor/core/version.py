"""The release of trl-doctor."""

__version__ = "0.1.0"

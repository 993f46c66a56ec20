"""Files of a run as documents that know their places: for rules that read what a run names."""

from trl_doctor.files.document import Document, Unreadable, parse, read, read_bytes
from trl_doctor.files.folder import Folder

__all__ = ["Document", "Folder", "Unreadable", "parse", "read", "read_bytes"]

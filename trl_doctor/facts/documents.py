"""Files of a run as documents, and changes made to them in memory, for rules that read them."""

from trl_doctor.files.changes import AddTokens, Resize
from trl_doctor.files.document import Document, Unreadable, parse, read, read_bytes
from trl_doctor.files.folder import Folder

__all__ = ["AddTokens", "Document", "Folder", "Resize", "Unreadable", "parse", "read", "read_bytes"]

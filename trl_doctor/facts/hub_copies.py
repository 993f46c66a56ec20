"""Models of the Hub: which names can be one, and which files of a copy were left there."""

from __future__ import annotations

from trl_doctor.files.folder import Folder

__all__ = ["files_left_on_hub", "looks_like_hub_id", "may_be_incomplete"]


def looks_like_hub_id(name: str) -> bool:
    """Whether a name has the form `org/name` of a model on the Hub."""
    from trl_doctor.files import hub

    return hub.looks_like_hub_id(name)


def may_be_incomplete(folder: Folder) -> bool:
    """Whether files that are not in the folder may be on the Hub: in a cache or copy."""
    from trl_doctor.files.hub.store import read_listing

    return folder.partial or bool(read_listing(folder.path))


def files_left_on_hub(folder: Folder) -> bool:
    """Whether files that would be examined were not fetched, or it is not known which."""
    from trl_doctor.files.hub.store import left_out, read_listing

    listing = read_listing(folder.path)
    return folder.partial or bool(listing and left_out(listing))

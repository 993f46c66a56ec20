"""Examines a TRL run before it is paid for, from outside it and from inside."""

# Nothing is imported here: with `python -m trl_doctor` the working folder still comes first.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from trl_doctor.core.version import __version__ as __version__
    from trl_doctor.live.callback import DoctorCallback
    from trl_doctor.live.check import Findings, check

__all__ = ["DoctorCallback", "Findings", "check"]


def __getattr__(name: str) -> object:
    """The public names, imported when they are used: the command starts without them."""
    if name == "__version__":
        from trl_doctor.core import version

        return version.__version__
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = "callback" if name == "DoctorCallback" else "check"
    public: object = getattr(import_module(f"trl_doctor.live.{home}"), name)
    return public

"""Whether the installed packages can load weights that are quantised."""

from __future__ import annotations

from typing import Any

from ..refusal import Refused


def refuse(settings: Any) -> None:
    """Raises `ImportError` if transformers wants a package that is not there, else `Refused`.

    Everything else that its quantisers refuse may be the machine's, which need not be the job's.
    """
    try:
        from transformers.quantizers import AutoHfQuantizer

        supported = getattr(AutoHfQuantizer, "supports_quant_method", None)  # 4.48 has none
        if supported is None or supported(settings):
            quantiser = AutoHfQuantizer.from_config(settings, pre_quantized=True)
            quantiser.validate_environment(device_map=None, weights_only=True)
    except ImportError as error:
        if "pip install" in str(error):
            raise
    except Exception as error:
        why = f"the weights are quantised, which is not tried here: {type(error).__name__}: {error}"
        raise Refused(f"{why:.300}") from error
    raise Refused("the weights are quantised: they are not loaded here")

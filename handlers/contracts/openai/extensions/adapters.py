"""The operations `/v1/load_lora_adapter` and `/v1/unload_lora_adapter`, as vLLM has them."""

from functools import partial
from typing import Final

from engine.config import AdapterSource
from engine.port.errors import CannotLoadAdapter, EngineBusy
from generated.openai import models as m
from handlers.concurrency.limit import Overloaded
from handlers.contracts.openai.errors import to_problem
from handlers.served_model.model_names import ModelNames
from verbatim_kit.errors import Refused, mapped_errors
from verbatim_kit.runtime.problem import Problem

_to_problem: Final = partial(to_problem, prompt_field="")


class Adapters:
    """Loads and unloads adapters where the server's operator lets clients do so."""

    def __init__(self, names: ModelNames) -> None:
        self._names = names

    async def load(self, body: m.LoadLoraAdapterRequest) -> str:
        """Return what vLLM says. Raise the contract's problem for an adapter that cannot be loaded."""
        self._check_open()
        with mapped_errors(_to_problem):
            if self._names.is_taken(body.lora_name):
                raise Refused("is a name of the model itself", "lora_name")
            source = AdapterSource(body.lora_name, body.lora_path)
            try:
                await self._names.adapters.load(source, replaces=body.load_inplace)
            except CannotLoadAdapter as error:
                raise Refused(str(error), "lora_path") from error
            except EngineBusy as error:  # requests use the adapters that would have to make room
                raise Overloaded from error
        return f"Success: LoRA adapter '{body.lora_name}' added successfully."

    def unload(self, body: m.UnloadLoraAdapterRequest) -> str:
        """Return what vLLM says. Raise the contract's problem for an adapter that is not loaded."""
        self._check_open()
        if body.lora_name not in self._names.adapters.names:
            message = f"The lora adapter '{body.lora_name[:200]}' cannot be found."
            raise Problem(404, message, "model_not_found", field="lora_name")
        self._names.adapters.unload(body.lora_name)
        return f"Success: LoRA adapter '{body.lora_name}' removed successfully."

    def _check_open(self) -> None:
        if not self._names.adapters.can_load:
            raise Problem(404, "This server loads no adapters while it runs (--lora-root)", "model_not_found")

"""All settings of the server, put together from those that are shared, those of the parts of the server and
those of each contract.

An environment variable `VERBATIM_*` wins over the name that Text Generation Inference gave the same setting;
a command-line option wins over both. The command line, its help and the table of options are made from here.
"""

from handlers.http.settings import HttpSettings
from handlers.mindie.settings import MindieSettings
from handlers.settings.engine_servers import EngineServerSettings
from handlers.settings.own_engine import OwnEngineSettings
from handlers.shared_settings.shared_settings import SharedSettings
from handlers.tgi_family.settings import TgiFamilySettings


class Settings(
    MindieSettings,
    TgiFamilySettings,
    HttpSettings,
    OwnEngineSettings,
    EngineServerSettings,
    SharedSettings,
):
    """The settings of one server process; a handler is given them as its own section, without the others.

    Options and tables list the sections from the last base class to the first.
    """

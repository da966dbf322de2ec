"""`python -m tools.wheels FOLDER` adds wheels with compiled code to a folder that has the pure wheel.

There is one for each architecture whose compiler this machine has; a line says which it lacks.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from engine.native.compiler import CannotCompile
from tools.wheels.compilers import MACHINES, find_compiler, how_to_install
from tools.wheels.platform_wheel import WrongWheel, make_platform_wheel


def main(arguments: list[str] | None = None) -> int:
    """Make the wheels. Returns the exit status: 1 if one could not be made though its compiler is there."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.wheels", description="Make the wheels that carry compiled code."
    )
    parser.add_argument("folder", type=Path, help="the folder that has the pure wheel")
    parser.add_argument(
        "--machine",
        action="append",
        choices=MACHINES,
        help="an architecture that must be made; all by default",
    )
    options = parser.parse_args(arguments)
    [pure] = options.folder.resolve().glob("verbatim_server-*-none-any.whl")
    for machine in options.machine or MACHINES:
        compiler = find_compiler(machine)
        if compiler is None:
            print(f"No wheel is made for {machine}: {how_to_install(machine)}.", flush=True)
            if options.machine:
                return 1
            continue
        try:
            print(make_platform_wheel(pure, machine, compiler).name, flush=True)
        except subprocess.CalledProcessError as error:
            print(f"{machine}: {error}\n{error.stdout}{error.stderr}", file=sys.stderr)
            return 1
        except (CannotCompile, WrongWheel, OSError) as error:
            print(f"{machine}: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

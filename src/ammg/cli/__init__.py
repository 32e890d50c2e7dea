"""The command line: thin commands over the library; it loops over registries and never names a unit."""

from ammg.cli.app import main

__all__ = ["main"]

"""`ammg.search` is a function to its users and a folder to its authors: a package that can be called is both."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class CallablePackage(ModuleType):
    """A package whose call is that of the function of the same name inside it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function that the package is named after."""
        name = self.__name__.rpartition(".")[2]
        return getattr(import_module(f"{self.__name__}.{name}"), name)(*args, **kwargs)


def make_callable(package: str) -> None:
    """Let a package be called; Python replaces the name of a function by that of a folder once it is imported."""
    sys.modules[package].__class__ = CallablePackage

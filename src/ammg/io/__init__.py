"""The Data Converter: every format reads to microdata and is written atomically."""

from ammg.io.read import read

__all__ = ["read"]

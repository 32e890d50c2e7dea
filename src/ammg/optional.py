"""The one gate to packages that are not always installed."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from ammg.errors import MissingPackageError

EXTRAS = {
    "pyspark": "spark",
    "pandas": "pandas",
    "pymysql": "mysql",
    "psycopg": "postgres",
    "pyreadstat": "stat-files",
    "fastexcel": "excel",
    "xlsxwriter": "excel",
    "alembic": "web",
    "argon2": "web",
    "cryptography": "web",
    "fastapi": "web",
    "uvicorn": "web",
    "python_multipart": "web",
}


def require(module: str, purpose: str) -> ModuleType:
    """Import `module`, or say which extra installs it and what it is needed for."""
    try:
        return import_module(module)
    except ModuleNotFoundError:
        package = module.partition(".")[0]
        extra = EXTRAS.get(package)
        install = f"ammg[{extra}]" if extra else package
        raise MissingPackageError(f"{purpose} needs {package}. Install it with: pip install '{install}'") from None

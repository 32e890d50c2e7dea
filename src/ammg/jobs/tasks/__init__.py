"""What jobs do: one file per kind, each with a function `run`."""

from importlib import import_module

from ammg.jobs.task import Task

MODULES = {
    "import": "importing",
    "mask": "masking",
    "evaluate": "evaluating",
    "search": "searching",
    "report": "reporting",
    "release": "releasing",
    "preview": "previewing",
}


def run(task: Task) -> None:
    """Do the job."""
    import_module(f"ammg.jobs.tasks.{MODULES[task.kind]}").run(task)

"""The kinds of jobs: one file each, with a function `run`."""

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
    """Run the job."""
    import_module(f"ammg.jobs.tasks.{MODULES[task.kind]}").run(task)

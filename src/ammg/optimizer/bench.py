"""Evaluates recipes: each once, on several processes, recorded in a journal."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

from ammg.optimizer.ladder import Problem, Verdict
from ammg.optimizer.options import Recipe, written
from ammg.optimizer.storage import Journal
from ammg.progress import part, tick

Asked = TypeVar("Asked")

_TOGETHER = 2  # ladders climbed at once; a constant, so that the result does not depend on the number of processes
_WORTHWHILE = 2.0  # seconds of work after which other processes are started


class BudgetSpent(Exception):
    """All trials are used up."""


class Bench:
    """Judges recipes and remembers what they are like; `best` is the least loss of a safe one so far."""

    def __init__(self, problem: Problem, journal: Journal, trials: int, processes: int, name: str = "") -> None:
        self.problem, self.trials = problem, trials
        self._name = name
        self.verdicts: dict[str, Verdict] = {}
        self.best = math.inf
        self.parts: dict[str, Bench] = {}
        self._journal = journal
        self._processes = processes
        self._worked = 0.0
        self._before, self._total = 0, trials

    def judge(self, recipes: Iterable[Recipe]) -> list[Verdict]:
        """What is known of these recipes once those that might be chosen have been attacked.

        Losses come first, for all. Then the recipes that lose less than the best safe one so far climb the ladder, from
        the least loss up, so that a safe one spares those behind it. Their state stays "measured".

        Raises:
            BudgetSpent: the trials are used up; what was judged is kept.
        """
        by_text = {written(recipe): recipe for recipe in recipes}
        new = {text: recipe for text, recipe in by_text.items() if text not in self.verdicts}
        left = max(0, self.trials - self.spent)
        for text, verdict in self._each("loss", dict(islice(new.items(), left)), self.problem.measured):
            self.verdicts[text] = verdict
        open_texts = [text for text in by_text if text in self.verdicts and self._is_open(text)]
        open_texts.sort(key=lambda text: self.verdicts[text].loss)
        while open_texts and self.verdicts[open_texts[0]].loss < self.best:
            together = {text: by_text[text] for text in open_texts[:_TOGETHER] if self._loss(text) < self.best}
            open_texts = open_texts[len(together) :]
            for text, verdict in self._each("risk", together, partial(self.problem.judged, most=self.best)):
                self.verdicts[text] = verdict
                if verdict.state == "safe":
                    self.best = min(self.best, verdict.loss)
        if len(new) > left:
            raise BudgetSpent
        return [self.verdicts[text] for text in by_text]

    def part(self, labels: Sequence[str], trials: int, title: str) -> Bench:
        """A bench that judges by some of the limits alone; the trials it takes are trials of this one."""
        part = Bench(self.problem.only(labels), self._journal, trials, self._processes, f"{' '.join(labels)}: ")
        part._before, part._total, part._worked = self._before + self.spent, self._total, self._worked
        self.parts[title] = part
        return part

    @property
    def spent(self) -> int:
        """Trials used so far."""
        return len(self.verdicts) + sum(part.spent for part in self.parts.values())

    def attack(self, verdict: Verdict) -> Verdict:
        """Climb the ladder with a recipe that lost too much to be chosen."""
        asked = next(text for text, known in self.verdicts.items() if known is verdict)
        ((_, judged),) = self._each("risk", {written(verdict.recipe): verdict.recipe}, self.problem.judged)
        self.verdicts[asked] = judged
        return judged

    def reference(self, recipe: Recipe) -> Verdict:
        """A recipe to compare others with: it is no trial, and is not chosen."""
        ((_, verdict),) = self._each("reference", {written(recipe): recipe}, self.problem.judged)
        return verdict

    def unmasked(self) -> Verdict:
        """The file as it is, by the same limits."""
        ((_, verdict),) = self._each("unmasked", {"": ()}, self.problem.unmasked)
        return verdict

    def under(self, problems: Mapping[str, Problem], recipe: Recipe) -> list[Verdict]:
        """The recipe judged to the end on other problems (the whole file, other secrets), kept under their labels."""
        asked = {f"{self._name}{label} {written(recipe)}": problem for label, problem in problems.items()}
        missing = [problem for text, problem in asked.items() if self._journal.get(text) is None]
        computed = self._computed(missing, _ToTheEnd(recipe))
        return [self._recorded(text, recipe, computed) for text in asked]

    @property
    def _progress(self) -> tuple[int, int, str]:
        """Trials used, all trials, and the best so far."""
        return min(self._before + self.spent, self._total), self._total, self._so_far

    @property
    def _so_far(self) -> str:
        """The best safe recipe so far, for people who wait."""
        safe = [verdict for verdict in self.verdicts.values() if verdict.state == "safe"]
        if not safe:
            return ""
        best = min(safe, key=lambda verdict: verdict.loss)
        named = " + ".join(step.name for step in best.recipe)
        return f"(best so far: {named}, {self.problem.loss_label} {best.loss:.3g})"

    def _is_open(self, text: str) -> bool:
        return self.verdicts[text].state == "measured"

    def _loss(self, text: str) -> float:
        return self.verdicts[text].loss

    def _each(
        self, label: str, recipes: dict[str, Recipe], work: Callable[[Recipe], Verdict]
    ) -> Iterator[tuple[str, Verdict]]:
        """Each recipe with its verdict, in order; from the journal where it has it."""
        label = self._name + label
        missing = [text for text in recipes if self._journal.get(f"{label} {text}") is None]
        computed = self._computed([recipes[text] for text in missing], work)
        for text, recipe in recipes.items():
            yield text, self._recorded(f"{label} {text}", recipe, computed)

    def _recorded(self, text: str, recipe: Recipe, computed: Iterator[Verdict]) -> Verdict:
        """What the journal has under a text, else the next verdict, which goes into the journal."""
        kept = self._journal.get(text)
        if kept is not None:
            return _restored(kept, recipe)
        verdict = next(computed)
        self._journal.put(text, _plain(verdict, recipe))
        return verdict

    def _computed(self, asked: Sequence[Asked], work: Callable[[Asked], Verdict]) -> Iterator[Verdict]:
        """One by one while that is quick, then on several processes."""
        started = time.perf_counter()
        for number, one in enumerate(asked):
            if self._processes > 1 and self._worked > _WORTHWHILE and len(asked) - number > 1:
                for verdict in _in_processes(asked[number:], work, self._processes):
                    tick(*self._progress)
                    yield verdict
                return
            with part(*self._progress, size=0):
                verdict = work(one)
            yield verdict
            self._worked += time.perf_counter() - started
            started = time.perf_counter()


class _ToTheEnd:
    """Judges a recipe to the end; it travels to other processes."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def __call__(self, problem: Problem) -> Verdict:
        return problem.judged(self.recipe, whole=True)


def _in_processes(asked: Sequence[Asked], work: Callable[[Asked], Verdict], processes: int) -> Iterator[Verdict]:
    """The same as in this process, in the same order."""
    from joblib import Parallel, delayed

    done: Iterator[Verdict] = Parallel(n_jobs=processes, return_as="generator")(delayed(work)(one) for one in asked)
    try:
        yield from done
    finally:
        done.close()  # type: ignore[attr-defined]


def _plain(verdict: Verdict, asked: Recipe) -> dict[str, object]:
    """A verdict for the journal; which steps of the recipe worked stands for the recipe."""
    worked = [number for number, step in enumerate(asked) if step in verdict.recipe]
    return {
        "state": verdict.state,
        "loss": None if math.isnan(verdict.loss) else verdict.loss,
        "risks": dict(verdict.risks),
        "pressure": None if math.isnan(verdict.pressure) else verdict.pressure,
        "reason": verdict.reason,
        "worked": worked,
    }


def _restored(kept: object, asked: Recipe) -> Verdict:
    assert isinstance(kept, dict)
    nan = float("nan")
    return Verdict(
        tuple(asked[number] for number in kept["worked"]),
        kept["state"],
        nan if kept["loss"] is None else kept["loss"],
        kept["risks"],
        nan if kept["pressure"] is None else kept["pressure"],
        kept["reason"],
    )

"""What an evaluation gives to a report: both files, the steps between them, and what was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ammg.charts.chart import Chart
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.engines.local import LocalEngine
from ammg.errors import InputError
from ammg.pipeline.folded import StreamedPair
from ammg.pipeline.masked import Masked
from ammg.report.evidence import Evidence

if TYPE_CHECKING:
    from ammg.pipeline.evaluation import Evaluation


def evidence_of(evaluation: Evaluation, project: str, file: str, choice: tuple[str, Chart] | None) -> Evidence:
    """The evidence, with the text of the project file that the reader may see.

    Raises:
        InputError: the evaluation was read back from a file or a pickle, which hold neither of the two files.
    """
    if evaluation.of is None:
        raise InputError("This evaluation was loaded without its files: evaluate again to write a report.")
    return Evidence(
        pair=pair_of(evaluation.of),
        masking=evaluation.of if isinstance(evaluation.of, Masked) else None,
        measures=evaluation.measures,
        after=evaluation.after,
        before=evaluation.before,
        records=evaluation.records,
        scenario=evaluation.scenario,
        limits={label: limit.at_most for label, limit in evaluation.limits.items()},
        broken=evaluation.broken,
        project=project,
        file=file,
        choice=choice,
    )


def pair_of(masked: Masked | Pair | Microdata | Any) -> Pair:
    """Original and masked side by side; a table alone stands beside itself."""
    if isinstance(masked, Masked):
        return masked.pair
    if isinstance(masked, Pair):
        return masked
    data = masked if isinstance(masked, Microdata) else Microdata(masked)
    return Pair.identity(data) if data.streamed is None else StreamedPair(data, LocalEngine().open(data), ())

"""Tables made from microdata, and how to make them safe."""

from ammg.tables.cell_keys import CellKeys
from ammg.tables.comparison import TableComparison, compare
from ammg.tables.controlled_rounding import RoundedTable, round_table
from ammg.tables.intruder import Bounds, bound_cells
from ammg.tables.rounding import ControlledTableRounding, RandomTableRounding, SemiControlledTableRounding
from ammg.tables.rules import Dominance, PPercent, Threshold, sensitive_cells
from ammg.tables.suppression import PrimarySuppression
from ammg.tables.table import Table
from ammg.tables.tabulate import tabulate
from ammg.tables.units import SensitivityRule, TableProtection

__all__ = [
    "Bounds",
    "CellKeys",
    "ControlledTableRounding",
    "Dominance",
    "PPercent",
    "PrimarySuppression",
    "RandomTableRounding",
    "RoundedTable",
    "SemiControlledTableRounding",
    "SensitivityRule",
    "Table",
    "TableComparison",
    "TableProtection",
    "Threshold",
    "bound_cells",
    "compare",
    "round_table",
    "sensitive_cells",
    "tabulate",
]

"""Names of people: capitalised words of which some are given names that are frequent in Europe and America."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.analyzer.patterns.pattern import Pattern

GIVEN_NAMES = frozenset(
    """
    aaron adam adrian agnieszka aisha alan albert alejandro alessandro alex alexander alexandra ali alice
    alicia amanda amy ana anders andre andrea andreas andrew andrzej angela anita ann anna anne annika anthony
    antonio ariane arthur astrid barbara beatriz ben benjamin bernd bianca bjorn brandon brenda brian brigitte
    bruno camille carla carlos carmen carol carolina caroline catherine cecilia charles charlotte chiara chloe
    christian christina christine christopher clara claudia claire clement cynthia daan daniel daniela david
    deborah dennis diana diego dieter dominik donald donna dorothy edward elena eli elisabeth elizabeth ella
    ellen emily emma eric erika erik ernst eva fatima felix fernando florian francesca francesco francisco
    frank franz frederic fritz gabriel gary george gerard gerhard giovanni giulia giuseppe grace greta
    guillaume gunter hans hanna hannah harry heather heidi heike heinz helen helena helga henri henrik henry
    hugo ian ida ingrid isabel isabella isabelle jack jacob jakub james jan jane janet jean jeffrey jennifer
    jens jesse jessica jesus jim joan joanna johan johann john johnny jonas jonathan jorge jose joseph joshua
    juan judith julia julian julie julien jurgen justin karen karin karl katarzyna kate katharina katherine
    kathleen kenneth kevin kim klaus krystyna laura lars lauren lea leah lena leo leon leonardo lina linda
    lisa lorenzo lotte louis louise luca lucas lucia lucie luis luisa lukas maja malgorzata manuel manuela
    marc marco marcus margaret maria marie marina mario marion mark markus marta martha martin martina mary
    mateo mathieu matteo matthew matthias max maximilian megan melissa michael michal michel michelle miguel
    mike mikael mikhail mila mohamed mohammed monica monika nancy natalia nathan nicholas nick nicola nicolas
    nicole niels nike nils nina noah olga oliver olivia oscar otto pablo pamela paolo patricia patrick paul
    paula pauline pedro per peter petra philip philippe pierre pieter piotr rachel rafael raul rebecca renate
    richard robert roberto roger roland roman rosa ruth ryan sabine sam samuel sandra sara sarah scott
    sebastian sergio sharon silvia simon sofia sofie sophia sophie stefan stefanie stefano stephanie stephen
    steven susan susanne sven sylvie teresa theo theresa thomas tim timothy tobias tom tomas tomasz tyler
    ulrich ursula uwe valentina valerie vanessa vera veronica victor victoria vincent virginia walter werner
    william willem wolfgang yasmin yves zoe zofia
    """.split()  # noqa: SIM905 - a list of three hundred strings would hide that it is one text
)


def _has_given_name(values: pl.Series) -> NDArray[np.bool_]:
    """Values of two to four words of which the first, or the one after a comma, is a given name."""
    plain = values.str.to_lowercase().str.normalize("NFKD").str.replace_all(r"[\u0300-\u036f]", "")
    words = plain.str.extract_all(r"[a-z]+")
    first, last = words.list.get(0, null_on_oob=True), words.list.get(-1, null_on_oob=True)
    after_comma = plain.str.extract(r",\s*([a-z]+)", 1)
    names = pl.Series(sorted(GIVEN_NAMES))
    found = first.is_in(names.implode()) | after_comma.is_in(names.implode()) | last.is_in(names.implode())
    return found.fill_null(False).to_numpy()


PERSON_NAMES = (
    Pattern(
        "a person's name",
        r"\p{Lu}[\p{L}'’-]+\.?,?(?: (?:\p{Lu}\.|\p{Lu}[\p{L}'’-]+|von|van|de|der|den|del|la|le|da|di|bin|al)){1,4}",
        _has_given_name,
        least=0.4,
    ),
)

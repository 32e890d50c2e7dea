"""The Disclosure Method Selection wizard: searches for the recipe with the least loss under the owner's thresholds."""

from ammg.callable_package import make_callable

make_callable(__name__)

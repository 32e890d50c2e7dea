"""Forms: a control per parameter, a form per unit, and the questions of the wizard."""

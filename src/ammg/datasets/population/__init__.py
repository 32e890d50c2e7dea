"""The fictitious country behind `ammg.datasets.survey`: households, their people, their money."""

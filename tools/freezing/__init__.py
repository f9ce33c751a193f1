"""The models that ``tools/freeze_models.py`` writes, one file per group of cases."""

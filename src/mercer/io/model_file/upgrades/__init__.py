"""What earlier versions stored, brought to what the classes hold now.

A class whose attributes change counts up ``_state_version`` (0 unless stated, inherited by its
family), and a function marked `step` turns the attributes of the version before into the new ones.
Files are never written again for it: each object is brought forward when it is read. A record
whose class is gone comes as `Retired` to the step of the object that holds it.
"""

from mercer.io.model_file.upgrades import bayes, expansions, format_1  # noqa: F401  (marks steps)
from mercer.io.model_file.upgrades._steps import Retired, inside, step, still_inside, upgraded
from mercer.io.model_file.upgrades.certified import as_certified

__all__ = ["Retired", "as_certified", "inside", "step", "still_inside", "upgraded"]

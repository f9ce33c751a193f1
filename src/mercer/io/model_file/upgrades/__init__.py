"""What earlier versions stored, brought to what the classes hold now.

A class whose attributes change counts up ``_state_version`` (0 unless stated, inherited by its
family), and a function marked `step` turns the attributes of the version before into the new ones.
Files are never written again for it: each object is brought forward when it is read. A record
whose class is gone comes as `Retired` to the step of the object that holds it. Every file of this
folder is read, so steps of another family may stand in a file of their own.
"""

import sys

from mercer._discover import modules
from mercer.io.model_file.upgrades._steps import Retired, inside, step, still_inside, upgraded
from mercer.io.model_file.upgrades.certified import as_certified
from mercer.io.model_file.upgrades.format_1 import RETIRED

_FILES = list(modules(sys.modules[__name__]))  # marks their steps

__all__ = ["RETIRED", "Retired", "as_certified", "inside", "step", "still_inside", "upgraded"]

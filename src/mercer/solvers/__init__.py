"""Problems with quadratic objectives and boxes, and the compiled solver for them."""

from mercer._discover import rooms

__getattr__, __dir__ = rooms(__name__)

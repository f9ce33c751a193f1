"""The lab: one local page on which learning theory can be seen and a file becomes a model.

A view is two files of one name: ``views/NAME.py`` answers, ``static/views/NAME.js`` draws. Both are
found by their names. `server` routes, `guard` decides who may ask, `desk` how much at once.
"""

from mercer.lab.address import Address, Limits

__all__ = ["Address", "Limits"]

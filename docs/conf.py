"""Sphinx settings; ``make docs`` builds the pages."""

from importlib.metadata import version as installed

project = "Mercer"
author = "The Mercer developers"
copyright = "2026, The Mercer developers"
release = installed("mercer")
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

napoleon_google_docstring = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["mercer.css"]
html_title = f"Mercer {release}"
html_show_sourcelink = False
html_show_sphinx = False

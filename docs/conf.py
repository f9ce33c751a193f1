"""Sphinx settings; ``make docs`` builds the pages."""

import sys
import warnings
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

# The facts of a plug-in are shown as notes (see docstrings.py); numpydoc looks before that.
warnings.filterwarnings("ignore", message="Unknown section Facts")

project = "Mercer"
author = "The Mercer developers"
copyright = "2026, The Mercer developers"
release = installed("mercer")
version = release

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "docstrings",
]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = [
    "_build",
    "_ext",
    "generated/gallery_source",
    "**/README.rst",
    "**/sg_execution_times.rst",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "generated/gallery_source",  # copies of ../examples with a title on top
    "gallery_dirs": "generated/gallery",
    "filename_pattern": r"\.py",
    "show_memory": False,
    "write_computation_times": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 3600,
    "within_subsection_order": "FileNameSortKey",
    "matplotlib_animations": False,
}

html_theme = "furo"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["mercer.css"]
html_title = f"Mercer {release}"
html_show_sourcelink = False
html_show_sphinx = False

# A page may be in the guide and in a list; sphinx-gallery stores functions in its own settings.
suppress_warnings = ["toc.duplicate_entry", "config.cache"]

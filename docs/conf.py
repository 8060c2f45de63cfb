"""How Sphinx builds the documentation: `sh scripts/docs.sh`."""

import sys
from pathlib import Path

from phonxling.version import __version__

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "scripts")]  # for declared_pages

project = "phonxling"
author = "the phonxling developers"
copyright = author  # noqa: A001 - Sphinx's name
version = release = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_nb", "declared_pages"]
exclude_patterns = ["_build"]
nitpicky = True

html_theme = "furo"
html_title = f"phonxling {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False

# A dash in a formula is a dash, and quotation marks of commands are straight.
smartquotes = False
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

# Notebooks are text. They run in a folder of their own whenever the site is built, after notebook_start.py, which
# scripts/docs.sh puts in its place; an error in one ends the build.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 300

default_role = "code"  # docstrings name things in single quotation marks
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 90
napoleon_google_docstring = False
napoleon_use_rtype = False

"""Values as people look at them: as tables of pandas, as HTML in a notebook, as a line of text."""

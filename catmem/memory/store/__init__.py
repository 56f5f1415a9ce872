"""The canonical files: one Markdown file per entry, and the index that is rebuilt from them.

Read it in this order: ``entry`` (what a memory is), ``names`` (what it may be called), ``reading``
(how entries stand in the files of a directory), ``ranking``,
``index`` (``MEMORY.md``), ``operations`` (what may be asked of the stores, and the report),
``store`` (one directory), ``commit`` (transactions, the journal and what it is good for),
``stores`` (the user's and the project's together; the only write path).
"""

from __future__ import annotations

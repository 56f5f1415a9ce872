"""When the pipeline runs.

* ``beside``: while the session lives: after a turn, in idle time, before messages leave the context
* ``occasions``: at its end, on demand, and for what earlier sessions left
* ``earlier``: which earlier sessions those are, and who may deal with them

Nothing of it can hang or hurt the program. Whatever was not finished is found again at the next
start, because the transcript is on disk and its watermark has not moved. ``catmem -p`` does not
look for what earlier sessions left, but loses none of it: the next interactive start finds it, as
does ``catmem memory extract``, and so is a run of ``-p`` itself whose end was cut short.
"""

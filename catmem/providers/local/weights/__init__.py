"""The model file: ``parts`` says what it is made of, ``obtain`` joins it, ``download`` runs pip."""

from __future__ import annotations

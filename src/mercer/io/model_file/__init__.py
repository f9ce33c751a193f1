"""The model file ``.mercer``: no pickle, no code, every part checked before it is used."""

from mercer.io.model_file._decode import BadModel
from mercer.io.model_file._encode import NotStorable
from mercer.io.model_file._files import ModelFile, load, open_model, save

__all__ = ["BadModel", "ModelFile", "NotStorable", "load", "open_model", "save"]

"""From a run or a Hugging Face folder to one GGUF file, tensor by tensor."""

from headway.serving.export.formats import FORMATS, Format
from headway.serving.export.writing import Exported, export_gguf

__all__ = ["FORMATS", "Exported", "Format", "export_gguf"]

"""Messages for people: Fluent catalogues, the choice of language, and formatting.

Code passes message ids and arguments; text is made here, at the edge. The first word of an id names its
catalogue file: ``recipe-unknown-key`` lives in ``locales/<language>/recipe.ftl``.
"""

from headway.i18n.negotiation import choose_language, known_languages
from headway.i18n.translator import Translator, current_translator, use_language

__all__ = ["Translator", "choose_language", "current_translator", "known_languages", "use_language"]

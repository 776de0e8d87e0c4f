/** The languages that a reader can choose, in their own words. */
export interface Language {
  readonly tag: string;
  readonly name: string;
  readonly dir: 'ltr' | 'rtl';
}

export const LANGUAGES: readonly Language[] = [
  { tag: 'en', name: 'English', dir: 'ltr' },
  { tag: 'ko', name: '한국어', dir: 'ltr' },
  { tag: 'ru', name: 'Русский', dir: 'ltr' },
  { tag: 'fr', name: 'Français', dir: 'ltr' },
  { tag: 'id', name: 'Bahasa Indonesia', dir: 'ltr' },
  { tag: 'sa', name: 'संस्कृतम्', dir: 'ltr' },
  { tag: 'ja', name: '日本語', dir: 'ltr' },
  { tag: 'de', name: 'Deutsch', dir: 'ltr' },
  { tag: 'pt', name: 'Português', dir: 'ltr' },
  { tag: 'el', name: 'Ελληνικά', dir: 'ltr' },
  { tag: 'es', name: 'Español', dir: 'ltr' },
  { tag: 'it', name: 'Italiano', dir: 'ltr' },
  { tag: 'fi', name: 'Suomi', dir: 'ltr' },
  { tag: 'la', name: 'Latina', dir: 'ltr' },
  { tag: 'zh-Hant', name: '繁體中文', dir: 'ltr' },
  { tag: 'zh-Hans', name: '简体中文', dir: 'ltr' },
  { tag: 'ar', name: 'العربية', dir: 'rtl' },
  // Made from English where the server is asked to, for tests: see headway/i18n/pseudo.py.
  { tag: 'en-XA', name: '[Þšéûðö]', dir: 'ltr' },
];

export const FALLBACK = 'en';

/** Chinese is told by its script, and many tags name a region instead. */
const SCRIPT_OF_REGION: Readonly<Record<string, string>> = {
  'zh-tw': 'zh-Hant',
  'zh-hk': 'zh-Hant',
  'zh-mo': 'zh-Hant',
  zh: 'zh-Hans',
  'zh-cn': 'zh-Hans',
  'zh-sg': 'zh-Hans',
};

/**
 * Return the first known language that serves one of some wishes.
 *
 * An exact tag wins over the same language without its region.
 */
export function negotiate(wishes: readonly string[], known: readonly string[]): string {
  const byTag = new Map(known.map((tag) => [tag.toLowerCase(), tag]));
  for (const wish of wishes) {
    const parts = wish.toLowerCase().split('-');
    for (let length = parts.length; length > 0; length -= 1) {
      const shorter = parts.slice(0, length).join('-');
      const found = byTag.get(shorter) ?? byTag.get((SCRIPT_OF_REGION[shorter] ?? '').toLowerCase());
      if (found !== undefined) return found;
    }
  }
  return FALLBACK;
}

export function directionOf(tag: string): 'ltr' | 'rtl' {
  return LANGUAGES.find((language) => language.tag === tag)?.dir ?? 'ltr';
}

/**
 * Raw SI quantities as people read them: the same rules as headway/i18n/formatting.py, which a test compares.
 *
 * Chromium knows neither Sanskrit nor Latin and would silently take its own language for them, so that English stands
 * behind every language.
 */
const UNKNOWN = '—';
const MAX_PLACES = 12;
const LARGEST_IN_DIGITS = 1e21;

type Steps = readonly (readonly [number, string])[];

const BINARY: Steps = [
  [2 ** 40, 'TiB'],
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'B'],
];
const COUNTS: Steps = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
];
const SI: Steps = [
  [1e30, 'Q'],
  [1e27, 'R'],
  [1e24, 'Y'],
  [1e21, 'Z'],
  [1e18, 'E'],
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
];
const SMALL: Steps = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'µs'],
];

const formatters = new Map<string, Intl.NumberFormat>();

function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  let found = formatters.get(key);
  if (found === undefined) {
    found = new Intl.NumberFormat([locale, 'en'], options);
    formatters.set(key, found);
  }
  return found;
}

function placesOf(value: number, digits: number): number {
  const magnitude = value ? Math.floor(Math.log10(Math.abs(value))) : 0;
  return Math.min(Math.max(0, digits - 1 - magnitude), MAX_PLACES);
}

function rounded(value: number, digits: number): number {
  const factor = 10 ** placesOf(value, digits);
  return Math.round(value * factor) / factor;
}

export function decimal(value: number, locale: string, digits = 3): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  if (value && !(size >= 10 ** -MAX_PLACES && size < LARGEST_IN_DIGITS)) return value.toExponential(digits - 1);
  return numberFormat(locale, { maximumFractionDigits: placesOf(value, digits) }).format(value + 0);
}

function scaled(value: number, steps: Steps, locale: string, digits = 3, space = ' '): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  const last = steps[steps.length - 1]!;
  const [factor, unit] = steps.find(([one]) => Math.abs(rounded(value / one, digits)) >= 1) ?? last;
  return `${decimal(value / factor, locale, digits)}${space}${unit}`;
}

export const bytes = (value: number, locale: string): string => scaled(value, BINARY, locale);

export function count(value: number, locale: string, digits = 3): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  if (Math.abs(rounded(value, digits)) < 1e4) return decimal(value, locale, Math.max(digits, 4));
  return scaled(value, COUNTS, locale, digits, '');
}

export function si(value: number, unit: string, locale: string): string {
  return scaled(
    value,
    SI.map(([factor, prefix]) => [factor, prefix + unit] as const),
    locale,
  );
}

export function duration(value: number, locale: string): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  const seconds = Math.abs(value);
  const sign = value < 0 ? '-' : '';
  if (rounded(seconds, 3) < 60) return sign + (seconds ? scaled(seconds, SMALL, locale) : '0 s');
  if (Math.round(seconds) < 3600) {
    const whole = Math.round(seconds);
    return `${sign}${Math.floor(whole / 60)} min ${whole % 60} s`;
  }
  if (Math.round(seconds / 60) * 60 < 86400) {
    const minutes = Math.round(seconds / 60);
    return `${sign}${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  }
  const hours = Math.round(seconds / 3600);
  return `${sign}${decimal(Math.floor(hours / 24), locale, 6)} d ${hours % 24} h`;
}

export function percent(value: number, locale: string, places = 1): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  return numberFormat(locale, {
    style: 'percent',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(value + 0);
}

export function usd(value: number, locale: string): string {
  if (!Number.isFinite(value)) return UNKNOWN;
  const size = Math.abs(value);
  const digits =
    !size || (size >= 1 && size < 1000)
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : size < 1
        ? { minimumFractionDigits: 0, maximumFractionDigits: Math.min(MAX_PLACES, placesOf(value, 2)) }
        : { minimumFractionDigits: 0, maximumFractionDigits: 0 };
  return numberFormat(locale, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits }).format(
    value,
  );
}

/** The time of day of a moment today, and the date with it otherwise. */
export function moment(seconds: number, locale: string): string {
  if (!Number.isFinite(seconds)) return UNKNOWN;
  const then = new Date(seconds * 1000);
  if (Number.isNaN(then.getTime())) return UNKNOWN;
  const today = new Date().toDateString() === then.toDateString();
  const style: Intl.DateTimeFormatOptions = today ? { timeStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat([locale, 'en'], style).format(then);
}

type Rule = readonly [string, (value: number, locale: string) => string];

/** How a quantity is written follows from the unit that its name ends with; the longest ending decides. */
const BY_ENDING: readonly Rule[] = [
  ['flops_per_second', (value, locale) => si(value, 'FLOP/s', locale)],
  ['bytes_per_second', (value, locale) => si(value, 'B/s', locale)],
  ['bytes_per_step', bytes],
  ['bytes_per_token', (value, locale) => decimal(value, locale)],
  ['bytes', bytes],
  ['seconds', duration],
  ['device_hours', (value, locale) => count(value, locale)],
  ['hours', (value, locale) => duration(value * 3600, locale)],
  ['days', (value, locale) => duration(value * 86400, locale)],
  ['watts', (value, locale) => si(value, 'W', locale)],
  ['joules', (value, locale) => `${decimal(value / 3.6e6, locale)} kWh`],
  ['kg_co2e', (value, locale) => `${decimal(value, locale)} kg CO2e`],
  ['usd', usd],
  ['litres', (value, locale) => `${decimal(value, locale)} L`],
  ['utilization', (value, locale) => percent(value, locale)],
  ['goodput', (value, locale) => percent(value, locale)],
  ['share', (value, locale) => percent(value, locale)],
];

export function quantity(name: string, value: unknown, locale: string): string {
  if (value === null || value === undefined) return UNKNOWN;
  if (typeof value !== 'number') return String(value);
  const fitting = BY_ENDING.filter(([ending]) => name === ending || name.endsWith(`_${ending}`));
  fitting.sort(([a], [b]) => b.length - a.length);
  return fitting[0]?.[1](value, locale) ?? count(value, locale);
}

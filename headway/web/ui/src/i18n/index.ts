/**
 * Text in the reader's language, changed in one frame.
 *
 * A catalogue is one static file for a language. It is loaded once; whatever shows text reads the signal of the present
 * language, so that a switch writes the text nodes anew and nothing else: no data is asked for again, and scroll, focus,
 * zoom and forms stay as they are.
 */
import { FluentBundle, FluentNumber, FluentResource, type FluentVariable } from '@fluent/bundle';
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import * as format from './format';
import { directionOf, FALLBACK, LANGUAGES, negotiate } from './languages';
import type { Messages } from './messages.gen';

export { LANGUAGES } from './languages';
export type MessageId = keyof Messages;
export type Arguments = Readonly<Record<string, unknown>>;
type Given<Id extends MessageId> = Messages[Id] extends undefined ? [] : [arguments_: Messages[Id]];

const REMEMBERED = 'headway-language';
const CORE = 'core';

/** Language -> domain -> address of the catalogue, as the server wrote it into the page. */
let index: Record<string, Record<string, string>> = {};
const bundles = new Map<string, FluentBundle>();
const loaded = new Map<string, Promise<void>>();

const current = signal<string>(FALLBACK);
/** Counts what was loaded later, so that texts that waited for it are written. */
const arrived = signal(0);

/** The language that is shown. */
export const language: ReadonlySignal<string> = current;

/** The languages that can be shown: those that have a catalogue here. */
export const available = (): typeof LANGUAGES => LANGUAGES.filter(({ tag }) => tag in index);

function bundleOf(tag: string): FluentBundle {
  let found = bundles.get(tag);
  if (found === undefined) {
    const number = (value: FluentVariable | undefined): number =>
      value instanceof FluentNumber ? value.value : Number(value ?? NaN);
    const one =
      (write: (value: number, locale: string) => string) =>
      ([value]: FluentVariable[]): string =>
        write(number(value), tag);
    found = new FluentBundle([tag, FALLBACK], {
      // Numbers and names run from left to right within a text that does not.
      useIsolating: directionOf(tag) === 'rtl',
      functions: {
        BYTES: one(format.bytes),
        COUNT: one(format.count),
        DECIMAL: ([value, digits]: FluentVariable[]) =>
          format.decimal(number(value), tag, digits === undefined ? 3 : number(digits)),
        DURATION: one(format.duration),
        FLOPS: one((value, locale) => format.si(value, 'FLOP/s', locale)),
        BYTERATE: one((value, locale) => format.si(value, 'B/s', locale)),
        WATTS: one((value, locale) => format.si(value, 'W', locale)),
        PERCENT: one(format.percent),
        USD: one(format.usd),
      },
    });
    bundles.set(tag, found);
  }
  return found;
}

/** Load a catalogue once; what cannot be loaded is tried again when it is next asked for. */
function load(tag: string, domain: string): Promise<void> {
  const name = index[tag]?.[domain];
  if (name === undefined) return Promise.resolve();
  let waiting = loaded.get(name);
  if (waiting === undefined) {
    waiting = fetch(`/locales/${name}`)
      .then(async (answer) => {
        if (!answer.ok) throw new Error(String(answer.status));
        bundleOf(tag).addResource(new FluentResource(await answer.text()));
        arrived.value += 1;
      })
      .catch((error: unknown) => {
        loaded.delete(name);
        throw error;
      });
    loaded.set(name, waiting);
  }
  return waiting;
}

/** Start with the language that was chosen before, else the browser's. */
export async function start(locales: Record<string, Record<string, string>>): Promise<void> {
  index = locales;
  const chosen = localStorage.getItem(REMEMBERED);
  const wishes = [...(chosen === null ? [] : [chosen]), ...navigator.languages];
  await show(negotiate(wishes, Object.keys(index)));
}

async function show(tag: string): Promise<void> {
  await load(tag, CORE);
  // What a page has shown of other catalogues is wanted in this language too.
  for (const domain of domains) void load(tag, domain).catch(() => undefined);
  document.documentElement.lang = tag;
  document.documentElement.dir = directionOf(tag);
  current.value = tag;
}

/** Show another language, and remember it. */
export async function choose(tag: string): Promise<void> {
  await show(tag);
  localStorage.setItem(REMEMBERED, tag);
}

const domains = new Set<string>();

function render(id: string, given: Arguments | undefined): string | undefined {
  // Both are read, so that whoever shows this text is told when either changes.
  const tag = current.value;
  void arrived.value;
  const [base, attribute] = id.split('.') as [string, string | undefined];
  const message = bundleOf(tag).getMessage(base);
  const pattern = attribute === undefined ? message?.value : message?.attributes[attribute];
  if (pattern == null) return undefined;
  const plain: Record<string, FluentVariable> = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    // What is not known is a dash, and no zero.
    plain[name] = typeof value === 'number' ? value : value == null ? '—' : String(value);
  }
  return bundleOf(tag).formatPattern(pattern, plain, []);
}

/** Return a message of the page itself; its id and arguments are checked when the page is built. */
export function text<Id extends MessageId>(id: Id, ...given: Given<Id>): string {
  return render(id, given[0]) ?? id;
}

/** Return a message that the server named; its catalogue is loaded when it is first needed, and its place is empty till then. */
export function told(id: string, given?: Arguments): string {
  const found = render(id, given);
  if (found !== undefined) return found;
  const domain = id.split('-')[0] ?? '';
  if (index[current.value]?.[domain] === undefined || domains.has(domain)) return id;
  domains.add(domain);
  void load(current.value, domain).catch(() => domains.delete(domain));
  return '';
}

/** Say whether a message is loaded. */
export const has = (id: string): boolean => render(id, {}) !== undefined;

/** A text that follows the language: given to an element, it changes that text and nothing around it. */
export function live(write: () => string): ReadonlySignal<string> {
  return computed(write);
}

/** Write a quantity by the unit that its name ends with. */
export function quantity(name: string, value: unknown): string {
  const written = format.quantity(name, value, current.value);
  // A token is a word, and no symbol that all languages share.
  return typeof value === 'number' && /(^|_)tokens_per_second/.test(name)
    ? text('ui-tokens-per-second', { count: written })
    : written;
}
export const moment = (seconds: number): string => format.moment(seconds, current.value);
export const percent = (value: number): string => format.percent(value, current.value);

/**
 * The words of the console. `say` returns a text of the catalogue in the language of the reader; numbers in it are written as the
 * language writes them. The catalogue is chosen once, before the first screen is drawn.
 */
import type { agentsEn } from './agents-en.ts';
import type { controlEn } from './control-en.ts';
import type { en } from './en.ts';
import type { tablesEn } from './tables-en.ts';

/** A text, or its forms by number: the value `n` chooses one. */
export type Entry = string | { readonly one: string; readonly other: string };
export type Key = keyof typeof en | keyof typeof controlEn | keyof typeof tablesEn | keyof typeof agentsEn;
export type Catalogue = Readonly<Record<keyof typeof en, Entry>>;
/** The words of the screens under Control, which are loaded with the first of them. */
export type ControlCatalogue = Readonly<Record<keyof typeof controlEn, Entry>>;
/** The words of tables, which are loaded with the first of their screens. */
export type TablesCatalogue = Readonly<Record<keyof typeof tablesEn, Entry>>;
/** The words of agent runs and of programs that connect, which are loaded with the first of their screens. */
export type AgentsCatalogue = Readonly<Record<keyof typeof agentsEn, Entry>>;
export type Values = Readonly<Record<string, string | number>>;

export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
/** `xa` stretches every text, `xb` is drawn from right to left: both show what a translation would break. */
type Locale = Language | 'xa' | 'xb';

const STORED = 'language';

let catalogue = {} as Readonly<Record<string, Entry>>;
let locale: Locale = 'en';

/** Returns an English text of the service, such as the title of a failure, in the language of the reader where there are words. */
export let sayOfService = (text: string): string => text;

/** Returns the tag that `Intl` understands. */
export function localeTag(): string {
  return locale === 'xa' ? 'en' : locale === 'xb' ? 'ar-u-nu-latn' : locale;
}

export function currentLanguage(): Language {
  return locale === 'de' ? 'de' : 'en';
}

/** Chooses the language: the stored one, else the first of the browser that there is. */
export async function loadWords(): Promise<void> {
  const stored = localStorage.getItem(STORED);
  const wanted = [stored ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
  locale = (wanted.find((tag) => tag in LANGUAGES || tag === 'xa' || tag === 'xb') ?? 'en') as Locale;
  catalogue = await readCatalogue();
  document.documentElement.lang = locale === 'xa' ? 'en' : locale === 'xb' ? 'ar' : locale;
  document.documentElement.dir = locale === 'xb' ? 'rtl' : 'ltr';
}

/** Adds the words of the screens under Control. */
export async function loadControlWords(): Promise<void> {
  const words: ControlCatalogue =
    locale === 'de' ? (await import('./control-de.ts')).controlDe : (await import('./control-en.ts')).controlEn;
  catalogue = { ...catalogue, ...(await changed(words)) };
}

/** Adds the words of tables. */
export async function loadTablesWords(): Promise<void> {
  const words: TablesCatalogue =
    locale === 'de' ? (await import('./tables-de.ts')).tablesDe : (await import('./tables-en.ts')).tablesEn;
  catalogue = { ...catalogue, ...(await changed(words)) };
}

/** Adds the words of agent runs and of programs that connect. */
export async function loadAgentsWords(): Promise<void> {
  const words: AgentsCatalogue =
    locale === 'de' ? (await import('./agents-de.ts')).agentsDe : (await import('./agents-en.ts')).agentsEn;
  catalogue = { ...catalogue, ...(await changed(words)) };
}

/** Only the catalogue that is used is loaded. */
async function readCatalogue(): Promise<Readonly<Record<string, Entry>>> {
  if (locale !== 'de') return changed((await import('./en.ts')).en);
  const [{ de }, { saidDe }] = await Promise.all([import('./de.ts'), import('./said-de.ts')]);
  sayOfService = saidDe;
  return de;
}

/** Returns the words as the locale shows them: changed for the two locales of tests. */
async function changed(words: Readonly<Record<string, Entry>>): Promise<Readonly<Record<string, Entry>>> {
  if (locale !== 'xa' && locale !== 'xb') return words;
  const { mirrored, stretched } = await import('./pseudo.ts');
  return locale === 'xa' ? stretched(words) : mirrored(words);
}

/** Stores the language, and loads the page in it. */
export function changeLanguage(language: Language): void {
  localStorage.setItem(STORED, language);
  location.reload();
}

/** Returns the text of a key with the values at its places `{name}`. */
export function say(key: Key, values: Values = {}): string {
  return pieces(formOf(catalogue[key] ?? key, values))
    .map((piece) => (piece.place === undefined ? piece.text : written(values[piece.place] ?? '')))
    .join('');
}

/** Returns the text cut at its places, for texts in which a value is more than text. */
export function sayPieces(key: Key, values: Values = {}): { text: string; place?: string }[] {
  return pieces(formOf(catalogue[key] ?? key, values)).map((piece) =>
    piece.place !== undefined && piece.place in values ? { text: written(values[piece.place]!) } : piece,
  );
}

function formOf(entry: Entry, values: Values): string {
  if (typeof entry === 'string') return entry;
  return new Intl.PluralRules(localeTag()).select(Number(values['n'])) === 'one' ? entry.one : entry.other;
}

function written(value: string | number): string {
  return typeof value === 'number' ? value.toLocaleString(localeTag()) : value;
}

function pieces(text: string): { text: string; place?: string }[] {
  return text
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{\w+\}$/.test(part) ? { text: part, place: part.slice(1, -1) } : { text: part }));
}

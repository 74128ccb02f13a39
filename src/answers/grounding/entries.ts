/** Ties a claim to the entry of a passage that it speaks of: what stands behind another key says nothing about this one. Pure. */
import type { UnitKind } from '../../text/sentences.ts';
import { type Item, isTerm, type Statement, termsOf } from './claims.ts';

/** Share of a sentence's terms that its quote must have. */
export const COVERAGE_MIN = 0.6;

/** A line with a key and a value, in a record, code, an item or a table. `terms` are all terms of the line. */
export interface Entry {
  name: string;
  key: ReadonlySet<string>;
  terms: ReadonlySet<string>;
}

interface Part extends Statement {
  /** Null for a sentence. */
  entry: Entry | null;
}

/** The parts of a passage for one claim. Where the claim names no key, all parts are in `rest`. */
export interface ByKey<P> {
  /** Entries whose key the claim names. */
  named: P[];
  /** Other entries, without those that say most of the claim and speak of a named key. */
  others: P[];
  rest: P[];
}

/** `key: value` and `key = value`, and the first cell of a row. */
const KEYED = /^[^\p{L}\p{N}]*(.{1,80}?)["'`*]{0,3}\s*(?::(?=\s)|：|(?<![=!<>])=(?![=>]))\s*\S/u;
const ROW = /^[^\p{L}\p{N}]*(.{1,80}?)\s*[|\t]\s*\S/u;
const COLON = /[:：]/;

/** Returns a line as an entry; null for a line without a key. */
export function entryOf(line: string, kind: UnitKind, language: string | null): Entry | null {
  const name = kind === 'sentence' ? undefined : (kind === 'row' ? ROW : KEYED).exec(line)?.[1];
  if (name === undefined) return null;
  const key = termsOf(name, language);
  return key.size === 0 ? null : { name, key, terms: termsOf(line, language) };
}

/** Returns the text of an entry in which its key and its value are one clause. */
export function asClause(entry: string): string {
  return entry.replace(COLON, '=');
}

/** @param claimed the terms of a claim. */
export function byKey<P extends Part>(claimed: ReadonlySet<string>, parts: readonly P[]): ByKey<P> {
  const isNamed = ({ key }: Entry): boolean => key.isSubsetOf(claimed);
  const keys = new Map(
    parts.flatMap(({ entry }) => (entry !== null && isNamed(entry) ? [[entry.name, entry.key]] : [])),
  );
  // An entry may say something about the key of another one: `Charging: the battery is full after 90 minutes`.
  const isAbout = ({ terms }: Entry): boolean =>
    claimed.intersection(terms).size >= COVERAGE_MIN * claimed.size &&
    keys.values().some((key) => key.isSubsetOf(terms));
  const kindOf = ({ entry }: P): keyof ByKey<P> => {
    if (entry === null || keys.size === 0) return 'rest';
    return isNamed(entry) ? 'named' : isAbout(entry) ? 'rest' : 'others';
  };
  return { named: [], others: [], rest: [], ...Object.groupBy(parts, kindOf) };
}

/**
 * Returns the keys that a claim names and of which it says something else: beside `timeout: 30`, the line `retries: 5` says nothing about
 * the timeout. A claim may say a value in other words, so words of other values count only when they are more than those of the own value.
 * A key with all of its value in the claim may also stand for the thing that the claim describes.
 */
export function contradictedKeys(
  items: readonly Item[],
  claimed: ReadonlySet<string>,
  { named, others, rest }: ByKey<Part>,
): { text: string }[] {
  const said = new Set(named.flatMap(({ entry }) => (entry!.terms.isSubsetOf(claimed) ? [entry!.name] : [])));
  const open = named.filter(({ entry }) => !said.has(entry!.name));
  if (open.length === 0) return [];
  const isIn = ({ keys }: Item, has: ReadonlySet<string>): boolean => keys.some((key) => has.has(key));
  const hasValue = (item: Item) => (part: Part) => isIn(item, part.keys) && !isIn(item, part.entry!.key);
  const foreign = items.filter((item) => ![...named, ...rest].some(({ keys }) => isIn(item, keys)));
  const own = items.filter((item) => isTerm(item) && named.some(hasValue(item))).length;
  const ofOthers = foreign.filter((item) => others.some(hasValue(item)));
  const isOther = ofOthers.some(({ kind }) => kind === 'number') || ofOthers.filter(isTerm).length > own;
  return isOther || (own === 0 && foreign.length > 0) ? open.map(({ entry }) => ({ text: entry!.name })) : [];
}

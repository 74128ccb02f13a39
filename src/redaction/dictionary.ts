/** Finds many terms at once: an Aho-Corasick automaton over the canonical form, with its own folding of case and bounds of words. */
import { canonicalForm } from './canonical-text.ts';
import type { Finder } from './redaction-session.ts';
import { wordBegins, wordEnds } from './word-bounds.ts';

export interface DictionaryOptions {
  ignoreCase: boolean;
  wholeWords: boolean;
}

export function openDictionary(terms: readonly string[], { ignoreCase, wholeWords }: DictionaryOptions): Finder {
  const fold = ignoreCase ? (code: number) => foldCase(oneBlank(code)) : oneBlank;
  const trie = new Automaton(formsOf(terms), fold);
  const { depth, termAt, shorterTerm } = trie;
  return {
    scan(text, from, until, found) {
      let state = 0;
      for (let i = from; i < text.length && i - depth[state]! < until; i++) {
        state = trie.step(state, fold(text.charCodeAt(i)));
        // The longest term that ends here is enough: the shorter terms lie within it.
        for (let at = termAt[state] ? state : shorterTerm[state]!; at > 0; at = shorterTerm[at]!) {
          const end = i + 1;
          const start = end - depth[at]!;
          if (start >= until) break;
          if (wholeWords && !(wordBegins(text, start) && wordEnds(text, end))) continue;
          found(start, end);
          break;
        }
      }
      return Math.max(from, until);
    },
    openFrom(text, from) {
      let state = 0;
      for (let i = Math.max(from, text.length - trie.longest); i < text.length; i++)
        state = trie.step(state, fold(text.charCodeAt(i)));
      return text.length - depth[state]!;
    },
  };

  function formsOf(given: readonly string[]): Set<string> {
    // A text writes an accent as part of its letter or as a separate character, and a hyphen at the end of a line is removed.
    const forms = given.flatMap((term) =>
      ['NFC', 'NFD'].map((form) => canonicalForm(term.trim().normalize(form)).text),
    );
    return new Set([...forms, ...forms.map((form) => form.replaceAll(/(?<=\p{L})-(?=\p{Ll})/gu, ''))]);
  }
}

const TAB = 0x09;
const LINE_FEED = 0x0a;
const SPACE = 0x20;

/** Several blanks and line breaks count as one blank. */
function oneBlank(code: number): number {
  return code === TAB || code === LINE_FEED ? SPACE : code;
}

class Automaton {
  readonly depth: Int32Array;
  readonly fail: Int32Array;
  /** 1 if a term ends in this state. */
  readonly termAt: Uint8Array;
  /** The longest suffix of this state that is a term; 0 without one. */
  readonly shorterTerm: Int32Array;
  longest = 0;
  /** Children by (state, unit) in a hash table with open addressing; -1 marks a free slot. */
  readonly #states: Int32Array;
  readonly #units: Uint16Array;
  readonly #children: Int32Array;
  readonly #mask: number;

  constructor(terms: ReadonlySet<string>, fold: (code: number) => number) {
    let units = 1;
    for (const term of terms) units += term.length;
    let slots = 16;
    while (slots < units * 2) slots *= 2;
    this.#mask = slots - 1;
    this.#states = new Int32Array(slots).fill(-1);
    this.#units = new Uint16Array(slots);
    this.#children = new Int32Array(slots);
    this.depth = new Int32Array(units);
    this.fail = new Int32Array(units);
    this.termAt = new Uint8Array(units);
    this.shorterTerm = new Int32Array(units);
    this.#link(this.#insert(terms, fold));
  }

  /** @returns the (parent, unit) of each state, in the order of their creation. */
  #insert(terms: ReadonlySet<string>, fold: (code: number) => number): { parent: number; unit: number }[] {
    const made = [{ parent: 0, unit: 0 }];
    for (const term of terms) {
      if (term === '') continue;
      let state = 0;
      for (let i = 0; i < term.length; i++) {
        const unit = fold(term.charCodeAt(i));
        let child = this.#child(state, unit);
        if (child < 0) {
          child = made.push({ parent: state, unit }) - 1;
          this.depth[child] = i + 1;
          const slot = this.#slot(state, unit);
          this.#states[slot] = state;
          this.#units[slot] = unit;
          this.#children[slot] = child;
        }
        state = child;
      }
      this.termAt[state] = 1;
      this.longest = Math.max(this.longest, term.length);
    }
    return made;
  }

  #link(made: readonly { parent: number; unit: number }[]): void {
    const order = Int32Array.from(made.keys()).sort((a, b) => this.depth[a]! - this.depth[b]!);
    for (const state of order) {
      if (state === 0) continue;
      const { parent, unit } = made[state]!;
      const fail = parent === 0 ? 0 : this.step(this.fail[parent]!, unit);
      this.fail[state] = fail;
      this.shorterTerm[state] = this.termAt[fail] ? fail : this.shorterTerm[fail]!;
    }
  }

  step(from: number, unit: number): number {
    for (let state = from; ; state = this.fail[state]!) {
      const child = this.#child(state, unit);
      if (child >= 0) return child;
      if (state === 0) return 0;
    }
  }

  #child(state: number, unit: number): number {
    const slot = this.#slot(state, unit);
    return this.#states[slot] === -1 ? -1 : this.#children[slot]!;
  }

  /** Returns the slot of (state, unit), or the free slot for it. */
  #slot(state: number, unit: number): number {
    let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    while (this.#states[slot] !== -1 && !(this.#states[slot] === state && this.#units[slot] === unit))
      slot = (slot + 1) & this.#mask;
    return slot;
  }
}

const folded = new Int32Array(0x10000).fill(-1);

/** Folds case unit by unit, so that offsets stay: ß does not become ss. */
function foldCase(code: number): number {
  if (folded[code] === -1) {
    const char = String.fromCharCode(code);
    const upper = char.toUpperCase();
    const lower = (upper.length === 1 ? upper : char).toLowerCase();
    folded[code] = lower.length === 1 ? lower.charCodeAt(0) : code;
  }
  return folded[code]!;
}

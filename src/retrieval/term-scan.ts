/**
 * BM25 of texts by their terms alone, to the scores of the index (pg_textsearch): it counts a term up to 255 times, and knows the
 * length of a text to four binary digits. Pure.
 */

/** A text with at least one of the wanted terms. */
export interface Counted {
  /** Which text. */
  text: number;
  /** Which of the wanted terms are in it, ascending. */
  places: readonly number[];
  /** How often each of these is. */
  counts: readonly number[];
  /** As the index knows it. */
  length: number;
}

export interface TermScan {
  /** Which of the texts have some of these terms, which are distinct. */
  (wanted: readonly string[]): Counted[];
  /** Of memory that it takes. */
  bytes: number;
}

/** PostgreSQL counts a word up to so many times. */
const COUNT_MAX = 255;
/** PostgreSQL indexes no longer words. */
const TERM_LENGTH_MAX = 2046;
const BLANK = 32;
const HASH_START = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;
const BUCKETS = 4096;

/** Texts of terms with blanks between them. They are taken apart once, at 3 ms for a thousand short texts; a look then takes 0.3 ms. */
export function openTermScan(texts: readonly string[]): TermScan {
  const { hashes, starts, firsts } = takeApart(texts);
  const lengths = Uint32Array.from(texts, (_, i) =>
    roundedLength(countedLength(hashes.subarray(firsts[i]!, firsts[i + 1]!))),
  );
  const scan = (wanted: readonly string[]): Counted[] => {
    const places = Map.groupBy(wanted.keys(), (place) => hashOf(wanted[place]!));
    const mayBe = new Uint8Array(BUCKETS);
    for (const value of places.keys()) mayBe[value & (BUCKETS - 1)] = 1;
    const found: Counted[] = [];
    for (let i = 0; i < texts.length; i++) {
      const last = firsts[i + 1]!;
      let counts: Map<number, number> | undefined;
      for (let term = firsts[i]!; term < last; term++) {
        const value = hashes[term]!;
        if (mayBe[value & (BUCKETS - 1)] === 0) continue;
        for (const place of places.get(value) ?? []) {
          if (!isAt(texts[i]!, starts[term]!, wanted[place]!)) continue;
          counts ??= new Map();
          counts.set(place, Math.min((counts.get(place) ?? 0) + 1, COUNT_MAX));
        }
      }
      if (counts) found.push(toCounted(i, counts, lengths[i]!));
    }
    return found;
  };
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  return Object.assign(scan, { bytes: units + hashes.byteLength + starts.byteLength + 2 * firsts.byteLength });
}

function toCounted(text: number, counts: ReadonlyMap<number, number>, length: number): Counted {
  const places = [...counts.keys()].sort((a, b) => a - b);
  return { text, places, counts: places.map((place) => counts.get(place)!), length };
}

interface Apart {
  /** Of each term: its hash, and where it begins in its text. */
  hashes: Int32Array;
  starts: Int32Array;
  /** Of each text, and at the end: where its terms begin. */
  firsts: Int32Array;
}

function takeApart(texts: readonly string[]): Apart {
  const units = texts.reduce((sum, text) => sum + text.length + 1, 0);
  const hashes = new Int32Array(Math.ceil(units / 2) + 1);
  const starts = new Int32Array(hashes.length);
  const firsts = new Int32Array(texts.length + 1);
  let count = 0;
  texts.forEach((text, i) => {
    let value = HASH_START;
    let start = 0;
    for (let at = 0; at <= text.length; at++) {
      const unit = at === text.length ? BLANK : text.charCodeAt(at);
      if (unit !== BLANK) {
        value = Math.imul(value ^ unit, HASH_FACTOR);
        continue;
      }
      if (at > start && at - start <= TERM_LENGTH_MAX) {
        hashes[count] = value;
        starts[count] = start;
        count += 1;
      }
      value = HASH_START;
      start = at + 1;
    }
    firsts[i + 1] = count;
  });
  return { hashes: hashes.slice(0, count), starts: starts.slice(0, count), firsts };
}

/** The term stands there, up to a blank or the end. */
function isAt(text: string, start: number, term: string): boolean {
  const end = start + term.length;
  return text.startsWith(term, start) && (end === text.length || text.charCodeAt(end) === BLANK);
}

function hashOf(term: string): number {
  let value = HASH_START;
  for (let at = 0; at < term.length; at++) value = Math.imul(value ^ term.charCodeAt(at), HASH_FACTOR);
  return value;
}

/** How many terms there are, each counted up to COUNT_MAX times. */
function countedLength(hashes: Int32Array): number {
  if (hashes.length <= COUNT_MAX) return hashes.length;
  const counts = new Map<number, number>();
  for (const value of hashes) counts.set(value, (counts.get(value) ?? 0) + 1);
  let length = 0;
  for (const count of counts.values()) length += Math.min(count, COUNT_MAX);
  return length;
}

const EXACT_LENGTHS = 24;

/** The index keeps lengths in a byte: to 24 exactly, above with the four highest binary digits of what exceeds 24. */
export function roundedLength(length: number): number {
  if (length < EXACT_LENGTHS) return length;
  const beyond = length - EXACT_LENGTHS;
  const dropped = Math.max(0, 28 - Math.clz32(beyond));
  return EXACT_LENGTHS + ((beyond >>> dropped) << dropped);
}

/**
 * Finds the numbered part that a question names, such as "§ 433", "Section 12 of the GPL 3" or "Matthew 5:9". Its answer stands in exactly
 * this part: the parts beside it, and parts that refer to it, do not answer.
 */
import { lazy } from '../../util/lazy.ts';
import { cjkValue } from '../grounding/numbers.ts';
import { pairsByLanguage } from '../word-lists.ts';
import type { Candidate } from './passage-score.ts';

/** The kind is undefined where only a number stands: "12. Termination". */
interface Part {
  kind: string | undefined;
  number: string;
}

/** The numbered parts that a passage stands in. */
interface Place {
  /** The parts of its headings, and of numbers that stand as a heading: "Art. 5", "4.1. Powers". */
  parts: readonly Part[];
  /** The number of a list item or verse inside them. */
  item: string | undefined;
}

const NUMBER = String.raw`\d{1,5}[a-z]?(?:[.:]\d{1,4}){0,4}(?![\p{L}\p{N}])`;
const EAST_ASIAN = /[\p{sc=Han}\p{sc=Hang}]/u;
const SECTION_SIGN = 'section';

const KINDS = lazy(() => new Map([...pairsByLanguage('part-words').values()].flat()));
const patterns = lazy(() => {
  const words = [...KINDS().keys()];
  const spaced = words.filter((word) => !EAST_ASIAN.test(word)).join('|');
  const unspaced = words.filter((word) => EAST_ASIAN.test(word)).join('|');
  const named = [
    `(?:(?<![\\p{L}\\p{N}])(?<word>${spaced})(?!\\p{L})\\.?|(?<sign>§{1,2}))\\s{0,3}(?<number>${NUMBER})`,
    `(?<![\\p{L}\\p{N}.])(?<first>${NUMBER})\\.\\s(?<last>${spaced})(?!\\p{L})`,
    // "3条" alone may be three pieces of something.
    `(?:[第제]\\s?|(?<=[法則则規规約约典법]\\s?))(?<counted>\\d{1,5}|[〇一二三四五六七八九十百千]{1,7})\\s?(?<unit>${unspaced})`,
  ].join('|');
  return { asked: new RegExp(named, 'giu'), opening: new RegExp(`^[#\\s*>]{0,9}(?:${named})`, 'iu') };
});
/** A chapter and a verse after a name: "Matthew 5:9". A time of day has two digits after the colon. */
const VERSE = /(?<!\p{L})\p{Lu}\p{L}{1,30}\.? (?<number>\d{1,3}:[1-9]\d{0,2})(?!\p{N}|:)/gu;
/** A number at the start of a passage. */
const NUMBERED = new RegExp(`^[#\\s*>]{0,9}(?<number>${NUMBER})(?<mark>[.:)]?)(?=\\s|$)`, 'u');
/** A heading of a name and a number, such as "Matthew 5", counts only as the chapter of a verse. */
const NAMED = /^[#\s]{0,9}\p{L}[\p{L}\s]{0,40}\s(?<number>\d{1,3})$/u;
/** The rest of a line that is no sentence. */
const TITLE_REST = /^(?:[.:)—–-]|[^.!?。]{0,100}$)/mu;
const CHAPTER = 'chapter';
const VERSE_KIND = 'verse';

/**
 * Returns the candidates of the part that the question names, of the document that it names; `isExact` tells that there are some. A text
 * without numbered parts that speaks of the part counts, too: an article about a law. Returns all candidates if no part is named.
 *
 * @param namesDocument returns how many words of the question the title of the candidate's file has.
 */
export function ofAskedPart(
  candidates: readonly Candidate[],
  question: string,
  namesDocument: (candidate: Candidate) => number,
): { candidates: readonly Candidate[]; isExact: boolean } {
  // A follow-up question stands before the questions that it continues.
  const [asked] = partsIn(question);
  if (asked === undefined) return { candidates, isExact: false };
  const places = placesOf(candidates);
  const isVerse = asked.kind === VERSE_KIND;
  const named = candidates.map(namesDocument);
  const namedMost = Math.max(...named);
  const isOfDocument = namedMost > 0 || !isVerse;
  for (const isKnown of [true, false]) {
    const inPart = candidates.filter(
      (_, i) => isOfDocument && named[i] === namedMost && isIn(places[i]!, asked, isKnown),
    );
    if (inPart.length > 0) return { candidates: inPart, isExact: true };
  }
  const numbered = new Set(candidates.filter((_, i) => places[i]!.parts.length > 0).map(({ chunk }) => chunk));
  const prose = candidates.filter(({ chunk }) => !numbered.has(chunk));
  const isMentioned = prose.some(({ text, chunk }) =>
    partsIn([...chunk.headingPath, text].join('\n')).some(
      ({ kind, number }) => kind === asked.kind && number === asked.number,
    ),
  );
  if (isMentioned) return { candidates: prose, isExact: false };
  // A number such as 4:51 is seldom a verse where no verses are.
  const hasVerses = places.some(({ parts }) => parts.some(({ number }) => number.includes(':')));
  return { candidates: isVerse && !hasVerses ? candidates : [], isExact: false };
}

/** Returns the numbered parts that a text names. */
function partsIn(text: string): Part[] {
  const plain = text.normalize('NFKC');
  const named = [...plain.matchAll(patterns().asked)].map(({ groups }) => partOf(groups!));
  if (named.length > 0) return named;
  return [...plain.matchAll(VERSE)].map(({ groups }) => ({ kind: VERSE_KIND, number: groups!['number']! }));
}

function partOf(groups: Readonly<Record<string, string | undefined>>): Part {
  const { word, sign, number, first, last, counted, unit } = groups;
  if (sign !== undefined) return { kind: SECTION_SIGN, number: number! };
  if (counted !== undefined)
    return { kind: KINDS().get(unit!), number: /\d/.test(counted) ? counted : String(cjkValue(counted)) };
  return { kind: KINDS().get((word ?? last!).toLowerCase()), number: number ?? first! };
}

/** Returns true for a question about a numbered part. */
export function asksPart(question: string): boolean {
  return partsIn(question).length > 0;
}

/** Returns the hits, those first that have the part that the question names: its number is a weak word for a search. */
export function askedPartFirst<T extends { headingPath: readonly string[]; content: string }>(
  question: string,
  hits: readonly T[],
): readonly T[] {
  const [asked] = partsIn(question);
  if (asked === undefined) return hits;
  const opens = (line: string, isHeading: boolean): boolean => {
    const part = openingPart(line.normalize('NFKC'), isHeading);
    return part !== undefined && isIn({ parts: [part], item: undefined }, asked, false);
  };
  const has = ({ headingPath, content }: T): boolean =>
    headingPath.some((title) => opens(title, true)) || content.split('\n').some((line) => opens(line, false));
  return [...hits].sort((a, b) => Number(has(b)) - Number(has(a)));
}

/** Returns the words of a question without the numbered parts that it names. */
export function withoutParts(question: string): string {
  return question
    .normalize('NFKC')
    .replace(patterns().asked, ' ')
    .replace(VERSE, (name) => name.replace(/ \d.*/u, ''));
}

/** Returns true for a title that names a numbered part, and no document. */
export function namesPart(title: string): boolean {
  return openingPart(title.normalize('NFKC'), true) !== undefined && !NAMED.test(title);
}

/** Returns whether a place is in a part: section 4.1 is in section 4. `isKnown` wants the kind of the part at the place. */
function isIn({ parts, item }: Place, asked: Part, isKnown: boolean): boolean {
  const isPart = ({ kind, number }: Part): boolean =>
    `${plain(number)}.`.startsWith(`${plain(asked.number)}.`) && (kind === undefined ? !isKnown : kind === asked.kind);
  if (parts.some(isPart)) return true;
  if (isKnown) return false;
  const [chapter, verse] = asked.number.split(':');
  if (verse !== undefined) return item === verse && parts.some(({ number }) => number === chapter);
  return item === asked.number && parts.length === 0;
}

function plain(number: string): string {
  return number.replaceAll(':', '.');
}

/** Returns the places of the candidates, which are in reading order. */
function placesOf(candidates: readonly Candidate[]): Place[] {
  const titles = new Map<Candidate['chunk'], Part[]>();
  let [outer, item]: [Part | undefined, string | undefined] = [undefined, undefined];
  return candidates.map(({ chunk, text, kind, position }, i) => {
    const before = candidates[i - 1];
    if (before?.chunk !== chunk) [outer, item] = [undefined, undefined];
    if (!titles.has(chunk))
      titles.set(
        chunk,
        chunk.headingPath.flatMap((title) => openingPart(title, true) ?? []),
      );
    const isUnit = before?.chunk !== chunk || before.position !== position;
    const line = text.normalize('NFKC');
    const part = isUnit ? openingPart(line, kind === 'heading') : undefined;
    if (part !== undefined) [outer, item] = [part, undefined];
    const parts = [...titles.get(chunk)!, ...(outer ? [outer] : [])];
    const { number, mark } = (isUnit && part === undefined && NUMBERED.exec(line)?.groups) || {};
    if (number !== undefined && (mark !== '' || parts.some((one) => one.kind === CHAPTER))) item = number;
    return { parts, item };
  });
}

/** Returns the part that a text opens; a sentence that only speaks of a part, such as "Article 5 applies.", opens none. */
function openingPart(text: string, isHeading: boolean): Part | undefined {
  const named = patterns().opening.exec(text);
  if (named) return isHeading || TITLE_REST.test(text.slice(named[0].length)) ? partOf(named.groups!) : undefined;
  const { number } = NUMBERED.exec(text)?.groups ?? {};
  if (number !== undefined && (isHeading || /[.:]/.test(number))) return { kind: undefined, number };
  const chapter = isHeading ? NAMED.exec(text)?.groups?.['number'] : undefined;
  return chapter === undefined ? undefined : { kind: CHAPTER, number: chapter };
}

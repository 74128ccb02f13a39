/**
 * Finds the numbered part that a question names, such as "§ 433" or "Section 12 of the GPL 3". Its answer stands in exactly this part: the
 * parts beside it, and parts that refer to it, do not answer.
 */
import { lazy } from '../../util/lazy.ts';
import { cjkValue } from '../grounding/numbers.ts';
import { pairsByLanguage, patternOf } from '../word-lists.ts';
import { asksMails } from './mail-header.ts';
import type { Candidate } from './passage-score.ts';
import { allTerms, topicTerms } from './words.ts';

/** The kind is undefined where only a number stands: "12. Termination". */
interface Part {
  kind: string | undefined;
  number: string;
}

/** The numbered parts that a passage stands in. */
interface Place {
  /** The parts of its headings, and of numbers that stand as a heading: "Art. 5", "4.1. Powers". */
  parts: readonly Part[];
  /** The number of a list item inside them. */
  item: string | undefined;
}

const NUMBER = String.raw`\d{1,5}[a-z]?(?:\.\d{1,4}){0,4}(?![\p{L}\p{N}])`;
const EAST_ASIAN = /[\p{sc=Han}\p{sc=Hang}]/u;
const SECTION = 'section';

const KINDS = lazy(() => new Map([...pairsByLanguage('part-words').values()].flat()));
const ASKS_CONTENT = lazy(() => patternOf('content-words'));
const patterns = lazy(() => {
  // "Art" is also a word: "der dritten Art", "3. Art".
  const words = [...KINDS().keys()].filter((word) => word !== 'art');
  const spaced = words.filter((word) => !EAST_ASIAN.test(word)).join('|');
  const unspaced = words.filter((word) => EAST_ASIAN.test(word)).join('|');
  const named = [
    `(?:(?<![\\p{L}\\p{N}])(?<word>art|${spaced})(?!\\p{L})\\.?|(?<sign>§{1,2}))\\s{0,3}(?<number>${NUMBER})`,
    `(?<![\\p{L}\\p{N}.])(?<first>${NUMBER})\\.\\s(?<last>${spaced})(?!\\p{L})`,
    // "3条" alone may be three pieces of something.
    `(?:[第제]\\s?|(?<=[法則则規规約约典법]\\s?))(?<counted>\\d{1,5}|[〇一二三四五六七八九十百千]{1,7})\\s?(?<unit>${unspaced})`,
  ].join('|');
  return { asked: new RegExp(named, 'giu'), opening: new RegExp(`^[#\\s*>]{0,9}(?:${named})`, 'iu') };
});
/** A number at the start of a passage. */
const NUMBERED = new RegExp(`^[#\\s*>]{0,9}(?<number>${NUMBER})(?<mark>[.:)]?)(?=\\s|$)`, 'u');
/** The rest of a line that is no sentence. */
const TITLE_REST = /^(?:[.:)—–-]|[^.!?。]{0,100}$)/mu;

/**
 * Returns the candidates of the part that the question names, of the document that it names. If the document has other parts of this kind,
 * only texts without such parts remain, and only if they speak of the part: an article about a law. Returns all candidates if no part is
 * named, if nothing tells that the number means a part, or if a mail may answer.
 *
 * `speaking` is only there if the part is: its candidates, and those of texts without such parts that speak of it.
 */
export function ofAskedPart(
  candidates: readonly Candidate[],
  question: string,
): { candidates: readonly Candidate[]; speaking?: readonly Candidate[] } {
  const asked = askedPart(question);
  if (asked === undefined || asksMails(question)) return { candidates };
  const named = candidates.map((one) => namedOfDocument(one, question));
  const namedMost = Math.max(...named);
  const places = placesOf(candidates);
  const numbered = new Set(candidates.filter((_, i) => hasKind(places[i]!, asked)).map(({ chunk }) => chunk.name));
  const others = candidates.filter(({ chunk }) => !numbered.has(chunk.name));
  const speaking = others.filter(({ text, chunk }) =>
    partsIn([...chunk.headingPath, text].join('\n')).some(
      ({ kind, number }) => kind === asked.kind && number === asked.number,
    ),
  );
  // A text without parts may have more words of the question in its titles: "Penalty overview".
  const counts = [...new Set(named)].filter((count) => count > 0 || namedMost === 0).sort((a, b) => b - a);
  const hasParts = ({ chunk }: Candidate, place: Place): boolean =>
    hasKind(place, asked) || (!numbered.has(chunk.name) && hasNumber(place, asked));
  for (const isKnown of [true, false])
    for (const count of counts) {
      const ofDocument = candidates.flatMap((one, i) => (named[i] === count ? [{ one, place: places[i]! }] : []));
      const there = ofDocument.filter(({ place }) => isIn(place, asked, isKnown)).map(({ one }) => one);
      if (there.length > 0) return { candidates: there, speaking: [...there, ...speaking] };
      if (ofDocument.some(({ one, place }) => hasParts(one, place))) break;
    }
  if (speaking.length > 0) return { candidates: others };
  const isOfSeries = candidates.some(
    ({ chunk }, i) =>
      named[i] === namedMost && (numbered.has(chunk.name) || (namedMost > 0 && hasNumber(places[i]!, asked))),
  );
  return { candidates: isOfSeries ? [] : others };
}

/**
 * Returns 'whole' for a question that has no words besides the part and the document, such as "What does section 12 of the GPL say?", and
 * 'heading' if its other words are all in the heading of the part.
 */
export function asksAll(candidates: readonly Candidate[], question: string): 'whole' | 'heading' | undefined {
  const topic = topicOf(question);
  // The number is there because the analyzer keeps stop words if a text has no other words. The question may be in another language.
  const isIn = (terms: ReadonlySet<string>, { chunk }: Candidate): boolean =>
    [chunk.language, null].some((language) =>
      topicTerms(`${topic} 0`, language).every((term) => term === '0' || terms.has(term)),
    );
  if (candidates.some((one) => isIn(titleTerms(one), one))) return 'whole';
  return candidates.some((one) => isIn(one.headingTerms, one)) ? 'heading' : undefined;
}

/** Returns how many words of a question are in the titles of a candidate's file. */
function namedOfDocument(one: Candidate, question: string): number {
  const titles = titleTerms(one);
  return topicTerms(withoutParts(question), one.chunk.language).filter((term) => titles.has(term)).length;
}

/** Returns the terms of the file name and of the headings above, without those of numbered parts. */
function titleTerms({ chunk, nameTerms }: Candidate): ReadonlySet<string> {
  const titles = chunk.headingPath.filter((title) => !namesPart(title)).join('\n');
  return new Set([...nameTerms, ...allTerms(titles, chunk.language)]);
}

/** Returns whether a place is in a part of the asked kind. */
function hasKind({ parts }: Place, asked: Part): boolean {
  return parts.some(({ kind }) => kind === asked.kind);
}

/** Returns whether a place has a number without a kind that may count sections. */
function hasNumber({ parts, item }: Place, asked: Part): boolean {
  if (asked.kind !== SECTION) return false;
  return parts.some(({ kind }) => kind === undefined) || (parts.length === 0 && item !== undefined);
}

/** Returns the part that a question names; undefined for a question that compares several. */
function askedPart(question: string): Part | undefined {
  // A follow-up question stands before the questions that it continues.
  const [asked, ...others] =
    question
      .split(/[?？]/u)
      .map(partsIn)
      .find(({ length }) => length > 0) ?? [];
  const isOther = ({ kind, number }: Part): boolean => kind === asked?.kind && number !== asked?.number;
  return others.some(isOther) ? undefined : asked;
}

/** Returns the numbered parts that a text names. */
function partsIn(text: string): Part[] {
  return [...text.normalize('NFKC').matchAll(patterns().asked)].map(({ groups }) => partOf(groups!));
}

function partOf(groups: Readonly<Record<string, string | undefined>>): Part {
  const { word, sign, number, first, last, counted, unit } = groups;
  if (sign !== undefined) return { kind: SECTION, number: number! };
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
  const asked = askedPart(question);
  if (asked === undefined) return hits;
  const opens = (line: string, isHeading: boolean): boolean => {
    const part = openingPart(line.normalize('NFKC'), isHeading);
    return part !== undefined && isIn({ parts: [part], item: undefined }, asked, false);
  };
  const has = ({ headingPath, content }: T): boolean =>
    headingPath.some((title) => opens(title, true)) || content.split('\n').some((line) => opens(line, false));
  return [...hits].sort((a, b) => Number(has(b)) - Number(has(a)));
}

/**
 * Returns the words of a question without the numbered parts that it names. The numbers of a version stand alone, as those of a file name
 * do: "GFDL 1.3" is `GFDL-1.3.txt`.
 */
export function withoutParts(question: string): string {
  return question
    .normalize('NFKC')
    .replace(patterns().asked, ' ')
    .replace(/(?<=\d)\.(?=\d)/g, ' ');
}

/** Returns the words of a question without the numbered parts that it names, and without "What does ... say?". */
function topicOf(question: string): string {
  return withoutParts(question).replace(ASKS_CONTENT(), ' ');
}

/** Returns true for a title that names a numbered part, and no document. */
function namesPart(title: string): boolean {
  return openingPart(title.normalize('NFKC'), true) !== undefined;
}

/** Returns whether a place is in a part: section 4.1 is in section 4. `isKnown` wants the kind of the part at the place. */
function isIn({ parts, item }: Place, asked: Part, isKnown: boolean): boolean {
  const isPart = ({ kind, number }: Part): boolean =>
    `${number}.`.startsWith(`${asked.number}.`) && (kind === asked.kind || (!isKnown && kind === undefined));
  return parts.some(isPart) || (!isKnown && item === asked.number && parts.length === 0);
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
    if (number !== undefined && mark !== '') item = number;
    return { parts, item };
  });
}

/** Returns the part that a text opens; a sentence that only speaks of a part, such as "Article 5 applies.", opens none. */
function openingPart(text: string, isHeading: boolean): Part | undefined {
  const named = patterns().opening.exec(text);
  if (named) return isHeading || TITLE_REST.test(text.slice(named[0].length)) ? partOf(named.groups!) : undefined;
  const { number } = NUMBERED.exec(text)?.groups ?? {};
  return number !== undefined && (isHeading || number.includes('.')) ? { kind: undefined, number } : undefined;
}

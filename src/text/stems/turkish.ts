/**
 * Stemming of Turkish by its grammar: endings are taken off one by one, each only where vowel harmony and the letter before it allow it,
 * until a known word is left (turkish-roots.ts); by rule when none is. (Snowball's cuts `insan` to `in`, and leaves verbs as they are.)
 */
import { fold } from '../fold.ts';
import { CHANGED_NOUNS, NOUNS, VERBS } from './turkish-roots.ts';

/** What must stand before an ending. */
type Before = 'any' | 'vowel' | 'high' | 'consonant' | 'case';
type Level = 'noun' | 'verb';

interface Ending {
  before: Before;
  from: Level;
  to: Level;
  /** Taken off also when no known word is left: by so many letters at least. */
  leastByRule: number;
}

const NEVER = 99;
const SHORT = 3;
const LONG = 4;

/** `A` is a or e, `I` ı, i, u or ü, `D` d or t, as harmony has it; by what stands before, from and to what they lead, letters left by rule. */
const INVENTORY: readonly (readonly [endings: string, Before, Level, Level, leastByRule: number])[] = [
  ['lAr DA DAn DIr', 'any', 'noun', 'noun', SHORT],
  ['nDA nDAn nI nA ncA', 'high', 'noun', 'noun', SHORT],
  ['nIn yI yA ylA sI yDI ymIş ysA yken', 'vowel', 'noun', 'noun', SHORT],
  ['In I lA', 'consonant', 'noun', 'noun', SHORT],
  ['A', 'consonant', 'noun', 'noun', LONG],
  ['ki', 'case', 'noun', 'noun', SHORT],
  ['DI mIş', 'any', 'noun', 'noun', NEVER],
  ['mIz nIz', 'vowel', 'noun', 'noun', NEVER],
  ['sInIz sAnIz', 'any', 'noun', 'noun', NEVER],
  ['lI lIk lIğ CI CA sIz sAl', 'any', 'noun', 'noun', NEVER],
  ['mA mAk mAğ DI mIş DIk DIğ mAktA mAlI mAdAn mIyor', 'any', 'noun', 'verb', SHORT],
  ['AcAk AcAğ ArAk Iyor AmIyor', 'consonant', 'noun', 'verb', SHORT],
  ['yAcAk yAcAğ yArAk yor yAmIyor', 'vowel', 'noun', 'verb', SHORT],
  ['An Ir Ar Iş Im Ip IncA IcI AlI', 'consonant', 'noun', 'verb', NEVER],
  ['yAn r yIş m yIp yIncA yIcI mAz mAzlIk', 'vowel', 'noun', 'verb', NEVER],
  ['mAz sA', 'consonant', 'noun', 'verb', NEVER],
  ['Il In', 'consonant', 'verb', 'verb', SHORT],
  ['Abil AmA Iş', 'consonant', 'verb', 'verb', NEVER],
  ['yAbil yAmA n t', 'vowel', 'verb', 'verb', NEVER],
  ['mA DIr', 'any', 'verb', 'verb', NEVER],
];

const ENDINGS = new Map<string, Ending[]>();
for (const [list, before, from, to, leastByRule] of INVENTORY) {
  for (const ending of list.split(' ').flatMap(spellings)) {
    ENDINGS.set(ending, [...(ENDINGS.get(ending) ?? []), { before, from, to, leastByRule }]);
  }
}
const ENDING_UNITS_MAX = Math.max(...[...ENDINGS.keys()].map((ending) => ending.length));
const LEVELS: readonly Level[] = ['noun', 'verb'];
const UNITS_MIN = 2;

const VOWELS = 'aeıioöuü';
const VOICELESS = 'fstkçşhp';
const HARMONY: Record<string, string> = { a: 'aı', ı: 'aı', o: 'au', u: 'au', e: 'ei', i: 'ei', ö: 'eü', ü: 'eü' };
/** Behind these, words from Arabic and French have front vowels after back ones: saati, rolü, harfi. */
const SOFT = /[aou][lrnktpfbm]?[ltkfpb]$/;
const SOFT_UNITS_MAX = 3;
const PLURAL = /l[ae]r$/;
/** `t` is voiced in few verbs: gitmek, gütmek, tatmak, etmek and those made of it. */
const VOICED_VERB = /^(?:gi|gü|ta)d$|ed$/;
const VOICED_END: Record<string, string> = { b: 'p', c: 'ç', d: 't', ğ: 'k' };
const CIRCUMFLEXES: Record<string, string> = { â: 'a', î: 'i', û: 'u' };

/** Longer words are not known ones in the plural. */
const KNOWN_UNITS_MAX = Math.max(...[...NOUNS, ...VERBS].map((root) => root.length)) + 'ler'.length;
/** Roots that would be one when folded (`ol`, `öl`) are told apart by a letter that Turkish does not have. */
const APART = new Map<string, string>();
const TAKEN = new Set<string>();
for (const root of new Set([...NOUNS, ...VERBS])) {
  let stem = root;
  while (TAKEN.has(fold(stem))) stem += 'q';
  TAKEN.add(fold(stem));
  if (stem !== root) APART.set(root, stem);
}

/** `word` in lower case, dotless ı and all. Time is linear in the word. */
export function stemTurkish(word: string): string {
  const root = rootOf(word);
  return APART.get(root) ?? root;
}

function rootOf(word: string): string {
  const plain = word.replace(/[âîû]/g, (letter) => CIRCUMFLEXES[letter]!);
  const root = knownRoot(plain, 'noun');
  if (root !== undefined && NOUNS.has(root)) return root;
  // An imperative has no ending of its own: `değiştir`.
  const verb = knownRoot(plain, 'verb');
  return (verb && verb.length > (root?.length ?? 0) ? verb : root) ?? byRule(plain);
}

/** The longest known word that endings can be taken off to. `whole`: what the word is with all of them. */
function knownRoot(word: string, whole: Level): string | undefined {
  const reached: Record<Level, Set<number>> = { noun: new Set(), verb: new Set() };
  reached[whole].add(word.length);
  for (let units = word.length; units >= UNITS_MIN; units--) {
    for (const level of LEVELS) {
      if (!reached[level].has(units)) continue;
      const rest = word.slice(0, units);
      const isLong = units > KNOWN_UNITS_MAX;
      const root = isLong ? undefined : level === 'noun' ? asNoun(rest) : asVerb(rest);
      if (root !== undefined) return root;
      for (const way of waysOn(rest, level)) reached[way.to].add(way.rest.length);
    }
  }
  return undefined;
}

/** As the dictionary has it: `kitab` is `kitap`, `şehr` is `şehir`; and `işler` is `iş`, not a form of `işle`. */
function asNoun(word: string): string | undefined {
  if (NOUNS.has(word)) return word;
  const hard = hardened(word);
  if (NOUNS.has(hard)) return hard;
  const single = word.replace(PLURAL, '');
  return NOUNS.has(single) ? single : CHANGED_NOUNS.get(word);
}

/** `gid` is `git`, `başl` (of `başlıyor`) is `başla`. */
function asVerb(word: string): string | undefined {
  if (VERBS.has(word)) return word;
  const longer = VOICED_VERB.test(word) ? [hardened(word)] : [`${word}a`, `${word}e`];
  return longer.find((verb) => VERBS.has(verb));
}

function byRule(word: string): string {
  let [rest, level] = [word, 'noun' as Level];
  for (;;) {
    const way = waysOn(rest, level).find((one) => one.rest.length >= one.leastByRule);
    if (!way) break;
    rest = way.rest;
    level = way.to;
  }
  return rest.length > LONG ? hardened(rest).replace(/[ae]$/, '') : rest;
}

interface Way {
  rest: string;
  to: Level;
  leastByRule: number;
}

/** What can be taken off, the longest ending first. */
function waysOn(word: string, level: Level): Way[] {
  const ways: Way[] = [];
  for (let units = Math.min(ENDING_UNITS_MAX, word.length - UNITS_MIN); units > 0; units--) {
    const endings = ENDINGS.get(word.slice(-units));
    if (!endings) continue;
    const rest = word.slice(0, -units);
    for (const { before, from, to, leastByRule } of endings) {
      if (from === level && fits(rest, word.slice(-units), before)) ways.push({ rest, to, leastByRule });
    }
  }
  return ways;
}

function fits(rest: string, ending: string, before: Before): boolean {
  const last = rest.at(-1)!;
  if (before === 'case' ? !/[dt][ae]$/.test(rest.slice(-2)) : !mayStandBefore(last, before)) return false;
  if (/^[dc]/.test(ending) && VOICELESS.includes(last)) return false;
  if (/^[tç]./.test(ending) && !VOICELESS.includes(last)) return false;
  const vowel = firstVowel(ending);
  if (!vowel) return true;
  const lastVowel = lastVowelOf(rest);
  if (!lastVowel) return false;
  return (
    before === 'case' ||
    HARMONY[lastVowel]!.includes(vowel) ||
    (SOFT.test(rest.slice(-SOFT_UNITS_MAX)) && 'eiü'.includes(vowel))
  );
}

function mayStandBefore(letter: string, before: Before): boolean {
  if (before === 'any') return true;
  if (before === 'high') return 'ıiuü'.includes(letter);
  return VOWELS.includes(letter) === (before === 'vowel');
}

function lastVowelOf(word: string): string | undefined {
  for (let i = word.length - 1; i >= 0; i--) if (VOWELS.includes(word[i]!)) return word[i];
  return undefined;
}

function firstVowel(ending: string): string | undefined {
  return [...ending].find((letter) => VOWELS.includes(letter));
}

/** Last letters are voiced before vowels: kitap, kitabı; renk, rengi. */
function hardened(word: string): string {
  const end = VOICED_END[word.at(-1)!];
  if (end) return word.slice(0, -1) + end;
  return word.endsWith('ng') ? `${word.slice(0, -1)}k` : word;
}

/** All that harmony makes of an ending. */
function spellings(ending: string): string[] {
  const both = [ending.replaceAll('D', 'd').replaceAll('C', 'c'), ending.replaceAll('D', 't').replaceAll('C', 'ç')];
  const all = [...new Set(both)].flatMap((one) => [
    one.replaceAll('A', 'a').replaceAll('I', 'ı'),
    one.replaceAll('A', 'a').replaceAll('I', 'u'),
    one.replaceAll('A', 'e').replaceAll('I', 'i'),
    one.replaceAll('A', 'e').replaceAll('I', 'ü'),
  ]);
  return [...new Set(all)];
}

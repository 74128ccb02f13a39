/**
 * Stems Turkish words by grammar. The stemmer removes endings one by one, each only where vowel harmony and the letter before it
 * allow the ending, until a known root is left (turkish-roots.ts). If no known root is left, it stems by rule.
 * (Snowball's stemmer cuts `insan` to `in` and does not stem verbs.)
 * nDCG@10 on bench/manual-sets.ts: pages .582, tips .557; with Snowball's stemmer .564 and .523.
 */
import { turkishRoots } from './turkish-roots.ts';

/** The letter or the ending that must stand before an ending. */
type Before = 'any' | 'vowel' | 'high' | 'consonant' | 'case';
type Level = 'noun' | 'verb';

interface Ending {
  before: Before;
  from: Level;
  to: Level;
  /** Minimum length of the rest for which the ending is removed by rule, without a known root. */
  ruleUnitsMin: number;
}

const NEVER = 99;
const SHORT = 3;
const LONG = 4;

/**
 * Endings with the members of `Ending`. By harmony, `A` is a or e, `I` is ı, i, u or ü, `D` is d or t, and `C` is c or ç.
 */
const INVENTORY: readonly (readonly [endings: string, Before, from: Level, to: Level, ruleUnitsMin: number])[] = [
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
for (const [list, before, from, to, ruleUnitsMin] of INVENTORY) {
  for (const ending of list.split(' ').flatMap(spellings)) {
    ENDINGS.set(ending, [...(ENDINGS.get(ending) ?? []), { before, from, to, ruleUnitsMin }]);
  }
}
const ENDING_UNITS_MAX = Math.max(...[...ENDINGS.keys()].map((ending) => ending.length));
const LEVELS: readonly Level[] = ['noun', 'verb'];
const UNITS_MIN = 2;

const VOWELS = 'aeıioöuü';
const VOICELESS = 'fstkçşhp';
const HARMONY: Record<string, string> = { a: 'aı', ı: 'aı', o: 'au', u: 'au', e: 'ei', i: 'ei', ö: 'eü', ü: 'eü' };
/** Word ends behind which words from Arabic and French have front vowels after back vowels: saati, rolü, harfi. */
const SOFT = /[aou][lrnktpfbm]?[ltkfpb]$/;
const SOFT_UNITS_MAX = 3;
const PLURAL = /l[ae]r$/;
/** `t` is voiced in few verbs: gitmek, gütmek, tatmak, etmek and verbs made of etmek. */
const VOICED_VERB = /^(?:gi|gü|ta)d$|ed$/;
const VOICED_END: Record<string, string> = { b: 'p', c: 'ç', d: 't', ğ: 'k' };
const CIRCUMFLEXES: Record<string, string> = { â: 'a', î: 'i', û: 'u' };

const PLURAL_UNITS = 'ler'.length;

/**
 * Returns the stem of a Turkish word. The time is linear in the length of the word.
 *
 * @param word in lower case, with the dotless ı of Turkish.
 */
export function stemTurkish(word: string): string {
  const root = rootOf(word);
  return turkishRoots().distinctStems.get(root) ?? root;
}

function rootOf(word: string): string {
  const plain = word.replace(/[âîû]/g, (letter) => CIRCUMFLEXES[letter]!);
  const root = knownRoot(plain, 'noun');
  if (root !== undefined && turkishRoots().nouns.has(root)) return root;
  // An imperative is a verb without an ending: `değiştir`.
  const verb = knownRoot(plain, 'verb');
  return (verb && verb.length > (root?.length ?? 0) ? verb : root) ?? byRule(plain);
}

/** Returns the longest known root that is left when endings are removed. `whole` is the level of the word with all its endings. */
function knownRoot(word: string, whole: Level): string | undefined {
  const unitsMax = turkishRoots().unitsMax + PLURAL_UNITS;
  const reached: Record<Level, Set<number>> = { noun: new Set(), verb: new Set() };
  reached[whole].add(word.length);
  for (let units = word.length; units >= UNITS_MIN; units--) {
    for (const level of LEVELS) {
      if (!reached[level].has(units)) continue;
      const rest = word.slice(0, units);
      const isLong = units > unitsMax;
      const root = isLong ? undefined : level === 'noun' ? asNoun(rest) : asVerb(rest);
      if (root !== undefined) return root;
      for (const removal of removalsFrom(rest, level)) reached[removal.to].add(removal.rest.length);
    }
  }
  return undefined;
}

/** Returns the listed noun of a form: `kitap` of `kitab`, `şehir` of `şehr`, and `iş` of `işler`, which is not a form of `işle`. */
function asNoun(word: string): string | undefined {
  const { nouns, changedNouns } = turkishRoots();
  if (nouns.has(word)) return word;
  const hard = hardened(word);
  if (nouns.has(hard)) return hard;
  const single = word.replace(PLURAL, '');
  return nouns.has(single) ? single : changedNouns.get(word);
}

/** Returns the listed verb of a form: `git` of `gid`, `başla` of `başl` (in `başlıyor`). */
function asVerb(word: string): string | undefined {
  const { verbs } = turkishRoots();
  if (verbs.has(word)) return word;
  const longer = VOICED_VERB.test(word) ? [hardened(word)] : [`${word}a`, `${word}e`];
  return longer.find((verb) => verbs.has(verb));
}

function byRule(word: string): string {
  let [rest, level] = [word, 'noun' as Level];
  for (;;) {
    const removal = removalsFrom(rest, level).find((one) => one.rest.length >= one.ruleUnitsMin);
    if (!removal) break;
    rest = removal.rest;
    level = removal.to;
  }
  return rest.length > LONG ? hardened(rest).replace(/[ae]$/, '') : rest;
}

/** A word without one of its endings. */
interface Removal {
  rest: string;
  to: Level;
  ruleUnitsMin: number;
}

/** Returns the ways to remove one ending, the longest ending first. */
function removalsFrom(word: string, level: Level): Removal[] {
  const removals: Removal[] = [];
  for (let units = Math.min(ENDING_UNITS_MAX, word.length - UNITS_MIN); units > 0; units--) {
    const endings = ENDINGS.get(word.slice(-units));
    if (!endings) continue;
    const rest = word.slice(0, -units);
    for (const { before, from, to, ruleUnitsMin } of endings) {
      if (from === level && fits(rest, word.slice(-units), before)) removals.push({ rest, to, ruleUnitsMin });
    }
  }
  return removals;
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

/** Returns a form with the last letter that it has without an ending. Before a vowel the letter is voiced: kitap, kitabı; renk, rengi. */
function hardened(word: string): string {
  const end = VOICED_END[word.at(-1)!];
  if (end) return word.slice(0, -1) + end;
  return word.endsWith('ng') ? `${word.slice(0, -1)}k` : word;
}

/** Returns all spellings that harmony makes of an ending. */
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

/** Unites the forms of a Chinese character: traditional, simplified and Japanese. */
import { lazy } from '../../util/lazy.ts';
import { readWordList } from '../../util/package-files.ts';

const HAN = /[\u3400-\u9fff]/g;

/** The simplified form of each other form. */
const simplified = lazy((): ReadonlyMap<string, string> => {
  const lines = readWordList('han/variants.txt').map((line) => [...line] as [string, ...string[]]);
  return new Map(lines.flatMap(([first, ...others]) => others.map((other) => [other, first] as const)));
});

/** Returns a text of the same length with one form for each Chinese character: 資料庫, 资料库. */
export function uniteHan(text: string): string {
  return text.replace(HAN, (character) => simplified().get(character) ?? character);
}

const simplifiedForms = lazy((): ReadonlySet<string> => new Set(simplified().values()));

/**
 * Returns whether a Chinese text is written in traditional characters: at least half of the characters that tell. A few are the
 * simplified form of one word and the only form of another: 面.
 */
export function isTraditional(text: string): boolean {
  const characters = text.match(HAN) ?? [];
  const traditional = characters.filter((one) => simplified().has(one)).length;
  return traditional > 0 && traditional >= characters.filter((one) => simplifiedForms().has(one)).length;
}

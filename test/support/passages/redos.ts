/** Regular expressions and texts that are made to be slow. */
import { openRandom } from '../random.ts';

/**
 * Patterns within the limits of rules. Backtracking engines need exponential or quadratic time for them, or they cost
 * our engine the most.
 */
export const HOSTILE_PATTERNS = [
  '(a{1,10}){1,12}b',
  '(?:a|a){1,39}b',
  '(?:a|aa){1,33}b',
  '(?:a?){30}a{30}',
  '[ab]*a[ab]{64}c',
  '.{0,64}a.{0,64}b',
  '(\\w+\\s?){1,2}!',
  '\\pL{1,190}\\d',
  '(?:[a-z]+\\.){1,2}x',
  '(?:x|y|z|\\w){1,24}#',
  'a+b+c+',
  '\\w{190}x|\\w',
  '(?:\\w{1,2}){90}x|\\d',
  '\\w+@\\w+\\.\\w+',
];

/** Returns texts of this length by name. */
export function hostileTexts(length: number): Record<string, string> {
  const repeated = (piece: string): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
  const random = openRandom(1);
  const noise = (alphabet: string): string => Array.from({ length }, () => random.pick([...alphabet])).join('');
  return {
    letters: repeated('a'),
    'a and b': noise('ab'),
    digits: noise('0123456789'),
    'digits and blanks': repeated('1 '),
    'digits and signs': noise('0123456789 -./()+'),
    dots: repeated('a.'),
    'at signs': repeated('a@'),
    'almost addresses': repeated('a.b.c@d.e.f-'),
    schemes: repeated('ab://'),
    colons: repeated('a1:'),
    parameters: `https://${repeated('a?token=')}`.slice(0, length),
    'begin lines': repeated('-----BEGIN PRIVATE KEY-----'),
    'born born': repeated('born on '),
    'almost accounts': repeated('DE89 3704 '),
    'almost tokens': repeated('eyJhbGciOiJ.eyJ'),
    'almost keys': repeated('sk-a-ghp_'),
    'full width': repeated('４１１１　'),
    'zero width': repeated('4\u200b\u200b'),
    words: repeated('lorem ipsum dolor '),
    noise: noise('ab12 .@:/-+()\n'),
  };
}

/** Finds e-mail addresses, with letters of any script. */
import { patternFinder } from './pattern-finder.ts';

const LOCAL_MAX = 64;
const DOMAIN_MAX = 255;
/** Scripts with blanks between words: letters directly beside each other belong to one word. */
const LETTER = '\\p{sc=Latn}\\p{sc=Cyrl}\\p{sc=Grek}\\p{sc=Arab}\\p{sc=Hebr}\\p{sc=Deva}\\p{M}\\d';
/** In other scripts an address may directly follow a word. The part before the @ is therefore in one script only. */
const UNSPACED = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}ー';
const LOCAL = [
  `(?:(?<![${LETTER}_%+-])[${LETTER}_](?:[${LETTER}._%+'&-]{0,62}[${LETTER}_+%-])?|`,
  `(?<![${UNSPACED}])[${UNSPACED}]{1,30}(?:[._+-][${LETTER}._+-]{0,30}[${LETTER}])?)`,
].join('');
/** The last label begins with a letter: 1.2.3@4.5 is a version number. */
const DOMAIN = [
  `(?:[${LETTER}${UNSPACED}](?:[${LETTER}${UNSPACED}-]{0,61}[${LETTER}${UNSPACED}])?\\.){1,8}(?:xn--[a-z0-9-`,
  `]{2,59}|(?!\\d)[${LETTER}]{2,63}|한국|中国|中國|香港|台湾|台灣|みんな|公司|网络|集团)`,
].join('');
/** The name of a file is no address: logo@2x.png. A file that is named after an address is: jane@example.com.pdf. */
const FILE = /\.(?:png|jpe?g|gif|webp|svg|ico|bmp|css|js|ts|html?|pdf|mp4)$/i;

const NAMED_AFTER = /\.(?:com|net|org|edu|gov|info|(?!js|ts)[a-z]{2})\.[a-z\d]+$/i;

export const email = patternFinder({
  pattern: new RegExp(`${LOCAL}@\\n?${DOMAIN}(?![${LETTER}@])`, 'giu'),
  accept(match) {
    const at = match.indexOf('@');
    const isFile = FILE.test(match) && !NAMED_AFTER.test(match);
    return !match.includes('..') && !isFile && at <= LOCAL_MAX && match.length - at <= DOMAIN_MAX;
  },
  members: /[\p{L}\p{M}\d._%+'&@\n-]/u,
  first: /[\p{L}\p{M}\d_]/u,
  needs: '@',
  longest: LOCAL_MAX + 1 + DOMAIN_MAX,
});

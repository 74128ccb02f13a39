/** E-mail addresses: also with letters of any script, never a part of a longer one. */
import { patternFinder } from './pattern-finder.ts';

const LOCAL_MAX = 64;
const DOMAIN_MAX = 255;

export const email = patternFinder({
  // The last label begins with a letter: 1.2.3@4.5 is a version of something.
  pattern:
    /(?<![\p{L}\p{M}\p{N}_%+'&-])[\p{L}\p{M}\p{N}_](?:[\p{L}\p{M}\p{N}._%+'&-]{0,62}[\p{L}\p{M}\p{N}_+%-])?@(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?\.){1,8}(?:xn--[a-z0-9-]{2,59}|[\p{L}][\p{L}\p{M}]{1,62})(?![\p{L}\p{N}@])/giu,
  accept: (match) =>
    !match.includes('..') && match.indexOf('@') <= LOCAL_MAX && match.length - match.indexOf('@') <= DOMAIN_MAX,
  members: /[\p{L}\p{M}\p{N}._%+'&@-]/u,
  first: /[\p{L}\p{M}\p{N}_]/u,
  needs: '@',
  longest: LOCAL_MAX + 1 + DOMAIN_MAX,
});

/** Finds IP addresses of both versions. Version numbers, times and hardware addresses that look similar are left out. */
import ipaddr from 'ipaddr.js';
import type { Finder } from '../redaction-session.ts';
import { patternFinder, saysBefore } from './pattern-finder.ts';

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const NUMBERING = new RegExp(
  [
    String.raw`(?:\b(?:v|ver|vers|version|versión|versione|release|rev|revision|build|firmware|section|sec|chapter|`,
    'clause|article|abschnitt|kapitel|ziffer|kap|figure|fig|table|oid|paragraph|para|item|step|note)|§|第|',
    'バージョン|버전|版)[ \t.:#]{0,3}$',
  ].join(''),
  'iu',
);

const v4 = patternFinder({
  pattern: new RegExp(
    `(?<![\\p{sc=Latn}\\p{sc=Cyrl}\\p{sc=Grek}\\d_.])(?:${OCTET}\\.){3}${OCTET}(?![\\d_\\p{sc=Latn}\\p{sc=Cyrl}\\p{sc=Grek}]|\\.\\d)`,
    'gu',
  ),
  accept(match, text, start) {
    const isInPath = /[^/:]\/$/.test(text.slice(Math.max(0, start - 2), start));
    return (
      !isInPath && !saysBefore(NUMBERING, text, start) && !/[項项節节章条款]/.test(text[start + match.length] ?? '')
    );
  },
  members: /[\d._\p{L}-]/u,
  first: /\d/,
  longest: 20,
});

const v6 = patternFinder({
  pattern: new RegExp(
    [
      String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_:.])(?:[\da-f]{0,4}:){2,7}(?:[\da-f]{1,4}|`,
      String.raw`(?:\d{1,3}\.){3}\d{1,3})?(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_:]|\.\d)`,
    ].join(''),
    'giu',
  ),
  accept(match) {
    // Eight pairs of hexadecimal digits are a hardware address or the beginning of a fingerprint.
    if (!/\d/.test(match) || /^(?:[\da-f]{2}:){7}[\da-f]{2}$/i.test(match)) return false;
    return ipaddr.IPv6.isValid(match);
  },
  needs: ':',
  members: /[\p{L}\d:._]/u,
  first: /[\da-f:]/i,
  longest: 50,
});

export const ipAddress: Finder = {
  scan(text, from, until, found) {
    v6.scan(text, from, until, found);
    v4.scan(text, from, until, found);
    return Math.max(from, until);
  },
  openFrom: (text, from) => Math.min(v4.openFrom(text, from), v6.openFrom(text, from)),
};

/** Finds international bank account numbers: the length of the country's numbers, and the check of ISO 13616 (mod 97). */
import { patternFinder } from './pattern-finder.ts';

const LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 ' +
    'LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 ' +
    'SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

export const iban = patternFinder({
  pattern: /(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])[A-Z]{2}[ \t\n-]?\d{2}(?:[ \t\n.-]?[A-Z\d]){11,29}/giu,
  accept(match, text, start) {
    const length = LENGTHS[match.slice(0, 2).toUpperCase()];
    if (length === undefined) return false;
    let end = 0;
    for (let characters = 0; characters < length; end++) {
      if (end >= match.length) return false;
      if (!' \t\n.-'.includes(match[end]!)) characters++;
    }
    if (/[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_]/u.test(text[start + end] ?? ' ')) return false;
    return (
      isMod97(
        match
          .slice(0, end)
          .replaceAll(/[ \t\n.-]/g, '')
          .toUpperCase(),
      ) && { start, end: start + end }
    );
  },
  members: /[A-Za-z\d \t\n.-]/,
  first: /[A-Za-z]/,
  begins: /(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_])(?:[A-Z]$|[A-Z]{2}[ \t\n-]?(?:\d|$))/iuy,
  longest: 70,
});

function isMod97(account: string): boolean {
  let rest = 0;
  for (const char of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

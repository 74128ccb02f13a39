/**
 * Finds phone numbers: international numbers (`+` or `00`), and national numbers with a telling form or a telling word before them.
 * libphonenumber knows the forms of each country.
 */
import { createRequire } from 'node:module';
import type { CountryCode } from 'libphonenumber-js/max';
import { lazy } from '../../util/lazy.ts';
import { patternFinder, saysBefore } from './pattern-finder.ts';

/** The forms of the numbers of all countries: 90 modules, which a service without rules for phone numbers does not load. */
const forms = lazy(
  () => createRequire(import.meta.url)('libphonenumber-js/max') as typeof import('libphonenumber-js/max'),
);

/** The countries whose national numbers are recognised, in the order of trying. */
const COUNTRIES: readonly CountryCode[] = [
  'US',
  'GB',
  'DE',
  'FR',
  'JP',
  'KR',
  'ES',
  'IT',
  'NL',
  'CH',
  'AT',
  'BE',
  'SE',
  'PL',
  'PT',
  'IE',
  'AU',
  'BR',
  'IN',
  'CN',
  'MX',
];
const CALLS_IT_PHONE = new RegExp(
  [
    String.raw`(?:\b(?:tel|tél|telephone|phone|ph|mobile|mob|cell|cellphone|call(?: me| us)?(?: at| on)?|fax|whatsapp|`,
    String.raw`sms|text|hotline|telefon|telefonnummer|tel\.-nr|handy|mobil|rufnummer|durchwahl|téléphone|portable|`,
    'appelez(?:-moi)?(?: au)?|fixe|teléfono|telefono|móvil|movil|celular|llame al|cellulare|cell|recapito|',
    String.raw`telefoon|telefoonnummer|mobiel|gsm|telefone|telemóvel|telefonu|mobilnr)\b|電話|電話番号|携帯|携帯電話|連絡先|ファックス|TEL|`,
    String.raw`전화|전화번호|휴대폰|핸드폰|연락처|电话|手机|联系电话)[^\p{L}\d]{0,4}(?:(?:no|nr|number|num|nummer|numéro|numero|número|番号|번호|`,
    String.raw`is|ist|est|es|è|at|on|under|unter|au|al|は|号码)[^\p{L}\d]{0,3}){0,2}$`,
  ].join(''),
  'iu',
);
const CALLS_IT_OTHERWISE = new RegExp(
  [
    String.raw`(?:\b(?:order|invoice|ticket|case|ref|reference|serial|sku|isbn|issn|item|part|article|account|acct|id|`,
    'model|version|art|artikel|bestellung|bestellnummer|rechnung|auftrag|konto|kundennummer|aktenzeichen|',
    'facture|commande|référence|compte|pedido|factura|ordine|fattura|bestelling|factuur|doi|patent|lot|batch|',
    String.raw`tracking|zip|plz)\b|注文|番号|請求書|주문|송장|订单|編號)[^\p{L}\d]{0,4}(?:(?:no|nr|n|n°|nº|number|num|nummer|numéro|`,
    String.raw`numero|número|id|code|is|号|번호)[^\p{L}\d]{0,3}){0,2}$`,
  ].join(''),
  'iu',
);

/** The form of national numbers: a trunk prefix and groups. */
const WRITTEN_NATIONALLY =
  /^(?:\(0\d{1,5}\)|0\d{1,5})(?: ?[/-] ?|[ .]|(?<=\)))\d{2,8}(?:([ .-])\d{2,5}(?:\1\d{2,5}){0,3})?$/;
/** Three, three and four digits. */
const WRITTEN_AMERICAN = /^(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])\d{3}[ .-]\d{4}$/;
const WRITTEN_IN_FOURS = /^\d{4}([ .-])\d{4}\1\d{4}/;
const DATE = /^\d{1,4}([./-])\d{1,2}\1\d{1,4}(?!\d)/;
/** Groups as in lists of decimals. */
const SIGNS_TOGETHER = /[.-]{2}/;
const SOCIAL_SECURITY = /^\d{3}-\d{2}-\d{4}$/;
/** A longer number, or one beside other groups of digits, is not a phone number. */
const NATIONAL_DIGITS_MAX = 12;
const DIGITS_MIN = 7;
const DIGITS_MAX = 17;

export const phone = patternFinder({
  pattern: new RegExp(
    [
      String.raw`(?<![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}\d_+]|[\d)][.,:/-]|[\p{L}\d]-)(?:\+|`,
      String.raw`\()?\(?\d(?:[ \t()./-]{0,3}\d){6,18}(?![\p{sc=Latn}\p{sc=Cyrl}\p{sc=Grek}_])`,
    ].join(''),
    'gu',
  ),
  accept(match, text, start) {
    // Tries the longest part first: a year or a street number may follow the phone number.
    for (let end = match.length; end > DIGITS_MIN; end = lastGroupBefore(match, end)) {
      if (isPhone(match.slice(0, end).replaceAll('\t', '  '), text, start, end)) return { start, end: start + end };
    }
    return false;
  },
  members: /[\d \t+()./-]/,
  first: /[\d+(]/,
  longest: 80,
});

function lastGroupBefore(match: string, end: number): number {
  let at = end;
  while (at > 0 && /\d/.test(match[at - 1]!)) at--;
  while (at > 0 && !/\d/.test(match[at - 1]!)) at--;
  return at;
}

function isPhone(number: string, text: string, start: number, length: number): boolean {
  const behind = text.slice(start + length, start + length + 2);
  const digits = number.replaceAll(/\D/g, '');
  if (digits.length < DIGITS_MIN || digits.length > DIGITS_MAX) return false;
  // The number is part of something longer: 0.25, 12/2024, 1-2-3.
  if (/^\d|^[./:,-]\d/.test(behind)) return false;
  if (number.startsWith('+') || number.startsWith('(+')) return isInternational(number.replaceAll('(0)', ''));
  if (DATE.test(number) || SOCIAL_SECURITY.test(number) || SIGNS_TOGETHER.test(number)) return false;
  if (saysBefore(CALLS_IT_PHONE, text, start))
    return (number.startsWith('00') && isInternational(number.replace('00', '+'))) || isNational(number, true);
  if (saysBefore(CALLS_IT_OTHERWISE, text, start)) return false;
  // The number is one group of many.
  if (/^ ?\d/.test(behind) || /\d[ .-]$/.test(text.slice(Math.max(0, start - 2), start))) return false;
  if (number.startsWith('00')) return /[ ./-]/.test(number) && isInternational(number.replace('00', '+'));
  if (digits.length > NATIONAL_DIGITS_MAX) return false;
  if (WRITTEN_IN_FOURS.test(number) || !(WRITTEN_NATIONALLY.test(number) || WRITTEN_AMERICAN.test(number)))
    return false;
  return isNational(number, false);
}

/** For a number written in groups, a possible length is enough: numbering plans change, and invented numbers are in no plan. */
function isInternational(number: string): boolean {
  const parsed = forms().parsePhoneNumberFromString(number);
  return (parsed?.isValid() || (/\d[ ()./-]+\d/.test(number) && parsed?.isPossible())) ?? false;
}

function isNational(number: string, isCalledPhone: boolean): boolean {
  return COUNTRIES.some((country) => {
    const parsed = forms().parsePhoneNumberFromString(number, country);
    return parsed?.country === country && (parsed.isValid() || (isCalledPhone && parsed.isPossible()));
  });
}

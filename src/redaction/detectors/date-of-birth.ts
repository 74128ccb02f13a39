/** Finds dates that the words around them call a date of birth. */
import { type Finder, LOOK_BACK } from '../redaction-session.ts';
import { patternFinder, saysBefore } from './pattern-finder.ts';

const MONTHS = [
  'jan(?:uary|uari|uar|vier|\\.)?|feb(?:ruary|ruar|brero|braio|ruari|\\.)?|f[ée]v(?:rier|ereiro|\\.)?|',
  'm[äa]r(?:ch|z|s|zo|ço|et|\\.)?|maart|apr(?:il|ile|\\.)?|avril|abr(?:il|\\.)?|may|mai|mayo|maggio|mei|',
  'maio|june?|juni|juin|junio|giugno|junho|july?|juli|juillet|julio|luglio|julho|aug(?:ust|ustus|\\.)?|août|',
  'aout|ago(?:sto|\\.)?|sep(?:t|tember|tembre|tiembre|\\.)?|set(?:tembre|embro|\\.)?|o[ck]t(?:ober|obre|',
  'ubre|\\.)?|outubro|ott(?:obre|\\.)?|nov(?:ember|embre|iembre|embro|\\.)?|de[cz](?:ember|embre|embro|',
  '\\.)?|d[ée]c(?:embre|\\.)?|dic(?:iembre|embre|\\.)?|ene(?:ro|\\.)?|gen(?:naio|\\.)?|janeiro',
].join('');
const YEAR = '(?:19|20)\\d\\d';
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const MONTH = '(?:0?[1-9]|1[0-2])';
const DATES = [
  `${YEAR}([-./])${MONTH}\\1${DAY}`,
  `${DAY}([-./]) ?${MONTH}\\2 ?(?:${YEAR}|\\d\\d)`,
  `${MONTH}([-./])${DAY}\\3(?:${YEAR}|\\d\\d)`,
  `${DAY}(?:st|nd|rd|th|er|º|\\.)? ?(?:of |de |d')?(?:${MONTHS}),? (?:de |del )?${YEAR}`,
  `${DAY}([-./])(?:${MONTHS})\\4(?:${YEAR}|\\d\\d)`,
  `(?:${MONTHS}) ${DAY}(?:st|nd|rd|th)?,? ${YEAR}`,
  `(?:${YEAR}|(?:明治|大正|昭和|平成|令和)\\d{1,2}) ?[年년] ?${MONTH} ?[月월] ?${DAY} ?[日일]`,
];
const SAYS_SO = [
  '(?:(?<![\\p{L}\\d])(?:born(?: on)?|d\\.?o\\.?b\\.?|date[ _-]?of[ _-]?birth|birth[ _-]?date|birthday|geboren(?: am)?|geb\\.?(?: am)?|',
  'geburtsdatum|geburtstag|né(?:e|\\(e\\))?(?: le)?|date de naissance|anniversaire|nacid[oa](?: el)?|',
  'nació(?: el)?|fecha de nacimiento|nat[oa](?: il)?|data di nascita|geboortedatum|geboren(?: op)?|',
  'data de nascimento|nascid[oa](?: em)?|data urodzenia|urodzon[ya])(?![\\p{L}\\d])|дата рождения|生年月日|誕生日|',
  '出生日期|생년월일|생일)',
].join('');

/** Born in Leeds on … */
const PLACE = "(?:(?:in|at|à|a|en|te|zu|em) \\p{L}[\\p{L}'’-]{1,15}(?: \\p{L}[\\p{L}'’-]{1,15}){0,2},? )?";

const SAYS_SO_BEFORE = new RegExp(
  `${SAYS_SO}[^\\p{L}\\d\\n]{0,6}${PLACE}(?:(?:on|is|was|am|ist|le|est|el|es|il|è|op|em|é|the|den|は|:)[^\\p{L}\\d\\n]{1,3}|は|[은는] ?){0,2}$`,
  'iu',
);

const before = patternFinder({
  pattern: new RegExp(`(?<![\\d\\p{sc=Latn}])(?:${DATES.join('|')})(?![\\d\\p{sc=Latn}\\p{sc=Cyrl}])`, 'giu'),
  accept: (_match, text, start) => saysBefore(SAYS_SO_BEFORE, text, start, LOOK_BACK),
  members: /[^\n]/,
  first: /[\p{L}\d]/u,
  longest: 40,
});

/** 1980年3月12日生まれ */
const behind = patternFinder({
  pattern: new RegExp(
    [
      String.raw`(?<!\d)(?:(?:19|20)\d\d|(?:明治|大正|昭和|平成|令和)\d{1,2}) ?[年년] ?(?:0?[1-9]|1[0-2]) ?[月월] ?(?:0?[1-9]|[12]\d|`,
      String.raw`3[01]) ?[日일](?= ?(?:生(?:まれ|れ|[。、，,)）\s]|$)|생(?:[ .,)]|$)|出生|출생|태어))`,
    ].join(''),
    'gu',
  ),
  members: /[\d 年년月월日일明治大正昭和平成令生생출태]/u,
  first: /[\d明大昭平令]/u,
  longest: 40,
});

const SAYS_SO_ANYWHERE = new RegExp(SAYS_SO, 'giu');
/** Matches text at the end that may still become a date. A part is a whole run of letters or digits, so there is one way to match. */
const PART = String.raw`(?:\p{L}{1,17}(?!\p{L})|\d{1,4}(?!\d))`;
const BEGINNING = new RegExp(
  String.raw`^[^\p{L}\d\n]{0,6}${PART}?(?:[ ,./:º'’()-]{0,4}${PART}){0,9}[ ,./:º'’()-]{0,4}$`,
  'u',
);
/** Maximum length from the beginning of the words to the end of the date. */
const REACH = 150;

export const dateOfBirth: Finder = {
  scan(text, from, until, found) {
    behind.scan(text, from, until, found);
    return Math.max(before.scan(text, from, until, found), until);
  },
  openFrom(text, from) {
    const open = behind.openFrom(text, from);
    SAYS_SO_ANYWHERE.lastIndex = Math.max(0, text.length - REACH);
    for (let words = SAYS_SO_ANYWHERE.exec(text); words; words = SAYS_SO_ANYWHERE.exec(text)) {
      const end = words.index + words[0].length;
      if (BEGINNING.test(text.slice(end))) return Math.min(open, Math.max(from, end));
    }
    return open;
  },
};

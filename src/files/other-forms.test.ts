import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameTerms } from '../text/analysis/names.ts';
import { analyzeForIndex, searchTerms } from '../text/analyzer.ts';
import { otherForms } from './other-forms.ts';

const LANGUAGES = ['en', 'de', 'ja', 'und'];

/** Returns the terms that only other forms of the query share with the text. */
function gained(query: string, text: string, language: string | null = null): string[] {
  const own = new Set(searchTerms(query, LANGUAGES));
  const all = new Set(searchTerms(query, LANGUAGES, [], otherForms(query, LANGUAGES)));
  const indexed = new Set(analyzeForIndex(text, language).split(' '));
  return [...all].filter((term) => indexed.has(term) && !own.has(term));
}

test('a date is found in every way to write it', () => {
  const ways = [
    '2024-03-05',
    '05.03.2024',
    '5.3.2024',
    'March 5, 2024',
    '5th March 2024',
    '5. März 2024',
    '2024年3月5日',
  ];
  const texts: [string, string][] = [
    ['20240305', 'en'],
    ['2024-03-05', 'en'],
    ['05.03.2024', 'de'],
    ['5.3.2024', 'de'],
    ['March', 'en'],
    ['März', 'de'],
  ];
  for (const query of ways) {
    const terms = searchTerms(query, LANGUAGES, [], otherForms(query, LANGUAGES));
    for (const [text, language] of texts) {
      // The last term stands for the whole of a date in numbers.
      const whole = analyzeForIndex(text, language)
        .split(' ')
        .at(/\d/.test(text) ? -1 : 0)!;
      assert.ok(terms.includes(whole), `${query}, ${text}`);
    }
  }
});

test('a date of two readings is written in both, and what is no date is left alone', () => {
  assert.deepEqual(
    otherForms('3/5/2024', ['en'])
      .map(({ text }) => text)
      .filter(({ length }) => length === 10)
      .sort(),
    [...['03.05.2024', '05.03.2024', '2024-03-05', '2024-05-03'].sort()],
  );
  for (const query of ['v1.2.3', '1.2.2024.5', '10.0.0.1', 'RFC-2024-03-05', 'May 2024', 'x2024-03-05'])
    assert.deepEqual(otherForms(query, LANGUAGES), [], query);
});

test('small numbers of a date hardly count, because every list has them', () => {
  const terms = searchTerms('2024-03-05', ['en'], [], otherForms('2024-03-05', ['en']));
  assert.equal(terms.filter((term) => term === '3').length, 1);
  assert.equal(terms.filter((term) => term === '03').length, 3);
  assert.equal(terms.filter((term) => term === 'march').length, 1, 'the month alone says little');
});

test('a raised power is found with a sign', () => {
  assert.deepEqual(gained('10²³', 'about 10^23 atoms', 'en'), ['10', '23']);
  assert.deepEqual(otherForms('m² 10.5² 2^10', LANGUAGES), []);
});

test('numbers of accounts and telephones are found with and without blanks', () => {
  const spaced = 'IBAN DE89 3704 0044 0532 0130 00, Tel. +49 30 901820';
  for (const query of ['DE89370400440532013000', 'de89370400440532013000'])
    assert.ok(gained(query, spaced).length >= 5);
  assert.ok(gained('+4930901820', spaced).includes('901820'));
  assert.deepEqual(gained('+442079460958', 'Tel. +44 20 7946 0958').sort(), ['0958', '7946']);
  assert.ok(gained('DE89 3704 0044 0532 0130 00', 'DE89370400440532013000').includes('de89370400440532013000'));
  assert.ok(gained('+49 (0)30 90 18 20', 'call 030901820').includes('030901820'));
  assert.ok(gained('+49 (0)30 90 18 20', 'call +4930901820').includes('4930901820'));
  assert.deepEqual(gained('4111 1111 1111 1111', 'card 4111111111111111'), ['4111111111111111']);
});

test('other numbers are not cut into pieces, which are words of other texts', () => {
  const numbers = ['0131103628', '2024000123456789', '4111111111111111', 'AB12CDEF34567890123', '0123456789'];
  for (const number of numbers) assert.deepEqual(otherForms(number, LANGUAGES), [], number);
});

test('a word in hiragana finds katakana, and the other way round', () => {
  assert.ok(gained('さくら', 'サクラの花', 'ja').length > 1);
  assert.ok(gained('ラーメン', 'らーめん屋', 'ja').length > 1);
  assert.deepEqual(otherForms('桜の花はいつですか', LANGUAGES), []);
});

test('a name with an umlaut is found where it is written in ASCII', () => {
  assert.ok(gained('Müller', 'Mueller GmbH', 'de').includes('mueller'));
  assert.deepEqual(otherForms('Muller', LANGUAGES), []);
  assert.deepEqual(gained('für Leute', 'fuer Leute', 'de'), [], 'a word of every text');
});

test('a date costs no more than its languages, and leaves names their terms', () => {
  const languages = [
    'en',
    'de',
    'fr',
    'es',
    'it',
    'pt',
    'nl',
    'sv',
    'da',
    'fi',
    'hu',
    'ro',
    'ru',
    'tr',
    'ar',
    'hi',
    'ja',
    'und',
  ];
  const forms = otherForms('parseConfig 1/2/2024 3/4/2024 5/6/2024', languages);
  assert.ok(forms.length <= 6 * (3 + 2 * languages.length));
  const terms = searchTerms('parseConfig 1/2/2024 3/4/2024 5/6/2024', languages, [], forms);
  assert.ok(nameTerms('parseConfig').every((term) => terms.includes(term)));
});

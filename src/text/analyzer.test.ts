import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { encodePrefix, encodeStem, encodeTerm } from './analysis/encode.ts';
import { TERM_UNITS_MAX, takeApart, wordTerms } from './analysis/words.ts';
import { analyzeForIndex, analyzeQuery, analyzeText, queryWords, searchTerms, weighTerms } from './analyzer.ts';
import { fold } from './fold.ts';
import { ANALYZED_LANGUAGES, scriptOf, stem } from './stems/stems.ts';

const index = (text: string, language: string | null = 'en'): string[] => analyzeForIndex(text, language).split(' ');

/** Returns whether a term of the query is a term of the text. */
function finds(
  text: string,
  query: string,
  language: string | null,
  languages: string[] = [language ?? 'und'],
): boolean {
  const terms = new Set(index(text, language));
  const wanted = analyzeQuery(query, languages);
  return wanted.length > 0 && wanted.some((term) => terms.has(term));
}

/** Returns whether all terms of the query are terms of the text. */
function findsAll(text: string, query: string, language: string | null): boolean {
  const terms = new Set(index(text, language));
  const wanted = analyzeQuery(query, [language ?? 'und']);
  return wanted.length > 0 && wanted.every((term) => terms.has(term));
}

describe('words', () => {
  test('inflected forms in any case have one stem', () => {
    assert.ok(findsAll('The QUICK foxes were running', 'fox run quick', 'en'));
    assert.ok(findsAll('книгами', 'книга', 'ru'));
    for (const [language, text, query] of [
      ['fr', 'nationales', 'nationale'],
      ['it', 'bambini', 'bambino'],
      ['pt', 'cidades', 'cidade'],
      ['el', 'άνθρωποι', 'ανθρώπου'],
      ['hu', 'városban', 'város'],
      ['fi', 'talossa', 'talo'],
    ] as const) {
      assert.ok(finds(text, query, language), `${language}: ${query} in ${text}: ${index(text, language)}`);
    }
  });

  test('accents, ligatures, full width and invisible characters do not change the terms of a word', () => {
    for (const [text, query] of [
      ['œuvre', 'oeuvre'],
      ['ﬁle', 'file'],
      ['co\u00adoperate', 'cooperate'],
      ['\ufefftext', 'text'],
      ['e\u0301tude', '\u00e9tude'],
      ['ﻛﺘﺎﺏ', 'كتاب'],
    ] as const) {
      assert.ok(findsAll(text, query, null), `${query} in ${text}`);
    }
  });

  test('a compound is found by its first letters', () => {
    assert.ok(finds('Bevölkerungsdichte', 'Bevölkerung', 'de'));
    assert.ok(!finds('international', 'interval', 'en'));
  });

  test('Russian words share a term for their first four letters, and another for five', () => {
    const terms = (word: string): string[] => wordTerms(word, 'ru').map(({ term }) => term);
    const shared = (one: string, other: string): number =>
      terms(one).filter((term) => terms(other).includes(term)).length;
    assert.equal(shared('парки', 'парковый'), 1);
    assert.equal(shared('париж', 'парижский'), 2);
    assert.equal(shared('пари', 'парк'), 0);
  });

  test('a query is analyzed in every language of the corpus', () => {
    assert.ok(finds('Häuser', 'häuser houses', 'de', ['de', 'en']));
    assert.ok(finds('houses', 'häuser houses', 'en', ['de', 'en']));
    assert.ok(finds('running', 'runs', null, ['ja', 'und']));
  });

  test('no stemmer returns an empty stem', () => {
    const words = [
      'a',
      'червен',
      'зелен',
      'ααα',
      'ab'.repeat(40),
      'ß',
      'ııı',
      'العربية',
      'लड़का',
      'நகரம்',
      'քաղաք',
      '\u0301',
    ];
    for (const language of ANALYZED_LANGUAGES) {
      for (const word of words) {
        const script = scriptOf(word);
        if (script) assert.notEqual(stem(word, script, language), '', `${language} ${word}`);
      }
    }
  });
});

describe('stop words', () => {
  test('are dropped from a query, but not from a text', () => {
    assert.deepEqual(analyzeQuery('what is the house of the fox', ['en']), ['hous', 'fox']);
    assert.ok(index('the house').includes('the'));
  });
  test('are dropped in French questions whose verb stands before its subject', () => {
    const terms = (question: string) => analyzeQuery(question, ['fr']);
    assert.deepEqual(terms("Qu'est-ce qu'un paquet virtuel ?"), terms('paquet virtuel'));
    assert.deepEqual(terms('Quel paquet faut-il installer ?'), terms('paquet installer'));
    assert.deepEqual(terms('Où y a-t-il un noyau que l’on peut installer ?'), terms('noyau installer'));
  });

  test('are not dropped from a query that has only stop words', () => {
    assert.ok(findsAll('to be or not to be', 'To be, or not to be?', 'en'));
    assert.ok(finds('The Who', 'who', 'en'));
  });
  test('are dropped by the language that the query is probably in', () => {
    assert.ok(analyzeQuery('how did the people die', ['en', 'de']).includes('die'));
    assert.ok(!analyzeQuery('was ist die Rolle der Katze', ['en', 'de']).includes('die'));
  });
});

describe('identifiers', () => {
  test('have terms for their parts and for the whole', () => {
    assert.deepEqual(takeApart('ERR_4012'), { words: ['ERR', '4012'], joined: 'ERR4012' });
    assert.deepEqual(takeApart('net.tcp_tw_reuse').names, ['tcptwreuse']);
    assert.deepEqual(takeApart('sync::OnceLock::getMut').names, ['OnceLock', 'getMut']);
    assert.equal(takeApart('example.org').names, undefined);
    assert.deepEqual(takeApart('XMLHttpRequest'), { words: ['XML', 'Http', 'Request'], joined: 'XMLHttpRequest' });
    assert.deepEqual(takeApart('v1.2.3'), { words: ['v1', '2', '3'], exact: 'v1.2.3', version: '1.2.3' });
    assert.deepEqual(takeApart('1,234,567'), { words: ['1234567'] });
    assert.deepEqual(takeApart('1.234.567'), { words: ['1', '234', '567', '1234567'], exact: '1.234.567' });
    for (const number of ['1.234,5', '1,234.5']) {
      assert.deepEqual(takeApart(number), { words: ['1234', '5'], exact: '1234.5' });
    }
    assert.deepEqual(takeApart('3,5'), takeApart('3.5'));
    assert.deepEqual(takeApart('C++'), { words: ['C'], exact: 'c++' });
    assert.deepEqual(takeApart('word'), { words: ['word'] });
    assert.deepEqual(takeApart('19ος'), { words: ['19ος'] });
    assert.deepEqual(takeApart('5α'), { words: ['5α'] });
  });
  test('are found in other spellings', () => {
    for (const [text, query] of [
      ['failed with ERR_4012', 'ERR-4012'],
      ['call foo.bar() now', 'foo.bar'],
      ['call foo.bar() now', 'bar'],
      ['release v1.2.3', 'v1.2.3'],
      ['getUserName returns', 'getusername'],
      ['the interleukin IL6 level', 'IL-6'],
      ['an email address', 'e-mail'],
      ['written in C++ and C#', 'C#'],
      ['well 🎉 done', '🎉'],
    ] as const) {
      assert.ok(finds(text, query, 'en'), `${query} in ${text}`);
    }
    const [plus] = analyzeQuery('c++', ['en']).filter((term) => term !== 'c');
    assert.ok(!index('C and C#').includes(plus!));
  });
});

describe('scripts without blanks', () => {
  test('characters, words and parts of words are found', () => {
    for (const [language, text, query] of [
      ['zh', '我喜欢喝茶', '茶'],
      ['ja', 'カーナビゲーションシステム', 'ナビ'],
      ['ja', '東京都知事が会見した', '知事'],
      ['ko', '한국어처리방법', '한국어'],
      ['ko', '한국어를', '한국어'],
      ['lo', 'ພາສາລາວ', 'ພາສາ'],
      ['km', 'ភាសាខ្មែរ', 'ខ្មែរ'],
      ['my', 'မြန်မာဘာသာ', 'ဘာသာ'],
    ] as const) {
      assert.ok(finds(text, query, language), `${query} in ${text}`);
    }
  });
  test('mixed scripts are separated', () => {
    assert.ok(findsAll('iPhoneの価格は999ドル', '価格 iphone 999', 'ja'));
  });
});

describe('terms', () => {
  const anything = [
    'abc',
    'zq',
    'zqabc',
    'zpabc',
    'zsdeabc',
    '~abc',
    '|deabc',
    '1e5',
    '12',
    '1e5abc',
    'a_b',
    'größe',
    '本',
    '𠮷',
    '~',
    'zp',
    'a b',
    '-',
    '\u0301',
    'İ',
  ];
  test('are ASCII letters and digits, each different', () => {
    const codes = [encodeTerm, encodePrefix, (term: string) => encodeStem(term, 'de')].flatMap((encode) =>
      anything.map(encode),
    );
    for (const code of codes) assert.match(code, /^[a-z0-9]+$/);
    assert.equal(new Set(codes).size, codes.length);
  });
  test('have bounded length', () => {
    const text = `${'a'.repeat(1e5)} ${'漢'.repeat(100)} ${'ก'.repeat(1000)} ${'a\u0301\u0323'.repeat(1e4)} ${'é_'.repeat(500)}`;
    for (const term of index(text)) assert.ok(term.length <= 4 * TERM_UNITS_MAX + 2 + 4, `${term.length}`);
  });
  test('are not made of punctuation', () => {
    assert.equal(analyzeForIndex('?! … --- ()', 'en'), '');
    assert.deepEqual(analyzeQuery('?!', ['en']), []);
  });
  test('a word such as constructor is an ordinary word', () => {
    assert.deepEqual(index('constructor __proto__ toString', null).includes('constructor'), true);
    assert.ok(finds('the constructor hasOwnProperty', 'constructor', 'en'));
  });
});

test('folding does not remove marks that change the meaning of a word', () => {
  assert.equal(fold('लड़की'), 'लडकी');
  assert.equal(fold('हिन्दी'), fold('हिंदी'));
  assert.equal(fold('が'), 'が');
  assert.equal(fold('Ελλάς'.toLowerCase()), 'ελλασ');
});

test('stemming takes linear time for long hostile words', () => {
  for (const [language, pieces] of [
    ['tr', 'ın lerin x'],
    ['ro', 'ilor ez x'],
    ['es', 'ces ando x'],
    ['el', 'ουσ ε χ'],
    ['ru', 'ов ость к'],
    ['hi', 'ों ता क'],
  ] as const) {
    for (const piece of pieces.split(' ')) {
      analyzeForIndex(piece.repeat(5000), language);
      assert.notEqual(stem(piece.repeat(5000), scriptOf(piece)!, language), '');
    }
  }
});

test('analysis takes linear time for long hostile texts', () => {
  for (const piece of [
    'a',
    'a.',
    'aB',
    '1,000',
    '1.1,1',
    '1٬000',
    '100 ',
    '१',
    "ї'",
    'ה',
    'a\u0301\u0323',
    '漢',
    'ก',
    'a#',
    '👨‍👩‍👧',
    '-',
    'é_',
    '\u0301\u0323',
    '한',
  ]) {
    analyzeForIndex(piece.repeat(Math.ceil(3e5 / piece.length)), 'en');
  }
});

describe('a corpus of several languages', () => {
  const terms = (text: string, language: string | null): Set<string> =>
    new Set(analyzeForIndex(text, language).split(' '));
  const found = (query: string, languages: readonly string[], text: string, language: string | null): number => {
    const held = terms(text, language);
    return searchTerms(query, languages).filter((term) => held.has(term)).length;
  };

  test('a query does not match a stem of another language', () => {
    assert.equal(found('server', ['en', 'de', 'und'], 'serving', 'en'), 0);
    assert.equal(found('note', ['en', 'de', 'und'], 'It is not there', 'en'), 0);
    assert.ok(found('Was sind Noten', ['en', 'de', 'und'], 'große Not', 'de') > 0);
  });
  test('a word is found as it is written in a text of a language outside the query', () => {
    assert.ok(found('könyvtárak', ['en', 'und'], 'a könyvtárak listája', 'hu') > 0);
    assert.ok(found('apt', ['en', 'und'], 'apt install', 'hu') > 0);
  });
  test('stems of a language that the query is not known to be in are only for words that occur nowhere', () => {
    const fil = encodeStem('fil', 'de');
    assert.deepEqual([...weighTerms('files', ['de', 'en', 'und']).keys()], ['file', encodePrefix('files')]);
    assert.deepEqual(queryWords('files', ['de', 'en', 'und']), [{ word: 'files', terms: ['file'], stems: [fil] }]);
    assert.equal(weighTerms('Was sind die files', ['de', 'en', 'und']).get(fil), 3);
    assert.equal(weighTerms('files', ['de', 'und']).get(fil), 3);
    assert.ok(!weighTerms('What are the files', ['de', 'en', 'und']).has(fil));
  });
  test('analyzeText returns only the stems of its language', () => {
    assert.deepEqual(
      analyzeText('die Dateien', 'de').split(' ').sort(),
      analyzeText('Datei die', 'de').split(' ').sort(),
    );
  });
});

describe('symbols', () => {
  const symbols = (text: string): string[] => index(text).filter((term) => !/^(?!zq)/.test(term));
  const only = (...names: string[]): string[] => names.map(encodeTerm);

  test('options, variables, names with a mark and operators are terms', () => {
    assert.deepEqual(symbols('[-e] -H, `--depth`=1'), only('-e', '-H', '--depth'));
    assert.deepEqual(symbols('$! "$?" ($#) $1 $HOME'), only('$!', '$?', '$#', '$1', '$home'));
    assert.deepEqual(
      symbols('%j .gitignore @media #include ~/.ssh'),
      only('%j', '.gitignore', '@media', '#include', '.ssh'),
    );
    assert.deepEqual(symbols('C++ C# a -> b `<=>` == && ~#.'), only('c++', 'c#', '->', '<=>', '==', '&&', '~#'));
    assert.deepEqual(symbols('`?.` a?.b ?? c, d?.[0]'), only('?.', '?.', '??'));
  });
  test('ordinary text has no symbols', () => {
    for (const text of [
      'It is well-known. Really?! No... yes -- it is - an item',
      '- item\n* item\n# Heading\n---\n| --- | :-: |\n*** // /* x */ <br />',
      '5-3, -12, .5, #12 and $12 at foo@bar.org, caf%C3%A9, 50% off, f().then(x)',
    ]) {
      assert.deepEqual(symbols(text), [], text);
    }
  });
  test('an option of one letter is one term, and its case matters', () => {
    assert.deepEqual(
      searchTerms('-H', ['en']),
      [1, 2, 3].map(() => encodeTerm('-H')),
    );
    assert.notDeepEqual(index('-h'), index('-H'));
    assert.ok(finds('Use --max-depth=3', '--max-depth', 'en') && finds('Use --max-depth=3', 'max depth', 'en'));
  });
  test('a path of names is found by its parts and as a whole', () => {
    assert.ok(finds('std::vec<T>, foo.bar() and O_CREAT', 'std::vec foo.bar O_CREAT vec bar creat stdvec', 'en'));
  });
});

test('the assumed language of a script adds no terms of an unknown language', () => {
  const text =
    'The studies of naïve İstanbul cells; книги городов, βιβλία, كتاب المدينة, किताबें हिन्दी, գրքեր, நூல்கள், ΙΙ v1.2.3 1.234,5';
  for (const language of ['en', 'ru', 'el', 'ar', 'hi', 'hy', 'ta'])
    assert.equal(analyzeForIndex(text, language), analyzeText(text, language), language);
});

/** Stop words of queries, and words that only look like stop words: a lost word costs more than questions gain. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TERM_WEIGHT } from './analysis/looser-forms.ts';
import { wordTerms } from './analysis/words.ts';
import { queryWords, weighTerms } from './analyzer.ts';

/** Returns the weight of a word in a query; 0 if the query drops it. */
function weightIn(query: string, word: string, languages: readonly string[]): number {
  const weights = weighTerms(query, languages);
  return Math.max(...languages.map((language) => weights.get(wordTerms(word, language)[0]!.term) ?? 0));
}

describe('a word that looks like a stop word counts in a query', () => {
  for (const [languages, query, word] of [
    // Without its marks, it is another word.
    ['de', 'uber fahrer', 'uber'],
    ['pt', 'praias de Sao Paulo', 'sao'],
    ['tr', 'su kirliliği nedir', 'su'],
    ['sv', 'ar och hektar', 'ar'],
    // It is a topic word.
    ['ru', 'производство стали', 'стали'],
    ['ru', 'третий том и список тем', 'том'],
    ['it', 'lo stato degli Stati Uniti', 'stato'],
    ['en', 'the last will of a king', 'will'],
    ['es', 'las ciudades del este', 'este'],
    ['es', 'la dinastía han', 'han'],
    ['fr', 'la vitesse du son', 'son'],
    ['de', 'der Import der Waren', 'Waren'],
    ['hi', 'आय कर', 'कर'],
    ['fa', 'مردم کرد', 'کرد'],
    ['vi', 'cây thuộc họ đậu của Việt Nam', 'họ'],
    ['tr', 'un fiyatları ve tür sayısı', 'un'],
    ['tr', 'zaman yönetimi', 'zaman'],
    ['pt', 'praias de São Paulo', 'São'],
    // It is a word of a language that the query is not in.
    ['en vi', 'hay fever', 'hay'],
    ['en id', 'dan brown', 'dan'],
    ['en it', 'side quest', 'quest'],
    // It is the only stop word in a corpus of several languages, so it does not tell the language.
    ['en de', 'die hard', 'die'],
    ['en nl', 'van morrison', 'van'],
    ['en de', 'die hard, die harder', 'die'],
    // It is an abbreviation, or a single capital behind a word.
    ['id', 'standar ITU', 'ITU'],
    ['cs', 'CO emise', 'CO'],
    ['en', 'the WHO guidelines', 'who'],
    ['es', 'la misión de la ESA', 'ESA'],
    ['en', 'vitamin A', 'A'],
    ['it', 'vitamina E', 'E'],
    // It is the only word.
    ['de', 'das Sein', 'Sein'],
  ] as const) {
    test(`${languages}: ${word} in ${query}`, () => {
      assert.equal(weightIn(query, word, [...languages.split(' '), 'und']), TERM_WEIGHT);
    });
  }
});

describe('a stop word has no weight in a query', () => {
  for (const [languages, query, word] of [
    ['en de', 'was ist die Rolle der Katze', 'die'],
    ['en', 'WHAT IS THE HOUSE', 'is'],
    ['en', 'the tigers whom I saw swim', 'I'],
    ['en', 'A tiger swims', 'A'],
    ['pt', 'por que nao chove', 'nao'],
    ['ro', 'Şi ţara', 'şi'],
    ['ru', 'в чём хранят тетради', 'чём'],
    ['ru', 'в чем хранят тетради', 'чем'],
    ['ar', 'بمن التقى القائد', 'بمن'],
    ['ar', 'الى اين سافر', 'الى'],
    ['fa', 'فایل‌های گزارش کجا ذخیره می‌شوند', 'می'],
    ['fa', 'فایل‌های گزارش کجا ذخیره می‌شوند', 'های'],
    ['fa', 'چگونه بسته را حذف کنم', 'کنم'],
    ['hi', 'किन्होंने युद्ध जीता', 'किन्होंने'],
    ['hi', 'सेनाएँ भेजी गईं', 'गईं'],
  ] as const) {
    test(`${languages}: ${word} in ${query}`, () => {
      assert.equal(weightIn(query, word, [...languages.split(' '), 'und']), 0);
    });
  }
});

test('in a corpus of one language, the stems of that language count most', () => {
  const weights = weighTerms('relational', ['de', 'und']);
  const [german, other] = ['de', 'und'].map((language) => wordTerms('relational', language)[0]!.term);
  assert.deepEqual([weights.get(german!), weights.get(other!)], [TERM_WEIGHT, 1]);
});

test('the words of a query are its distinct words without words that may be stop words', () => {
  for (const [query, languages, words] of [
    ['which house, which house', ['en', 'und'], ['house']],
    ['which Katze', ['de', 'und'], ['Katze']],
    ['die hard', ['en', 'de', 'und'], ['hard']],
    ['किसकी किताब', ['hi', 'und'], ['किताब']],
    ['train station', ['vi', 'en', 'und'], ['train', 'station']],
  ] as const) {
    assert.deepEqual(
      queryWords(query, languages).map(({ word }) => word),
      words,
      query,
    );
  }
});

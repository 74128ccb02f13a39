/** Words that only look like stop words or asking words. A query must search for them: a lost word costs more than questions gain. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TERM_WEIGHT } from './analysis/looser-forms.ts';
import { wordTerms } from './analysis/words.ts';
import { analyzeForIndex, queryWords, searchTerms, weighTerms } from './analyzer.ts';

/** Returns the weight of a word in a query; 0 if the query drops it. */
function weightIn(query: string, word: string, languages: readonly string[]): number {
  const weights = weighTerms(query, languages);
  return Math.max(...languages.map((language) => weights.get(wordTerms(word, language)[0]!.term) ?? 0));
}

describe('a word that looks like a stop word has full weight in a query', () => {
  for (const [languages, query, word] of [
    // Without its marks, it is another word.
    ['de', 'uber fahrer', 'uber'],
    ['fi', 'han dynastia', 'han'],
    ['pt', 'praias de Sao Paulo', 'sao'],
    ['es', 'la casa de mas', 'mas'],
    ['tr', 'su kirliliği nedir', 'su'],
    ['sv', 'ar och hektar', 'ar'],
    // It is a topic word.
    ['ru', 'производство стали', 'стали'],
    ['ru', 'третий том и список тем', 'том'],
    ['ru', 'третий том и список тем', 'тем'],
    ['it', 'lo stato degli Stati Uniti', 'stato'],
    ['it', 'lo stato degli Stati Uniti', 'stati'],
    ['vi', 'cây thuộc họ đậu của Việt Nam', 'họ'],
    ['tr', 'un fiyatları ve tür sayısı', 'un'],
    ['tr', 'un fiyatları ve tür sayısı', 'tür'],
    ['tr', 'ten rengi için tur', 'ten'],
    ['tr', 'ten rengi için tur', 'tur'],
    // It is a word of a language that the query is not in.
    ['en vi', 'hay fever', 'hay'],
    ['en id', 'dan brown', 'dan'],
    ['en ro', 'hot pot', 'pot'],
    ['en it', 'side quest', 'quest'],
    // It is a part of a formula or of a name, or a word of another language.
    ['ro', 'legătura C-O', 'CO'],
    ['en ro', 'V-I characteristic', 'VI'],
    ['ro', 'Si-O bond energy', 'SiO'],
    ['ro', 'photosystem-II', 'II'],
    ['ro', 'model-A', 'modelA'],
    ['ro', 'Jell-O', 'JellO'],
    ['fr ro', 'dis-le à la reine', 'disle'],
    ['ro', 'de-a', 'dea'],
    // It is an abbreviation.
    ['id', 'standar ITU', 'ITU'],
    ['cs', 'CO emise', 'CO'],
    ['en', 'the WHO guidelines', 'who'],
    ['es', 'la misión de la ESA', 'ESA'],
  ] as const) {
    test(`${languages}: ${word} in ${query}`, () => {
      assert.equal(weightIn(query, word, [...languages.split(' '), 'und']), TERM_WEIGHT);
    });
  }
});

describe('an ambiguous stop word counts less in a query', () => {
  for (const [languages, query, word] of [
    // It may be a name or a noun as well.
    ['pt', 'praias de São Paulo', 'São'],
    ['es', 'las ciudades del este', 'este'],
    ['es', 'la dinastía han', 'han'],
    ['fr', 'la vitesse du son', 'son'],
    ['de', 'der Import der Waren', 'Waren'],
    ['el', 'ποσο δανειου', 'ποσο'],
    ['ru', 'дядя Сам', 'сам'],
    ['ru', 'народ сами', 'сами'],
    ['hi', 'विटामिन सी', 'सी'],
    ['hi', 'आय कर', 'कर'],
    ['hi', 'मेज़ का पाया', 'पाया'],
    ['hi', 'ब्रूस ली की फ़िल्म', 'ली'],
    ['fa', 'مردم کرد', 'کرد'],
    ['vi', 'thế giới', 'thế'],
    ['vi', 'không khí của', 'không'],
    ['vi', 'thiết bị của', 'bị'],
    ['tr', 'zaman yönetimi', 'zaman'],
    ['tr', 'müdür odası nerede', 'müdür'],
    ['ro', 'restaurant hot pot', 'pot'],
    ['ro', 'etica ai', 'ai'],
    ['id', 'novel dan brown', 'dan'],
    ['ru', 'брюс ли', 'ли'],
    ['ru', 'как называется озеро', 'называется'],
    ['ru', 'где находится озеро', 'находится'],
    ['cs', 'jak domácí', 'jak'],
    ['ar', 'اي فون', 'اي'],
    ['en', 'last will of a king', 'will'],
    // It is a single letter in capitals.
    ['en', 'vitamin A', 'A'],
    ['it', 'vitamina E', 'E'],
    ['tr', 'Hawai’i nerede', 'i'],
    // It is the only stop word of another language of the corpus.
    ['en de', 'die hard', 'die'],
    ['en nl', 'van morrison', 'van'],
    ['de en', 'die hard', 'die'],
    ['en de', 'die hard, die harder', 'die'],
  ] as const) {
    test(`${languages}: ${word} in ${query}`, () => {
      assert.equal(weightIn(query, word, [...languages.split(' '), 'und']), 1);
    });
  }
  test('but fully if the query has no other word', () => {
    assert.equal(weightIn('das Sein', 'Sein', ['de', 'und']), TERM_WEIGHT);
  });
});

test('without stop words, a query counts the stems of every language of the corpus', () => {
  const weights = weighTerms('relational', ['de', 'und']);
  for (const language of ['de', 'en'])
    assert.equal(weights.get(wordTerms('relational', language)[0]!.term), TERM_WEIGHT);
  assert.notDeepEqual(wordTerms('relational', 'de')[0], wordTerms('relational', 'en')[0]);
});

test('names are corrected, Vietnamese syllables and Romanian endings are not', () => {
  for (const [query, languages, words] of [
    ['Trang phục của Kramer là gì', ['vi', 'und'], ['Kramer']],
    ['trách nhiệm', ['vi', 'en', 'und'], []],
    ['jucătorii NFL-ului', ['ro', 'und'], ['jucătorii', 'NFL']],
    ['train station', ['vi', 'en', 'und'], ['train', 'station']],
    ['the train station', ['vi', 'en', 'und'], ['train', 'station']],
  ] as const) {
    assert.deepEqual(
      queryWords(query, languages)
        .filter(({ isSyllable }) => !isSyllable)
        .map(({ word }) => word),
      words,
      query,
    );
  }
});

test('stop words are not corrected', () => {
  assert.deepEqual(
    queryWords('which Katze', ['de', 'und']).map(({ word }) => word),
    ['Katze'],
  );
  assert.deepEqual(
    queryWords('किसकी किताब', ['hi', 'und']).map(({ word }) => word),
    ['किताब'],
  );
});

describe('a stop word has no weight in a query', () => {
  for (const [languages, query, word] of [
    ['en de', 'was ist die Rolle der Katze', 'die'],
    ['en', 'WHAT IS THE HOUSE', 'is'],
    ['en', 'can tigers whom I saw swim', 'I'],
    ['tr', 'Türkiye’nin nüfusu', 'nin'],
    ['tr', '1923’te kurulan', 'te'],
    ['tr', 'TÜRKİYE’NİN NÜFUSU', 'nin'],
    ['tr', "Ankara'daki ev", 'daki'],
    ['tr', '1970’lerde Türkler', 'lerde'],
    ['tr', '19’uncu yüzyıl', 'uncu'],
    ['tr', 'halkın %50’si', 'si'],
    ['tr', '3’e bölünen sayı', 'e'],
    ['pt', 'por que nao chove', 'nao'],
    ['ru', 'в чём хранят тетради', 'чём'],
    ['ru', 'каковы размеры озера', 'каковы'],
    ['ar', 'بمن التقى القائد', 'بمن'],
    ['hi', 'किन्होंने युद्ध जीता', 'किन्होंने'],
    ['hi', 'सेनाएँ भेजी गईं', 'गईं'],
  ] as const) {
    test(`${languages}: ${word} in ${query}`, () => {
      assert.equal(weightIn(query, word, [...languages.split(' '), 'und']), 0);
    });
  }
});

describe('in a script without blanks', () => {
  for (const [query, word] of [
    ['华为何时成立', '华为'],
    ['華為何時成立', '華為'],
    ['华为为何被制裁', '华为'],
    ['华为何以成功', '华为'],
    ['吴为何年出生', '吴为'],
    ['康有为何时出生', '康有为'],
    ['何地理教授', '何'],
    ['曾几何时', '曾几何时'],
    ['好多少女', '好多少女'],
    ['许多少数民族', '许多少数民族'],
    ['許多少數民族', '許多少數民族'],
    ['很多少数', '很多少数'],
    ['成为何种人才', '成为何种人才'],
    ['任何人', '任何人'],
    ['粗花呢', '粗花呢'],
    ['例如何炅', '例如何炅'],
    ['吗啡的作用', '吗啡'],
    ['언제세종대왕이태어났나', '세종대왕이'],
    ['누가크래커', '누가크래커'],
    ['누가 크래커', '누가'],
    ['누가바', '누가바'],
    ['누가 복음을 썼는가', '누가'],
    ['누가 크래커는 얼마인가?', '누가'],
    ['어디서김치를사나', '김치를사나'],
    ['얼마나많은사람이', '많은사람이'],
    ['어느새 봄', '어느새'],
    ['어떤사람이 왔나', '사람이'],
    ['ทำไมโครเวฟเสีย', 'ทำไมโครเวฟเสีย'],
    ['ชุดกี่เพ้า', 'ชุดกี่เพ้า'],
    ['ร้านเฮงกี่', 'ร้านเฮงกี่'],
    ['เกี่ยวกับผ้าไหม', 'เกี่ยวกับผ้าไหม'],
  ] as const) {
    test(`the query ${query} searches for ${word}`, () => {
      const terms = weighTerms(query, []);
      const lost = analyzeForIndex(word, null)
        .split(' ')
        .filter((term) => !terms.has(term));
      assert.deepEqual(lost, []);
    });
  }
  for (const [query, rest] of [
    ['他为何离开北京', '他 离开北京'],
    ['有多少人死亡', '有 人死亡'],
    ['谁发明了电话', '发明了电话'],
    ['他何时出生', '他 时出生'],
    ['出口在何處', '出口在 處'],
    ['누가 전화를 발명했는가', '전화를 발명했는가'],
    ['수도는 어디에서 옮겼나', '수도는 옮겼나'],
    ['전쟁은 언제부터인가?', '전쟁은'],
    ['어느나라 사람', '나라 사람'],
    ['ทำไมท้องฟ้าเป็นสีฟ้า', 'ท้องฟ้าเป็นสีฟ้า'],
    ['ที่นั่นมีกี่คน', 'ที่นั่นมี คน'],
    ['เกิดในปีใด', 'เกิดในปี'],
  ] as const) {
    test(`the query ${query} searches only for ${rest}`, () =>
      assert.deepEqual(searchTerms(query, []).sort(), searchTerms(rest, []).sort()));
  }
});

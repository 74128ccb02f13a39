import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlight, queryTerms } from './highlight.ts';

/** Returns the marked words and the sentence as texts. */
function marked(query: string, text: string, language: string | null) {
  const { words, sentence } = highlight(text, queryTerms(query, language));
  const cut = ({ start, end }: { start: number; end: number }) => [...text].slice(start, end).join('');
  for (const [i, word] of words.entries()) {
    assert.ok(word.start < word.end && (i === 0 || words[i - 1]!.end <= word.start), 'ascending, without overlaps');
  }
  return { words: words.map(cut), sentence: sentence && cut(sentence) };
}

/** Query, language, text, marked words, best sentence. */
const CASES: [string, string | null, string, string[], string | null][] = [
  [
    'How long are records kept?',
    'en',
    'Old files are burnt. The record is kept for ten years. Keeping records is costly.',
    ['record', 'kept', 'records'],
    'The record is kept for ten years.',
  ],
  ['nesting herons', 'en', '😀 A heron nests here. 😀', ['heron', 'nests'], '😀 A heron nests here.'],
  ['Häuser', 'de', 'Das Haus steht. Die Häusern gehören uns.', ['Haus', 'Häusern'], 'Das Haus steht.'],
  ['naive café', 'fr', 'Un CAFE naïf.', ['CAFE'], 'Un CAFE naïf.'],
  ['библиотека', 'ru', 'Он работает в библиотеке. Она нет.', ['библиотеке'], 'Он работает в библиотеке.'],
  ['図書館の時間', 'ja', '図書館は九時に開きます。駅は遠い。', ['図書館'], '図書館は九時に開きます。'],
  ['數據庫', 'zh', '数据库在哪里？文件在这里。', ['数据库'], '数据库在哪里？'],
  ['灯台', 'zh', '台灯在桌上。灯台在海边。', ['灯台'], '灯台在海边。'],
  ['ﾊﾟｯｹｰｼﾞ', 'ja', 'パッケージを作る。ﾊﾟｯｹｰｼﾞも。', ['パッケージ', 'ﾊﾟｯｹｰｼﾞ'], 'パッケージを作る。'],
  ['ห้องสมุด', 'th', 'ห้องสมุดเปิดเวลาเก้าโมง', ['ห้องสมุด'], 'ห้องสมุดเปิดเวลาเก้าโมง'],
  ['مكتبة', 'ar', 'تفتح المكتبة في التاسعة.', ['المكتبة'], 'تفتح المكتبة في التاسعة.'],
  ['the of and', 'en', 'The end of it, and more.', ['The', 'of', 'and'], 'The end of it, and more.'],
  ['the heron of the river', 'en', 'The oak. The heron of the lake.', ['heron'], 'The heron of the lake.'],
  [
    '10,000 files',
    'en',
    'Up to 10,000 files; not 100 files.',
    ['10,000', 'files', 'files'],
    'Up to 10,000 files; not 100 files.',
  ],
  ['heron', 'en', 'Heroes are here. A her on a bike.', [], null],
  ['', 'en', 'Nothing is asked.', [], null],
  ['heron', null, 'A heron.', ['heron'], 'A heron.'],
];

for (const [query, language, text, words, sentence] of CASES) {
  test(`marks ${JSON.stringify(query)} in ${JSON.stringify(text)}`, () => {
    assert.deepEqual(marked(query, text, language), { words, sentence });
  });
}

test('a sentence wins over a heading with as many words', () => {
  const text = '# Opening hours\n\nThe opening hours are nine to five.';
  assert.equal(marked('opening hours', text, 'en').sentence, 'The opening hours are nine to five.');
});

test('takes linear time in a long text', () => {
  const text = 'The heron nests in the old oak. '.repeat(3_000);
  const { words } = highlight(text, queryTerms('heron oak nest', 'en'));
  assert.equal(words.length, 9_000);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phraseTest } from './phrases.ts';

const holds = (query: string, text: string) => phraseTest(query)?.(text);

test('a phrase in any quotes is found word for word, whatever case, accents, marks and line breaks there are', () => {
  for (const query of [
    '"café crème"',
    'menu “Café Crème”',
    '„cafe creme“',
    '«CAFÉ CRÈME»',
    '»Café Crème«',
    '『café crème』',
  ]) {
    assert.equal(holds(query, 'Un **café**\n  crème, merci'), true, query);
    assert.equal(holds(query, 'Un ca\u00adfé crè\u00adme'), true, query);
    assert.equal(holds(query, 'crème de café'), false, query);
    assert.equal(holds(query, 'cafés crème'), false, query);
    assert.equal(holds(query, 'café crèmes'), false, query);
  }
});

test('every phrase in quotes must be there, and nothing outside of the quotes', () => {
  assert.equal(holds('"red hat" about "blue shoe"', 'a blue shoe, a red hat'), true);
  assert.equal(holds('"red hat" about "blue shoe"', 'a blue hat about a red shoe'), false);
  assert.equal(holds('«red hat» and «blue shoe»', 'a blue shoe, a red hat'), true);
});

test('a query without quotes has no phrase, nor has one with inches', () => {
  for (const query of ['cannot connect to', '"!="', '5" disks and 3" disks', '“cannot connect']) {
    assert.equal(phraseTest(query), undefined, query);
  }
});

test('a phrase in a script without blanks is found within a run', () => {
  assert.equal(holds('「依存関係」とは', 'パッケージの依存関係を計算'), true);
  assert.equal(holds('什么是"依存関係"', 'パッケージの依存関係を計算'), true);
  assert.equal(holds('"ﾊﾟｯｹｰｼﾞ"', 'ソースパッケージを'), true);
  assert.equal(holds('"의존 관계"', '이것은 의존\n관계를 뜻한다'), true);
});

test('a phrase in two scripts is found within a run, with and without blanks between them', () => {
  assert.equal(holds('「API設計」', 'このAPI設計はよい'), true);
  assert.equal(holds('「API設計」', 'このRAPI設計はよい'), false);
  assert.equal(holds('"用户 API 密钥"', '这里的用户API密钥'), true);
  assert.equal(holds('"用户API密钥"', '这里的用户 API 密钥'), true);
  assert.equal(holds('"API"', '这里的用户API密钥'), true);
  assert.equal(holds('"AP"', '这里的用户API密钥'), false);
  assert.equal(holds('"ไฟล์ PDF"', 'เปิดไฟล์PDFนี้'), true);
  assert.equal(holds('"2024"', '2024年と20245年'), true);
  assert.equal(holds('"2024"', '20245年'), false);
});

test('neither quotes without an end nor runs of marks take quadratic time', () => {
  const started = performance.now();
  for (const opener of '"“„«»「『') phraseTest(opener.repeat(40_000));
  for (let i = 0; i < 100; i++) holds('"red hat"', `a${'\u0301\u0316'.repeat(1_500)}`);
  assert.ok(performance.now() - started < 400, `${performance.now() - started} ms`);
});

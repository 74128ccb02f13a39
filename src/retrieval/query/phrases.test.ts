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

test('a phrase with signs at its words is compared with the signs', () => {
  for (const query of ['"C++"', '"C#"', '"$c"', '"-c"']) {
    for (const text of ['vitamin C', 'see section C, 3', 'option --c', 'a C here'])
      assert.equal(holds(query, text), false, query);
  }
  assert.equal(holds('"C++"', 'written in **C++**, not C'), true);
  assert.equal(holds('"C++"', 'written in C#'), false);
  assert.equal(holds('"C#"', '用 C# 编程'), true);
  assert.equal(holds('"C++"', '用C++编程'), true);
  assert.equal(holds('"-v"', 'version v 3'), false);
  assert.equal(holds('"-v"', 'the option `-v` prints'), true);
  assert.equal(holds('"the C++ guide" "red hat"', 'the C++ guide to a red-hat'), true);
  assert.equal(holds('"the C++ guide"', 'the C guide'), false);
  assert.equal(holds('"option v"', 'the option -v'), true, 'without a sign, signs do not count');
  assert.equal(holds('"red-hat, guide."', 'a red hat guide'), true, 'other marks do not count');
});

test('a phrase is found in the text of a link', () => {
  for (const text of [
    'the [red hat](x.html) guide',
    'the [red](x.html) [hat](https://a.example/Hat_(red) "A (red) hat") guide',
    'the [![red hat](hat.png)](x.html) guide',
  ])
    assert.equal(holds('"red hat guide"', text), true, text);
  assert.equal(holds('"red hat guide"', 'the [red hat](red-hat-guide.html) book'), false);
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
  const used = process.cpuUsage();
  for (const opener of '"“„«»「『') phraseTest(opener.repeat(40_000));
  for (let i = 0; i < 100; i++) holds('"red hat"', `a${'\u0301\u0316'.repeat(1_500)}`);
  for (const part of ['](', '](a(b)', '](a(', '-', 'c++']) holds('"-v"', part.repeat(40_000));
  assert.ok(process.cpuUsage(used).user < 1_500_000);
});

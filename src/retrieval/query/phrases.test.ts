import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phraseTest, quotedIn } from './phrases.ts';

const holds = (query: string, text: string) => phraseTest(query)?.(text);

test('a phrase in any quotes is found word for word, whatever case, accents, marks and line breaks there are', () => {
  for (const query of ['"café crème"', 'menu “Café Crème”', '„cafe creme“', '«CAFÉ CRÈME»']) {
    assert.equal(holds(query, 'Un **café**\n  crème, merci'), true, query);
    assert.equal(holds(query, 'crème de café'), false, query);
    assert.equal(holds(query, 'cafés crème'), false, query);
  }
});

test('every phrase in quotes must be there, and nothing outside of the quotes', () => {
  assert.equal(holds('"red hat" about "blue shoe"', 'a blue shoe, a red hat'), true);
  assert.equal(holds('"red hat" about "blue shoe"', 'a blue hat about a red shoe'), false);
});

test('a query of three words without quotes is a phrase, and one of two words is none', () => {
  assert.equal(holds('cannot connect to', 'worker: Cannot connect to amqp://'), true);
  assert.equal(holds('cannot connect to', 'cannot now connect to'), false);
  assert.equal(phraseTest('cannot connect'), undefined);
  assert.equal(phraseTest('"!="'), undefined);
});

test('a phrase in a script without blanks is found within a run', () => {
  assert.equal(holds('「依存関係」', 'パッケージの依存関係を計算'), true);
  assert.equal(holds('"ﾊﾟｯｹｰｼﾞ"', 'ソースパッケージを'), true);
  assert.deepEqual(quotedIn('「依存関係」とは'), ['依存関係']);
});

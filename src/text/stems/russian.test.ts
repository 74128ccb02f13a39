import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordTerms } from '../analysis/words.ts';

const stem = (word: string): string => wordTerms(word, 'ru')[0]!.term;

for (const forms of [
  // A fleeting vowel.
  'отец отца отцов',
  'китаец китайца китайцы',
  'уровень уровня уровней',
  'список списка списков',
  'церковь церкви',
  'деньги денег',
  'судьба судеб',
  'проблема проблем',
  'палец пальца пальцы',
  'конёк коньки коньков',
  'ветер ветра ветры',
  'окно окна окон',
  // Nouns that look like verbs.
  'журнал журнала журнале журналов',
  'роман романа романом романы',
  'капитан капитана капитану',
  // Verbs of going.
  'нашёл нашла найти найдут',
  'пришёл пришли прийти придти придёт',
  'произошло произойти произойдёт',
  'нашлась найтись найдется',
  // Irregular words.
  'год лет',
  'человек человека люди людьми',
  'ребёнок ребенка дети детей',
  'день дня дней',
  'мать матери',
  'имя имени имён',
  'лёд льда',
  'башня башен',
  'двух две два',
]) {
  test(`the Russian words ${forms} have one stem`, () => {
    assert.equal(new Set(forms.split(' ').map(stem)).size, 1, forms.split(' ').map(stem).join(' '));
  });
}

for (const [one, other] of [
  ['сон', 'сын'],
  ['лет', 'лето'],
  ['дети', 'дело'],
  ['идут', 'найдут'],
  ['прийти', 'пройти'],
  ['им', 'имя'],
  ['том', 'тем'],
  ['степень', 'степной'],
  ['сложный', 'сложение'],
  ['опера', 'опора'],
  ['литера', 'литр'],
  ['посол', 'после'],
  ['послы', 'после'],
  ['Ангола', 'ангел'],
  ['Сергей', 'серьга'],
  ['Горький', 'горка'],
  ['полька', 'полк'],
  ['берег', 'Берг'],
  ['север', 'Севр'],
  ['пробел', 'проблема'],
  ['только', 'толк'],
] as const) {
  test(`the Russian words ${one} and ${other} have different stems`, () => assert.notEqual(stem(one), stem(other)));
}

test('Russian words share a term for their first four letters, and another for five', () => {
  const terms = (word: string): string[] => wordTerms(word, 'ru').map(({ term }) => term);
  const shared = (one: string, other: string): number =>
    terms(one).filter((term) => terms(other).includes(term)).length;
  assert.equal(shared('парки', 'парковый'), 1);
  assert.equal(shared('париж', 'парижский'), 2);
  assert.equal(shared('пари', 'парк'), 0);
});

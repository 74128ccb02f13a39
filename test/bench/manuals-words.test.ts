import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  blocksOf,
  countAll,
  countKept,
  isTemplate,
  lostBlocks,
  splitPage,
  templateOf,
  wordsOf,
} from '../../bench/manuals/words.ts';

function page(title: string, text: string): string {
  return `<html><head><title>${title}</title></head><body><nav><a>Home</a><ul><li>Setup</li><li>Use</li></ul></nav>
    <h1>${title}</h1><p>${text}</p><footer>Made in 2020</footer></body></html>`;
}
const pages = [page('Setup', 'Install it.'), page('Use', 'Run it.'), page('Limits', 'None.')].map(blocksOf);
const template = templateOf(pages);

test('words are compared without case, punctuation and invisible characters', () => {
  assert.deepEqual(wordsOf('The --max-size\u200b (ﬁrst) is n_1, große'), [
    ...['the', 'max', 'size', 'first', 'is', 'n', '1', 'große'],
  ]);
});

test('inline markup does not split words, block markup does, scripts and tooltips are not read', () => {
  const html =
    '<body><p>un<b>set</b></p><p>a<br>b</p><script>x()</script><div class="ttc">t</div><td>c</td><td>d</td></body>';
  assert.deepEqual(blocksOf(html), [['unset'], ['a'], ['b'], ['c'], ['d']]);
});

test('a block on half of the pages belongs to the template, the title of a page does not', () => {
  assert.deepEqual([...template.keys()], ['home', 'setup', 'use', 'made in 2020']);
  const { content } = splitPage(pages[0]!, template);
  assert.deepEqual(content, [['setup'], ['install', 'it']]);
});

test('a manual of two pages has no template', () => {
  assert.equal(templateOf(pages.slice(0, 2)).size, 0);
});

test('a word counts as kept as often as the text contains it', () => {
  assert.equal(countKept(['a', 'a', 'b', 'c'], countAll(wordsOf('a b b'))), 2);
});

test('the blocks that lost most come first', () => {
  const text = countAll(wordsOf('one two'));
  assert.deepEqual(lostBlocks([['one', 'x'], ['two'], ['x', 'y', 'z']], text), [
    ['x', 'y', 'z'],
    ['one', 'x'],
  ]);
});

test('a chunk of template blocks only is distinguished from one with text of the page', () => {
  const limits = splitPage(pages[2]!, template);
  assert.equal(isTemplate('Home | Setup | Use', limits), true);
  assert.equal(isTemplate('Home | Made in 2020', limits), true);
  assert.equal(isTemplate('Home | Made in 2021', limits), false);
  assert.equal(isTemplate('Setup of the house', limits), false);
  assert.equal(isTemplate('', limits), false);
});

test('a chunk with the title of its page is not template, even if a sidebar shows the title on all pages', () => {
  assert.equal(isTemplate('# Setup', splitPage(pages[0]!, template)), false);
  assert.equal(isTemplate('# Setup', splitPage(pages[1]!, template)), true);
});

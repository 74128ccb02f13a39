import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutAnchors } from './anchors.ts';
import { parseMd } from './md.ts';

test('anchors are removed from Markdown, links and code are not', () => {
  const given = '## <a name="use"></a>Use\n\n<a id=\'x\' /> See [it](#use), <a href="/b">b</a> and `<a id="y"></a>`.';
  assert.equal(withoutAnchors(given), '## Use\n\n See [it](#use), <a href="/b">b</a> and `<a id="y"></a>`.');
  for (const code of ['```\n<a id="z"></a>\n```', '    <a id="z"></a>'])
    assert.equal(withoutAnchors(`<a id="q"></a>\n${code}`), `\n${code}`);
});

test('a Markdown heading and its text have no anchors', async () => {
  const parsed = await parseMd('# <a id="top"></a>Manual\n\n<a id="first"></a>\n\nFirst words.\n', []);
  assert.equal(parsed.title, 'Manual');
  assert.doesNotMatch(parsed.text, /<a/);
  assert.equal(parsed.blocks.length, 2);
});

/** Tests of presentations as PowerPoint and OpenDocument files: a page per slide. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { fixture } from '../support/files/fixtures.ts';
import { failureOf, processBytes, readBytes } from '../support/files/process-bytes.ts';

const SLIDES = [
  '## Quarterly review',
  'Ann Example',
  '## Results',
  '- Sales grew by 12 percent\n- Costs fell\n  - energy\n  - rent',
  '> Notes: Thank the team before the next slide.',
  '## Regions',
  '| Region | Sales |\n| --- | --- |\n| North | 120 |\n| South | 80 |',
  '## Two columns',
  'Left side with plans',
  'Right side with risks',
].join('\n\n');

/** Returns the presentation with a change in the XML of one slide. */
function changed(slide: number, change: (xml: string) => string): Uint8Array {
  const parts = unzipSync(fixture('slides.pptx'));
  const name = `ppt/slides/slide${slide}.xml`;
  return zipSync({ ...parts, [name]: strToU8(change(new TextDecoder().decode(parts[name]))) });
}

for (const name of ['slides.pptx', 'office.pptx', 'office.odp']) {
  test(`the presentation ${name} is read slide by slide, with titles, lists, notes, tables and columns`, async () => {
    const file = await readBytes(name, fixture(name));
    assert.equal(file.text, SLIDES);
    assert.deepEqual(
      file.chunks.map((chunk) => [chunk.pages, chunk.headingPath]),
      [
        [[1], ['Quarterly review']],
        [[2], ['Results']],
        [[3], ['Regions']],
        [[4], ['Two columns']],
      ],
    );
    assert.equal(file.metadata['title']?.val, 'Quarterly review');
    assert.equal(file.metadata['author']?.val, 'Ann Example');
  });
}

test('a footer is kept once, and a box at the lower end of a slide stays there, also if another slide has its words', async () => {
  const box = (y: number, text: string, holder = '') =>
    `<p:sp><p:nvSpPr><p:cNvPr id="9"/><p:cNvSpPr/><p:nvPr>${holder}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="${y}"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const parts = unzipSync(fixture('slides.pptx'));
  const names = Object.keys(parts).filter((name) => /^ppt\/slides\/slide\d\.xml$/.test(name));
  for (const [i, name] of names.entries()) {
    const added = `${box(6_500_000, `Decision: ${i === 1 ? 'rejected' : 'approved'}`)}${box(6_400_000, 'Example Ltd', '<p:ph type="ftr"/>')}`;
    parts[name] = strToU8(new TextDecoder().decode(parts[name]).replace('</p:spTree>', `${added}</p:spTree>`));
  }
  const { text } = await readBytes('a.pptx', zipSync(parts));
  const count = (words: string) => text.split(words).length - 1;
  assert.deepEqual([count('Decision: approved'), count('Decision: rejected'), count('Example Ltd')], [3, 1, 1]);
  assert.match(text, /Example Ltd$/);
});

test('what is in a group of shapes is read together, at the place of the group', async () => {
  const box = (y: number, text: string) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="9"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="${y}"/><a:ext cx="9" cy="9"/></a:xfrm></p:spPr><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
  const group = `<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="5900000"/><a:ext cx="9" cy="90"/><a:chOff x="0" y="0"/><a:chExt cx="9" cy="90"/></a:xfrm></p:grpSpPr>${box(80, 'then')}${box(0, 'first')}</p:grpSp>`;
  const bytes = changed(4, (xml) => xml.replace('</p:spTree>', `${box(6_000_000, 'last')}${group}</p:spTree>`));
  assert.match((await readBytes('a.pptx', bytes)).text, /risks\n\nfirst\n\nthen\n\nlast$/);
});

test('a slide without a title does not get the heading path of the slide before', async () => {
  const file = await readBytes(
    'a.pptx',
    changed(3, (xml) => xml.replace('type="title"', 'type="ftr"')),
  );
  assert.deepEqual(
    file.chunks.map((chunk) => [chunk.pages, chunk.headingPath]),
    [
      [[1], ['Quarterly review']],
      [[2], ['Results']],
      [[3], []],
      [[4], ['Two columns']],
      [null, []],
    ],
  );
  assert.match(file.text, /risks\n\nRegions$/, 'footers stand once at the end');
});

test('a hidden slide is left out with its files and counted, and the other slides keep their numbers', async () => {
  const parts = unzipSync(changed(2, (xml) => xml.replace(/<p:sld(?=\s)/, '<p:sld show="0"')));
  const links = 'ppt/slides/_rels/slide2.xml.rels';
  const link = '<Relationship Id="rId99" Target="../embeddings/secret.csv"/></Relationships>';
  parts[links] = strToU8(new TextDecoder().decode(parts[links]).replace('</Relationships>', link));
  parts['ppt/embeddings/secret.csv'] = strToU8('bird,count\nheron,3\n');
  const members: string[] = [];
  const outcome = await processBytes('a.pptx', zipSync(parts), [], async ({ name }) => void members.push(name));
  assert.ok(outcome.ok);
  assert.deepEqual(
    outcome.file.chunks.map(({ pages }) => pages),
    [[1], [3], [4]],
  );
  assert.doesNotMatch(outcome.file.text, /Results/);
  assert.deepEqual([outcome.file.warnings, members], [['1 hidden slide was left out.'], []]);
});

test('a presentation whose slides declare entities is refused', async () => {
  const bytes = changed(2, (xml) => xml.replace('<p:sld ', '<!DOCTYPE x [<!ENTITY a "lol">]><p:sld '));
  assert.match((await failureOf('a.pptx', bytes)).message, /entities/);
});

test('comments on a slide in the old and the new format are read with authors and answers', async () => {
  const parts = unzipSync(fixture('slides.pptx'));
  const text = (name: string) => new TextDecoder().decode(parts[name]);
  const rels = 'ppt/slides/_rels/slide3.xml.rels';
  const link = (id: string, target: string) => `<Relationship Id="${id}" Target="../comments/${target}"/>`;
  parts[rels] = strToU8(
    text(rels).replace('</Rel', `${link('k1', 'comment1.xml')}${link('k2', 'modernComment_1.xml')}</Rel`),
  );
  parts['ppt/commentAuthors.xml'] = strToU8('<p:cmAuthorLst><p:cmAuthor id="0" name="Ann"/></p:cmAuthorLst>');
  parts['ppt/authors.xml'] = strToU8('<p188:authorLst><p188:author id="{B}" name="Bo"/></p188:authorLst>');
  parts['ppt/comments/comment1.xml'] = strToU8(
    '<p:cmLst><p:cm authorId="0"><p:pos x="1"/><p:text>Check &amp; fix</p:text></p:cm><p:cm authorId="9"><p:text>Who?</p:text></p:cm></p:cmLst>',
  );
  const body = (words: string) => `<p188:txBody><a:p><a:r><a:t>${words}</a:t></a:r></a:p></p188:txBody>`;
  parts['ppt/comments/modernComment_1.xml'] = strToU8(
    `<p188:cmLst><p188:cm authorId="{B}"><p188:replyLst><p188:reply authorId="{B}">${body('Done')}</p188:reply></p188:replyLst>${body('Too long')}</p188:cm></p188:cmLst>`,
  );
  const file = await readBytes('a.pptx', zipSync(parts));
  const after = file.text.slice(file.text.indexOf('| South | 80 |'), file.text.indexOf('## Two columns'));
  assert.deepEqual(after.trim().split('\n\n').slice(1), [
    '[comment by Ann] Check & fix',
    '[comment] Who?',
    '[comment by Bo] Too long',
    '[comment by Bo] Done',
  ]);
});

test('merged cells of a table on a slide make a second row of headers', async () => {
  const cell = (text: string, attributes = '') =>
    `<a:tc ${attributes}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const rows = [
    cell('Id', 'rowSpan="2"') + cell('Person', 'gridSpan="2"') + cell('', "hMerge='1'"),
    cell('', 'hMerge="0" vMerge="1"') + cell('Name') + cell('Town'),
    cell('A') + cell('Ann') + cell('Rome'),
    cell('B') + cell('Bo') + cell('Oslo'),
  ];
  const table = `<a:tbl>${rows.map((row) => `<a:tr>${row}</a:tr>`).join('')}</a:tbl>`;
  const bytes = changed(3, (xml) => xml.replace(/<a:tbl>[\s\S]*<\/a:tbl>/, table));
  const { text } = await readBytes('a.pptx', bytes);
  assert.match(text, /\| Id \| Person \/ Name \| Person \/ Town \|\n\| --- \| --- \| --- \|\n\| A \|/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseXml } from './xml.ts';

const textOf = (body: string) =>
  parseXml(`<article><sec><title>T</title>${body}<p>${'Words of the paper. '.repeat(20)}</p></sec></article>`, [])
    .text.replace(/(?:Words of the paper\. ?)+/, '')
    .replace(/^## T\s+/, '')
    .trim();

test('keywords and dates of papers have signs between their parts', () => {
  assert.equal(textOf('<kwd-group><kwd>cell growth</kwd><kwd>yeast</kwd></kwd-group>'), 'cell growth, yeast');
  const date = '<pub-date><day>2</day><month>8</month><year>2011</year></pub-date>';
  assert.equal(textOf(`${date}<pub-date><year>2012</year></pub-date>`), '2011-08-02, 2012');
  assert.equal(textOf('<pub-date><month>Aug</month><year>2011</year></pub-date>'), 'Aug 2011', 'a month in words');
});

test('a figure has its label and caption in one paragraph, and its title is no heading', () => {
  const fig = '<fig><label>Figure 1</label><caption><title>Cells.</title><p>After a day.</p></caption></fig>';
  assert.equal(textOf(fig), 'Figure 1 Cells.\n\nAfter a day.');
  assert.equal(textOf('<fig><label>Figure 2</label><caption><p>Cells.</p></caption></fig>'), 'Figure 2 Cells.');
  assert.equal(
    textOf('<sec><label>2.1</label><title>Methods</title><p>We did.</p></sec>'),
    '### 2.1 Methods\n\nWe did.',
  );
});

test('raised text, notes, line breaks and parts of a reference are separate from the words before them', () => {
  assert.equal(
    textOf('<p>Up to 10<sup>5</sup> cells, χ<sup>2</sup> = 17, H<sub>2</sub>O.</p>'),
    'Up to 10^5 cells, χ^2 = 17, H2O.',
  );
  assert.equal(
    textOf('<p>Ann<note>A person.</note>, and Bo<fn><p>Bob.</p></fn>.</p>'),
    'Ann (A person.), and Bo (Bob.).',
  );
  assert.equal(textOf('<p>one<lb/>two th<lb break="no"/>ree</p>'), 'one two three');
  const reference =
    '<ref><mixed-citation>Ann (1997) <source>Methods</source><volume>286</volume>: <fpage>190</fpage>–<lpage>23</lpage>' +
    '<pub-id>193</pub-id></mixed-citation></ref>';
  assert.equal(textOf(reference), 'Ann (1997) Methods 286: 190–23 193');
});

test('formulas within a sentence, and text beside the parts of a section, are kept', () => {
  const formula = (sign: string) => `<mml:math><mml:mi>${sign}</mml:mi></mml:math>`;
  assert.equal(
    textOf(`<p>Let <inline-formula>${formula('n')}</inline-formula> be 5, and ${formula('k')} be 7.</p>`),
    'Let n be 5, and k be 7.',
  );
  assert.equal(textOf('<sec>Words without a paragraph.<p>More.</p></sec>'), 'Words without a paragraph.\n\nMore.');
});

test('keywords and dates with words of their own keep them', () => {
  assert.equal(textOf('<keywords>water, <term>ice</term>, snow</keywords>'), 'water, ice, snow');
  const titled = '<kwd-group><title>Keywords</title><kwd>ice</kwd><kwd>war</kwd></kwd-group>';
  assert.equal(textOf(titled), 'Keywords ice, war');
  assert.equal(textOf('<pub-date><season>Spring</season><year>2011</year></pub-date>'), 'Spring 2011');
  assert.equal(textOf('<pub-date><day>12</day><year>2012</year></pub-date>'), '12 2012', 'a day without a month');
  const noon = '<p>On <date>Monday, <day>2</day>/<month>8</month>/<year>2011</year>, at noon</date> it froze.</p>';
  assert.equal(textOf(noon), 'On Monday, 2/8/2011, at noon it froze.');
});

test('there is no blank between the title of a reference and the sign behind it', () => {
  const reference =
    '<mixed-citation>Lee (2001) <article-title>Ice</article-title>. <volume>3</volume></mixed-citation>';
  assert.equal(textOf(`<ref>${reference}</ref>`), 'Lee (2001) Ice. 3');
});

test('many numbers in one element are read in linear time', () => {
  const used = process.cpuUsage();
  const words = `<p>${'word '.repeat(300_000)}</p>`;
  textOf(`<dl>${'<dt>1</dt><dd>x</dd>'.repeat(40_000)}</dl>${words}`);
  textOf(`<sec>${'<label>1</label><p>x</p>'.repeat(40_000)}</sec>${words}`);
  textOf(`<x>${'<num>1</num>'.repeat(80_000)}</x>${words}`);
  assert.ok(process.cpuUsage(used).user < 20e6);
});

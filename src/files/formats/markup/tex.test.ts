import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkMarks } from './link-marks.ts';
import { texToMarkdown } from './tex.ts';

const convert = (source: string) => texToMarkdown(source, new LinkMarks()).trim();

test('spaces, marks of hyphenation and logos of LaTeX become what a reader sees', () => {
  assert.equal(
    convert(String.raw`It is 10\,km, e.g.\ here, hyphen\-ation, NASA\@. Use \LaTeX\ or \TeX{}, \BibTeX.`),
    'It is 10 km, e.g. here, hyphenation, NASA. Use LaTeX or TeX, BibTeX.',
  );
  assert.equal(convert(String.raw`Keep $a\,b\ c$.`), String.raw`Keep $a\,b\ c$.`);
});

test('a heading of LaTeX over two lines is one heading', () => {
  assert.equal(convert('\\section{First\\\\ part}\nText.'), '# First part\n\nText.');
});

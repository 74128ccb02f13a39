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

test('a heading of LaTeX with commands inside is a heading, with one of its two forms', () => {
  assert.equal(convert(String.raw`\section{The \texttt{a \emph{b}} command \LaTeX{}}`), '# The a b command LaTeX');
  const two = String.raw`\hypertarget{x}{%
\subsection{\texorpdfstring{Level \emph{two}}{Level two}}\label{x}}`;
  assert.equal(convert(two), '## Level two');
});

test('columns of a table of LaTeX with widths, and boxes around its cells, are no text', () => {
  const column = String.raw`>{\raggedright\arraybackslash}p{(\columnwidth - 6\tabcolsep) * \real{0.15}}`;
  const cell = (words: string) =>
    String.raw`\begin{minipage}[b]{\linewidth}\raggedright${'\n'}${words}${'\n'}\end{minipage}`;
  const source = String.raw`\begin{longtable}[]{@{}${column}${column}@{}}\toprule ${cell('Pier')} & ${cell('Berth')} \\ \midrule\endhead A & 1 \\ \end{longtable}`;
  assert.equal(convert(`${source}\n\\rule{0.5\\linewidth}{0.5pt}`), '| Pier | Berth |\n| --- | --- |\n| A | 1 |');
});

test('a cell of LaTeX over several columns or rows is its words', () => {
  const rows = String.raw`\multicolumn{2}{|c|}{\textbf{Both}} & C \\ \multirow{2}{*}{Up} & 10\^{}4 & c \\ & 2 & d \\`;
  assert.equal(
    convert(String.raw`\begin{tabular}{|l|r|r|}${rows}\end{tabular}`),
    '| Both |  | C |\n| --- | --- | --- |\n| Up | 10^4 | c |\n|  | 2 | d |',
  );
});

test('groups of LaTeX that are very long, in headings and tables, are read as text', () => {
  const group = `{${`{${'a'.repeat(300)}}`.repeat(1000)}}`;
  for (const many of [
    `\\section{${group.repeat(20)}}`,
    `\\texorpdfstring{${group.repeat(10)}}{${group.repeat(10)}}`,
    `\\begin{tabular}{c}\\multicolumn{2}{c}{${group.repeat(20)}}\\end{tabular}`,
    `\\begin{tabular}{${`{${`{${'a'.repeat(100)}}`.repeat(300)}}`.repeat(400)}} a & b \\end{tabular}`,
  ]) {
    assert.ok(convert(many).includes('aaa'));
  }
});

test('a command of LaTeX stands for its last definition before it, of any length', () => {
  const sentences = 'Each boat has its own berth, and the harbour master knows them all. '.repeat(6).trim();
  assert.equal(convert(`\\newcommand{\\inside}{${sentences}}\\inside`), sentences);
  const source = String.raw`\documentclass{a}\newcommand{\co}{Acme}\title{The \co}
\begin{document}\providecommand{\co}{Company}\co{} sells.
% \renewcommand{\co}{Comment}
\renewcommand{\co}{Beta}\co{} sells.
\renewcommand{\co}{\fontsize{9}{9}Small}\co{} sells.\end{document}`;
  assert.equal(convert(source), '# The Acme\n\n\n\nAcme sells.\n\nBeta sells.\n99Small sells.');
});

test('a definition of LaTeX is kept if no command stands for it, or if it has other commands than words', () => {
  const source = String.raw`\newcommand{\owner}{Ann Lee}: \newcommand{\mail}{ann@lake.example}\mail{}, \mail`;
  assert.equal(convert(source), 'Ann Lee: ann@lake.example, ann@lake.example');
  assert.equal(convert(String.raw`\newcommand{\inner}{\lake@name words} \inner{} \inner`), '@name words');
});

test('definitions of layout are no text, a title may stand above its commands, and commands in commands are used', () => {
  assert.equal(
    convert(String.raw`\renewcommand{\arraystretch}{1.5}\renewcommand{\thetable}{S\arabic{table}} Words.`),
    'Words.',
  );
  assert.equal(convert('\\def\\arraystretch{1.5} Words behind.'), 'Words behind.');
  const title = String.raw`\title{\sys: a parser}\newcommand{\sys}{DeepParser}\begin{document}Text.\end{document}`;
  assert.match(convert(title), /^# DeepParser: a parser\n/);
  assert.equal(convert(String.raw`\newcommand{\lab}{Lake Lab}\newcommand{\full}{\lab, Port}\full`), 'Lake Lab, Port');
});

test('commands of LaTeX that make a text very long are written out up to a limit', () => {
  const source = `\\newcommand{\\a}{${'x'.repeat(900)}}${'\\a '.repeat(2000)}\\newcommand{\\b}{last words}\\b`;
  const text = convert(source);
  assert.ok(text.length > 1_000_000 && text.length < 1_100_000);
  assert.ok(text.endsWith('last words'));
});

test('a sign at the start of a line ends code only in files of knitr', () => {
  const listing = '\\begin{lstlisting}\nclass A:\n@ property\n\\end{lstlisting}';
  assert.equal(
    convert(`Write to ann\n@ home.\n${listing}`),
    'Write to ann\n@ home.\n\n\n```\nclass A:\n@ property\n```',
  );
});

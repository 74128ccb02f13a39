import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withTexLetters } from './tex-letters.ts';

test('composed letters become letters', () => {
  const letters = String.raw`M{\"u}nchen K\"oln \'Etude \'{e} {\'\i} \c{c} \v s \v{r} stra{\ss}e \O re {\L}\'od\'z \aa ngstr\"om \H{o} \u{g}`;
  assert.equal(withTexLetters(letters), 'München Köln Étude é í ç š ř straße Øre Łódź ångström ő ğ');
});

test('commands of other things stay', () => {
  const source = String.raw`\vspace{1cm} \cite{a} \item \bf b \url{u} \label{o} \omega \textbf{x} a\\b`;
  assert.equal(withTexLetters(source), source);
});

test('a line break before an accent, a quotation mark or a letter stays', () => {
  const source = String.raw`said:\\"Also sprach" one\\"Oh no" x\\'Twas a\\c dur a\\o b`;
  assert.equal(withTexLetters(source), source);
  assert.equal(withTexLetters(String.raw`a\\\"ub\\\ss`), String.raw`a\\üb\\ß`);
});

test('tab stops are no accents', () => {
  const source = String.raw`caf\'e \begin{tabbing}Name \=Address \'x\\'Twas \> Foo\end{tabbing} caf\'e`;
  assert.equal(withTexLetters(source), String.raw`café \begin{tabbing}Name  Address  x\\'Twas   Foo\end{tabbing} café`);
});

test('many line breaks and tables of tab stops take linear time', () => {
  const used = process.cpuUsage();
  for (const part of ['\\', '\\\\"', '\\begin{tabbing}', '\\end{tabbing}', '\\begin{tabbing}\\='])
    withTexLetters(part.repeat(200_000));
  assert.ok(process.cpuUsage(used).user < 10e6);
});

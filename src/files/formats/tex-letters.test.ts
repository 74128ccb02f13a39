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

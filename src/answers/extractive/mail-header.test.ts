import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractPassages } from './extract.ts';
import { titleHeaderEnd } from './mail-header.ts';

const OFFER = `From: Erik Dahl <erik@fjord-metall.example>
To: purchasing@northwind.example
Date: 2026-01-12T08:15:00.000Z
Subject: Offer 4471: brackets for 2026

Dear team,

we offer 5,000 brackets at 1.85 EUR each, delivery in week 9.
The offer is valid until 28 February 2026.

Kind regards
Erik Dahl`;
const REPLY = `From: Tomasz Nowak <tomasz@northwind.example>
To: Erik Dahl <erik@fjord-metall.example>
Date: 2026-01-13T09:00:00.000Z
Subject: Re: Offer 4471: brackets for 2026

Hello Erik,

we accept the price, but we need delivery in week 7.`;

function answer(question: string): string[] {
  const chunks = [OFFER, REPLY].map((content, i) => {
    return { number: i + 1, name: 'mail.eml', headingPath: [], context: null, content, score: 10 - i, language: 'en' };
  });
  return extractPassages(question, chunks).passages.map(({ text }) => text);
}

test('the text of a mail answers, and its header does not crowd it out', () => {
  for (const question of [
    'What price does Fjord Metall offer for brackets?',
    'Until when is offer 4471 valid?',
    'How many brackets does Erik Dahl offer?',
  ]) {
    const passages = answer(question);
    assert.match(passages[0]!, /1\.85 EUR each.*28 February/su, question);
    assert.doesNotMatch(passages.join('\n'), /From:|Subject:/, question);
  }
});

test('the header of a mail answers who sent it, and when', () => {
  assert.match(answer('Who sent the offer for brackets?').join('\n'), /From: Erik Dahl/);
  assert.match(answer('When was the mail about offer 4471 sent?').join('\n'), /Date: 2026-01-12/);
  assert.match(answer('What is the address of Erik Dahl?').join('\n'), /erik@fjord-metall/);
});

test('an answer quotes a mail, and not the mail that repeats its lines, unless no other has them', () => {
  const lines = 'The north pier opens in May, after the ice is gone.';
  const original = `From: Ann Lee <ann@x.example>\nSubject: Pier\n\n${lines}`;
  const reply = `From: Bo Ek <bo@x.example>\nSubject: Re: Pier\n\nAnn wrote:\n> ${lines}\n\nFine with me.`;
  const read = (question: string, contents: readonly string[]) => {
    const shared = { name: 'mail.eml', headingPath: [], context: null, language: 'en' };
    return extractPassages(
      question,
      contents.map((content, i) => ({ ...shared, content, number: i + 1, score: 10 - i / 10 })),
    );
  };
  const quoted = (question: string, contents: readonly string[]) => read(question, contents).passages[0]?.text ?? '';
  const logOdds = (question: string, content: string) => read(question, [content]).logOdds;
  assert.equal(quoted('After what does the north pier open?', [reply, original]), lines);
  assert.match(quoted('After what does the north pier open?', [reply]), /> The north pier opens/);
  const other = 'From: Cy Ode <cy@x.example>\nSubject: Pier\n\nBo says the north pier opens in June.';
  assert.match(quoted('What does Bo Ek say about the north pier?', [reply, other]), /in June/, 'no words of Bo');
  const two = reply.replace(lines, `Thanks. ${lines}`);
  assert.match(quoted('What does Bo Ek say about the north pier?', [two, other]), /in June/, 'a second sentence');
  const page = `> ${lines}\n\nFine with me.`;
  assert.equal(
    logOdds('After what does the north pier open?', page),
    logOdds('After what does the north pier open?', page.slice(2)),
  );
});

test('a header is a title only at the top of a text, and only with text below it', () => {
  const header = 'From: a@x.example\nSubject: Boxes\n';
  assert.equal(titleHeaderEnd(`${header}\nSee below.`, 'What about boxes?'), header.length);
  assert.equal(titleHeaderEnd(header, 'What about boxes?'), 0);
  assert.equal(titleHeaderEnd(`Hello\n\n${header}\nSee below.`, 'What about boxes?'), 0);
  assert.equal(titleHeaderEnd('Date: 1 May\n\nSubject: Boxes', 'What about boxes?'), 0);
  assert.equal(titleHeaderEnd(`${header}\nSee below.`, 'Wer hat die Kisten geschickt?'), 0);
  assert.equal(titleHeaderEnd(`${header}\nSee below.`, 'Which mail mentions boxes?'), 0);
  for (const question of [
    'Which mail server is used?',
    'Which message broker do we run?',
    'Welche Mail-Server laufen?',
  ])
    assert.equal(titleHeaderEnd(`${header}\nSee below.`, question), header.length, question);
});

test('the mails that a question asks for are named by their headers, and need not have the word mail', () => {
  const list: Record<string, string> = {
    'Which mails are from Tomasz Nowak?': 'en',
    'Which messages did Tomasz Nowak write?': 'en',
    'Welche Mails sind von Tomasz Nowak?': 'de',
  };
  const quoting = `${OFFER}\n\n> Did you get our mail? The other mails and messages of Nowak got lost.`;
  for (const [question, language] of Object.entries(list)) {
    const chunks = [quoting, REPLY].map((content, i) => {
      return { number: i + 1, name: 'm.eml', headingPath: [], context: null, content, score: 10 - i, language };
    });
    const [first] = extractPassages(question, chunks).passages;
    assert.match(first!.text, /^From: Tomasz Nowak/, question);
  }
});

test('what somebody wrote is quoted from a mail of this sender, also from its later parts, and not from a mail that quotes the sender', () => {
  const quoting = REPLY.replace(
    'Hello Erik,',
    'Erik Dahl wrote:\n> Erik Dahl offers brackets. Erik Dahl wrote brackets twice.',
  );
  const later = 'The brackets come in boxes of fifty.';
  const context =
    'From: Erik Dahl <erik@fjord-metall.example>\nDate: 2026-01-12 08:15 UTC\nSubject: Boxes\nLinks: a <b>';
  const chunks = [quoting, later].map((content, i) => {
    const score = 10 - i / 10;
    return {
      number: i + 1,
      name: 'mail.eml',
      headingPath: [],
      context: i === 1 ? context : null,
      content,
      score,
      language: 'en',
    };
  });
  const [first] = extractPassages('What did Erik Dahl write about brackets?', chunks).passages;
  assert.equal(first!.text, later);
});

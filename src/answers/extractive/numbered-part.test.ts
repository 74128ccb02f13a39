import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContextChunk } from '../../llm/models.ts';
import { ANSWER_LOG_ODDS_MIN, extractPassages } from './extract.ts';
import { askedPartFirst, asksPart } from './numbered-part.ts';

function chunk(name: string, language: string, content: string, headingPath: string[] = []): ContextChunk {
  return { number: 1, name, language, content, headingPath, context: null, score: 10 };
}

/** Returns the answer; null without one. */
function answer(question: string, ...chunks: ContextChunk[]): string | null {
  const numbered = chunks.map((one, i) => ({ ...one, number: i + 1, score: 10 - i }));
  const { passages, logOdds } = extractPassages(question, numbered);
  return passages.length > 0 && logOdds >= ANSWER_LOG_ODDS_MIN ? passages.map(({ text }) => text).join('\n\n') : null;
}

const BASIC_LAW = chunk(
  'grundgesetz.html',
  'de',
  '### Art 4\n\n(1) Die Freiheit des Glaubens ist unverletzlich.\n\n### Art 5\n\n(1) Jeder hat das Recht, seine Meinung frei ' +
    'zu äußern.\n\n(3) Kunst und Wissenschaft sind frei.\n\n### Art 20\n\n(4) Alle Deutschen haben das Recht zum Widerstand, ' +
    'siehe auch Artikel 9.',
  ['Grundgesetz', 'I. Die Grundrechte'],
);
const LICENCE = [
  chunk('GPL-3.txt', 'en', '11. Patents.\n\nA contributor grants you a patent license, see section 12.', [
    '11. Patents.',
  ]),
  chunk('GPL-3.txt', 'en', 'You may not convey it at all, whatever section 11 says.', [
    "12. No Surrender of Others' Freedom.",
  ]),
];
const WORDS_OF_RFC = chunk(
  'rfc2119.txt',
  'en',
  'Key words for use in RFCs\n\n4. SHOULD NOT   There may exist valid reasons.\n\n5. MAY   An item is truly optional.\n\n' +
    '6. Guidance   They must be used with care.',
);
const SPANISH = chunk(
  'constitucion.html',
  'es',
  '### Artículo 14\n\nLos españoles son iguales ante la ley.\n\n### Artículo 16\n\nSe garantiza la libertad, según el artículo 14.',
  ['Constitución Española'],
);
const JAPANESE = chunk(
  'kenpo.html',
  'ja',
  '### 第九条\n\n戦争を永久に放棄する。\n\n### 第十四条\n\nすべて国民は法の下に平等である。',
  ['日本国憲法'],
);
const RUSSIAN = chunk(
  'konst.html',
  'ru',
  '### Статья 28\n\nГарантируется свобода совести.\n\n### Статья 29\n\nГарантируется свобода слова. См. статью 30.',
  ['Конституция Российской Федерации'],
);
const SALE = chunk(
  'bgb.txt',
  'de',
  '§ 432 Mehrere Gläubiger\n\nEs geht um eine unteilbare Leistung.\n\n§ 433 Pflichten\n\nDer Verkäufer muss die Sache übergeben.\n\n' +
    '§ 437 Rechte\n\nDer Käufer kann nach § 439 Nacherfüllung verlangen.',
);

test('a question for a numbered part is answered from this part', () => {
  const cases: [question: string, chunks: ContextChunk[], has: string, hasNot: string][] = [
    ['Was steht in Artikel 5 des Grundgesetzes?', [BASIC_LAW], 'Meinung', 'Widerstand'],
    ['Section 12 of the GPL 3', LICENCE, 'at all', 'patent license'],
    ['What does section 12 of the GPL 3 say?', LICENCE, 'at all', 'patent license'],
    ['RFC 2119 section 5', [WORDS_OF_RFC, ...LICENCE], 'truly optional', 'reasons'],
    ['¿Qué dice el artículo 14 de la Constitución?', [SPANISH], 'iguales ante la ley', 'libertad'],
    ['憲法9条の内容は？', [JAPANESE], '戦争', '平等'],
    ['日本国憲法第14条', [JAPANESE], '平等', '戦争'],
    ['Что говорит статья 29 Конституции?', [RUSSIAN], 'свобода слова', 'совести'],
    ['Was steht in § 433?', [SALE], 'Verkäufer', 'unteilbare'],
    ['What is "Paragraf 433"?', [SALE], 'Verkäufer', 'unteilbare'],
  ];
  for (const [question, chunks, has, hasNot] of cases) {
    const text = answer(question, ...chunks) ?? '';
    assert.ok(text.includes(has), `${question}: ${text}`);
    assert.ok(!text.includes(hasNot), `${question}: ${text}`);
  }
});

test('a document may be named with its version', () => {
  const documents = ['GPL-3', 'GFDL-1.3'].map((name) =>
    chunk(`${name}.txt`, 'en', `The text of ${name} has it.`, ['12. Surrender']),
  );
  for (const [question, name] of [
    ['What does section 12 of the GPL version 3 say?', 'GPL-3'],
    ['What does section 12 of the GFDL 1.3 say?', 'GFDL-1.3'],
    ['Section 12 of the GFDL version 1.3', 'GFDL-1.3'],
  ])
    assert.equal(answer(question!, ...documents), `The text of ${name} has it.`, question);
});

test('the paragraph of a section names no document: a file with this number in its name has no say', () => {
  const report = chunk('Bericht 2.txt', 'de', '§ 3 Anfang\n\nDer Bericht beginnt.\n\n§ 4 Ende\n\nDer Bericht endet.');
  const law = chunk('law.xml', 'de', '(1) Der Antrag ist schriftlich.\n\n(2) Die Frist beträgt sechs Wochen.', [
    '§ 7 Fristen',
  ]);
  for (const paragraph of ['', ' Abs. 2', ' Absatz 2 Satz 1'])
    assert.match(answer(`Wie lange ist die Frist nach § 7${paragraph}?`, report, law) ?? '', /sechs Wochen/, paragraph);
});

test('a part that is not there is not answered from a neighbour, from a reference to it, or from another document', () => {
  const cases: [question: string, ...chunks: ContextChunk[]][] = [
    ['Artikel 9 Grundgesetz', BASIC_LAW],
    ['What does section 99 of the GPL 3 say?', ...LICENCE],
    ['What does section 12 of the Apache license say?', ...LICENCE],
    ['RFC 2119 section 9', WORDS_OF_RFC],
    ['¿Qué dice el artículo 17 de la Constitución?', SPANISH],
    ['日本国憲法第12条', JAPANESE],
    ['Что говорит статья 30 Конституции?', RUSSIAN],
    ['Was steht in § 439?', SALE],
  ];
  for (const [question, ...chunks] of cases) assert.equal(answer(question, ...chunks), null, question);
});

test('what speaks of a part answers, unless its document has such parts; other numbers are no parts', () => {
  const windows = chunk('pc.md', 'en', 'It reached its end in 2020.', ['Windows 7']);
  const cases: [question: string, title: string, text: string, ...others: ContextChunk[]][] = [
    [
      'Which form does Article 12 of the GDPR ask for?',
      '1. Introduction',
      'Article 12 of the GDPR asks for a clear form.',
    ],
    ['Which form does Article 12 of the GDPR ask for?', '1. The GDPR', 'Article 12 of the GDPR asks for a clear form.'],
    ['What does the chapter 7 trustee do?', '2. Bankruptcy', 'The chapter 7 trustee sells the assets.'],
    ['What does the chapter 7 trustee do?', '7. Bankruptcy', 'The chapter 7 trustee sells the assets.'],
    ['What does the chapter 7 trustee do?', 'Deeds', 'The chapter 7 trustee sells the assets.', windows],
    ['What is the state of the art 2024 for reading scans?', '3. Scans', 'State of the art 2024 for scans is a model.'],
    ['How much does the art 3 camera cost?', '2. Prices', 'The art 3 camera costs 499 dollars.'],
  ];
  for (const [question, title, text, ...others] of cases)
    assert.equal(answer(question, chunk('doc.md', 'en', text, [title]), ...others), text, question);
  assert.equal(asksPart('Was steht in Art. 5?'), true);
  assert.equal(asksPart('Art 5 GG'), true);
  assert.equal(asksPart('Eine Begegnung der 3. Art'), false);
});

test('a part answers only what it has words of', () => {
  const lease = [
    chunk('lease.md', 'en', 'Cars stand in the yard behind the house.', ['Lease', '5. Parking']),
    chunk('lease.md', 'en', 'The penalty is 200 dollars.', ['Lease', '9. Penalty']),
  ];
  assert.equal(answer('What is the penalty in section 5 of the lease?', ...lease), null);
  assert.equal(answer('How does section 5 of the lease compare with section 9?', ...lease), null);
  assert.equal(answer('What is the penalty in section 9 of the lease?', ...lease), 'The penalty is 200 dollars.');
  assert.match(answer('Where do cars stand according to section 5 of the lease?', ...lease) ?? '', /^Cars stand/);
  const certain = (question: string) => extractPassages(question, lease).logOdds === Number.POSITIVE_INFINITY;
  assert.equal(certain('What does section 5 of the lease say?'), true);
  assert.equal(certain('What is the penalty in section 9 of the lease?'), false);
});

test('a text without numbered parts answers what it says of one', () => {
  const prose = chunk('labour.md', 'en', 'Article 28 guarantees the right to organize. It was passed in 1946.');
  assert.match(answer('What does Article 28 guarantee?', prose) ?? '', /right to organize/);
});

test('a part is read from its start, or where it has a word of the question', () => {
  const long = 'Nobody may change the text of this document. '.repeat(12);
  const part = chunk('charter.txt', 'en', `The board has seven members.\n\n${long}\n\nA ballot takes two weeks.`, [
    '4. Board',
  ]);
  assert.match(answer('What does section 4 of the charter say?', part) ?? '', /^The board/);
  assert.match(answer('How long does a ballot take under section 4?', part) ?? '', /^A ballot|\nA ballot/);
});

test('hits that have the part come first, the others keep their order', () => {
  for (const question of [
    'How many items are in section B?',
    '哪一条州公路升级？',
    '공사비는 2조 원인가?',
    '第何条ですか',
  ])
    assert.equal(asksPart(question), false, question);
  const hits = [LICENCE[0]!, BASIC_LAW, LICENCE[1]!];
  assert.deepEqual(askedPartFirst('Section 12', hits), [LICENCE[1]!, LICENCE[0]!, BASIC_LAW]);
  assert.deepEqual(askedPartFirst('Article 5', hits), [BASIC_LAW, LICENCE[0]!, LICENCE[1]!]);
  assert.equal(askedPartFirst('Freedom', hits), hits);
});

test('long texts are read in linear time', () => {
  const started = process.cpuUsage();
  for (const part of ['§', '1.', '第', 'Art. ', '1:', '# ', '1 a ', ' ', 'A', 'Aa ']) {
    const long = part.repeat(40_000);
    asksPart(long);
    askedPartFirst('Section 5', [chunk('a.txt', 'en', long, [long])]);
  }
  assert.ok(process.cpuUsage(started).user < 4_000_000);
});

test('a question that names the heading of the part is answered from it', () => {
  const gdpr = ['GDPR', 'Chapter III'];
  const chunks = [
    chunk(
      'gdpr.html',
      'en',
      'The data subject shall have the right to obtain from the controller the deletion of personal data.',
      [...gdpr, 'Article 17 Right to erasure (right to be forgotten)'],
    ),
    chunk('gdpr.html', 'en', 'The data subject shall have the right to receive the personal data.', [
      ...gdpr,
      'Article 20 Right to data portability',
    ]),
  ];
  assert.match(answer('What does Article 17 GDPR say about erasure?', ...chunks) ?? '', /deletion/);
  assert.match(
    answer('What does section 12 of the GPL say about the surrender of freedom?', ...LICENCE) ?? '',
    /at all/,
  );
});

test('a word of the question in another heading or file name does not hide the part', () => {
  const lease = [
    chunk('Lease.md', 'en', 'If the rent is late, the penalty is 5 percent of it.', [
      'Lease',
      'Section 5: Late payment',
    ]),
    chunk('Lease.md', 'en', 'Pets are allowed.', ['Lease', 'Section 6: Pets']),
  ];
  const overview = chunk('Lease.md', 'en', 'Tenants pay for:\\n\\n1. Damages.\\n2. Noise.', [
    'Lease',
    'Penalty overview',
  ]);
  const guide = chunk('Penalty guide for tenants.md', 'en', 'A lease may have penalties. Ask a lawyer.');
  const cases: [question: string, ...chunks: ContextChunk[]][] = [
    ['What is the penalty in section 5 of the lease?', overview, ...lease],
    ['What is the penalty for tenants in section 5 of the lease?', guide, ...lease],
  ];
  for (const [question, ...chunks] of cases) assert.match(answer(question, ...chunks) ?? '', /5 percent/, question);
  const law = chunk('GDPR.html', 'en', 'The controller shall inform the data subject. The deadline is one month.', [
    'GDPR',
    'Article 12 Transparent information',
  ]);
  const next = chunk('GDPR.html', 'en', 'The controller shall provide contact details.', [
    'GDPR',
    'Article 13 Information',
  ]);
  for (const titles of [['GDPR', 'Deadline for transposition'], ['Deadline for transposition']]) {
    const other = chunk(`${titles[0]}.html`, 'en', 'Member states adopt the GDPR by 2018.', titles);
    const text = answer('What is the deadline in Article 12 of the GDPR?', other, law, next) ?? '';
    assert.match(text, /one month/, titles.join());
  }
  const plain = chunk('Lease.md', 'en', 'If the rent is late, the penalty is 5 percent of it.', [
    'Lease',
    '5. Late payment',
  ]);
  const rules = chunk('Lease.md', 'en', 'Tenants pay for damages.', ['Lease', 'Penalty overview']);
  assert.match(answer('What is the penalty in section 5 of the lease?', rules, plain) ?? '', /5 percent/);
  const later = chunk('rfc2120.txt', 'en', 'Managers answer for it.', ['RFC 2120', 'Section 9: Managers']);
  assert.equal(answer('What does RFC 2119 section 9 say?', WORDS_OF_RFC, later), null);
  const apache = chunk('Apache License.txt', 'en', 'You may copy it.', ['Apache License', 'Section 2: Copies']);
  const other = chunk('GNU License.txt', 'en', 'You may not convey it.', ['GNU License', 'Section 12: Freedom']);
  assert.equal(answer('What does section 12 of the Apache License say?', apache, other), null);
});

test('what a mail says of a part is not in the part', () => {
  const mail = chunk(
    'clause.eml',
    'en',
    'From: Ann Lee <ann@example.com>\nTo: Bob Ray <bob@example.com>\nSubject: Contract\n\nClause 4 must go, because it is too costly.',
  );
  const contract = [
    chunk('contract.md', 'en', 'The customer pays the costs of delivery.', ['Contract', 'Clause 4: Costs']),
    chunk('contract.md', 'en', 'The customer may cancel.', ['Contract', 'Clause 5: Cancellation']),
  ];
  for (const question of ['What did Ann Lee write about clause 4?', 'Which mail speaks of clause 4?'])
    assert.match(answer(question, mail, ...contract) ?? '', /must go/, question);
  assert.match(answer('What did Ann Lee write about clause 4?', ...contract, mail) ?? '', /must go/);
  assert.match(answer('What does clause 4 of the contract say?', mail, ...contract) ?? '', /^The customer pays/);
});

test('a part that hardly answers leaves the answer to a text that speaks of the part', () => {
  const law = chunk('gdpr.md', 'en', 'The controller shall provide any information.', [
    'GDPR',
    'Article 12 Information',
  ]);
  const next = chunk('gdpr.md', 'en', 'A clear form is asked for, see Article 12.', ['GDPR', 'Article 13 Forms']);
  const comment = chunk('comment.md', 'en', 'Article 12 of the GDPR asks for a clear form, such as a short letter.');
  const question = 'Which clear form does Article 12 of the GDPR ask for?';
  assert.match(answer(question, comment, law) ?? '', /short letter/);
  assert.match(answer(question, law, comment) ?? '', /short letter/);
  assert.equal(answer(question, law, next), null);
  assert.equal(
    answer('Section 12 of the GPL 3', chunk('GPL-3.txt', 'en', 'Patents are free.', ['11. Patents.'])),
    null,
  );
});

/** Tests what detectors find, and what they leave alone, on a corpus. `npm run bench:redaction` prints the figures. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rowText } from '../../src/files/formats/data/table-text.ts';
import { redactCell } from '../../src/redaction/apply-redaction.ts';
import { ENTITIES } from '../../src/redaction/detectors/entities.ts';
import { redactRow } from '../../src/tables/redact-row.ts';
import { rates, readCorpus, redactorOf, scoreOf } from '../support/passages/redaction-corpus.ts';

const PRECISION_MIN = 0.97;
const RECALL_MIN = 0.95;
const LINES_MIN = 30;

for (const entity of ENTITIES) {
  test(`the detector of ${entity} reaches its precision and recall in every locale`, async () => {
    const scores = await scoreOf(entity);
    for (const score of scores) {
      const { precision, recall } = rates([score]);
      const what = `${entity} ${score.locale}\n${score.failures.join('\n')}`;
      assert.ok(score.positives >= LINES_MIN && score.nearMisses >= LINES_MIN, `too few lines: ${what}`);
      assert.ok(precision >= PRECISION_MIN, `precision ${precision}: ${what}`);
      assert.ok(recall >= RECALL_MIN, `recall ${recall}: ${what}`);
    }
  });
}

test('with all detectors together, no value of the corpus stays readable', async () => {
  const redactor = redactorOf(ENTITIES);
  for (const entity of ENTITIES) {
    for (const { text, find } of readCorpus(entity)) {
      const redacted = (await redactor.redact(text, 'output')).text;
      for (const one of find) assert.ok(!redacted.includes(one), `${entity}: ${redacted}`);
    }
  }
});

describe('values that are not hidden by how they are written', () => {
  const redactor = redactorOf(ENTITIES);
  const cases: [what: string, text: string, redacted: string][] = [
    ['full-width digits and signs', 'card ４１１１－１１１１－１１１１－１１１１.', 'card [CREDIT_CARD].'],
    ['Arabic digits', 'card ٤١١١ ١١١١ ١١١١ ١١١١', 'card [CREDIT_CARD]'],
    ['mathematical digits', 'card 𝟒𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏 𝟏𝟏𝟏𝟏', 'card [CREDIT_CARD]'],
    ['circled digits', 'SSN ①②③-④⑤-⑥⑦⑧⑨', 'SSN [US_SSN]'],
    ['zero-width characters everywhere', [...'jane@example.com'].join('\u200b\u2060\u200d'), '[EMAIL]'],
    ['direction marks', 'jane\u202e@exam\u202cple.com', '[EMAIL]'],
    ['soft hyphens', 'DE89\u00ad3704\u00ad0044\u00ad0532\u00ad0130\u00ad00', '[IBAN]'],
    ['non-breaking and narrow blanks', 'DE89\u00a03704\u202f0044\u20090532\u30000130\u00a000', '[IBAN]'],
    ['dashes of all kinds', '4111‐1111–1111−1111', '[CREDIT_CARD]'],
    ['full-width letters', 'ｊａｎｅ＠ｅｘａｍｐｌｅ．ｃｏｍ', '[EMAIL]'],
    ['a variation selector', '4111 1111 11\ufe0f11 1111', '[CREDIT_CARD]'],
    ['tag characters', 'jane@example\u{e0041}.com', '[EMAIL]'],
  ];
  for (const [what, text, redacted] of cases)
    test(what, async () => assert.equal((await redactor.redact(text, 'output')).text, redacted));
});

describe('values as people write them', () => {
  const redactor = redactorOf(ENTITIES);
  const cases: [text: string, redacted: string][] = [
    ['Tel 030/1234567', 'Tel [PHONE]'],
    ['+1 (415) 555-0123 ext. 5', '[PHONE] ext. 5'],
    ['+44(0)20 7946 0958', '[PHONE]'],
    ['d.o.b. 12-Mar-1980', 'd.o.b. [DATE_OF_BIRTH]'],
    ['Born in London on 12 March 1980', 'Born in London on [DATE_OF_BIRTH]'],
    ['né à Paris le 12 mars 1980', 'né à Paris le [DATE_OF_BIRTH]'],
    ['I was born in 1980 on a farm', 'I was born in 1980 on a farm'],
    ['Jane <jane@example.com>,bob@example.org;', 'Jane <[EMAIL]>,[EMAIL];'],
    ['4111.1111.1111.1111 exp 12/26', '[CREDIT_CARD] exp 12/26'],
    ['IBAN DE89 3704 0044 0532 0130 00 is mine', 'IBAN [IBAN] is mine'],
    ['192.168.0.1-192.168.0.20', '[IP_ADDRESS]-[IP_ADDRESS]'],
    [
      'Version 2.10.0.1, 3.14159265358979, 2026-11-22T02:53:50Z',
      'Version 2.10.0.1, 3.14159265358979, 2026-11-22T02:53:50Z',
    ],
    ['of 09/24/2014 08:00:00 GMT, Nov 01 2016 15:44:22', 'of 09/24/2014 08:00:00 GMT, Nov 01 2016 15:44:22'],
    ['L.02 104.64 104.67-.01 and -.004.387-.01-.505', 'L.02 104.64 104.67-.01 and -.004.387-.01-.505'],
    ['/js/cvp/2.8.4.1/cvp.js, Paragraph 1.2.3.1, 8.2.4.1項', '/js/cvp/2.8.4.1/cvp.js, Paragraph 1.2.3.1, 8.2.4.1項'],
    ['http://82.44.61.144/x', 'http://[IP_ADDRESS]/x'],
    ['pub-4358676377058562, sk-dynamo-ceske-budejovice', 'pub-4358676377058562, sk-dynamo-ceske-budejovice'],
    ['1994年1月1日生效', '1994年1月1日生效'],
    ['L80.1261328,11.008803 Z; 1903729.01249721', 'L80.1261328,11.008803 Z; 1903729.01249721'],
    ['https://example.com/get?x=1&key=NANOWDGT01', 'https://example.com/get?x=1&key=NANOWDGT01'],
    ['{"password":"Tr0ub4dor3xyz12345"}', '{"password":"[API_KEY]"}'],
    ['id 550e8400-e29b-41d4-a716-446655440000', 'id 550e8400-e29b-41d4-a716-446655440000'],
  ];
  for (const [text, redacted] of cases)
    test(text, async () => assert.equal((await redactor.redact(text, 'output')).text, redacted));
});

describe('values in tables whose header tells what they are', () => {
  const redactor = redactorOf(['date_of_birth', 'us_ssn', 'nl_bsn', 'phone']);
  const table = (header: string, ...rows: string[]) =>
    [header, header.replace(/(?:[^|\\]|\\.)+/g, ' --- '), ...rows].join('\n');
  const cases: [what: string, text: string, redacted: string[], header?: string][] = [
    [
      'each column has its own header',
      table(
        '| Name | SSN | Date of birth | due |',
        '| Ann | 536904399 | 1982-07-19 | 2024-01-01 |',
        '| Bo | | 3 May 1971 |',
      ),
      ['| Ann | [US_SSN] | [DATE_OF_BIRTH] | 2024-01-01 |', '| Bo | | [DATE_OF_BIRTH] |'],
    ],
    [
      'names as programs write them',
      table('| employee_ssn | dateOfBirth |', '| 536904399 | 1982-07-19 |'),
      ['| [US_SSN] | [DATE_OF_BIRTH] |'],
    ],
    ['a header that is in another chunk', '| Ann | 536904399 |', ['| Ann | [US_SSN] |'], '| name | ssn |'],
    [
      'the end of a row, below any header',
      'nn | 536904399 |\n| Bo | 536904398 |\n\n536904397',
      ['nn | [US_SSN] |', '| Bo | [US_SSN] |', '536904397'],
      '| name | ssn |',
    ],
    ['a model that leaves out the line below the header', 'x:\n| a | SSN |\n| b | 536904399 |', ['| b | [US_SSN] |']],
    [
      'bars in cells',
      table(rowText(['name', 'SSN']), rowText(['Ann|Annie', '536904399']), rowText(['Bo', '536904398'])),
      ['| Ann\\|Annie | [US_SSN] |', '| Bo | [US_SSN] |'],
    ],
    ['bars in a header', table(rowText(['a|b', 'SSN']), rowText(['Ann', '536904399'])), ['| Ann | [US_SSN] |']],
    [
      'bars in a header that is in another chunk',
      '| Ann | 536904399 |',
      ['| Ann | [US_SSN] |'],
      rowText(['a|b', 'ssn']),
    ],
    ['a wide bar in a cell', table('| name | SSN |', '| Ann｜Annie | 536904399 |'), ['| Ann｜Annie | [US_SSN] |']],
    ['a wide bar in a header', table('| a｜b | SSN |', '| Ann | 536904399 |'), ['| Ann | [US_SSN] |']],
    [
      'rows without bars at their ends',
      'Staff | list\nName | SSN\n--- | ---\nAnn | 536904399\nBo | 536904398\n\n536904397',
      ['Ann | [US_SSN]', 'Bo | [US_SSN]', '536904397'],
    ],
    ['a header without a bar before it', 'Name | SSN |\n|---|---|\n| Ann | 536904399 |', ['| Ann | [US_SSN] |']],
    [
      'rows without bars whose header is in another chunk',
      'Ann | 536904399\nBo | 536904398\n\nThen\n536904397 | 1',
      ['Ann | [US_SSN]', 'Bo | [US_SSN]', '536904397 | 1'],
      '| name | ssn |',
    ],
    ['a row below a header without a bar before it', '| 536904399 | Ann |', ['| [US_SSN] | Ann |'], 'SSN | name'],
    ['a table in a quotation', '> | Name | SSN |\n> |---|---|\n> | Ann | 536904399 |', ['> | Ann | [US_SSN] |']],
    ...(
      [
        [
          'an open table',
          'Name | Age\n--- | ---\nAnn | 5\n\n',
          '| SSN | Name |\n|---|---|\n| 536904399 | Bo |',
          '| [US_SSN] | Bo |',
        ],
        [
          'an open table',
          'Name | Age\n--- | ---\nAnn | 5\n\n',
          'SSN | Name\n--- | ---\n536904399 | Bo',
          '[US_SSN] | Bo',
        ],
        [
          'a table',
          '| Name | City |\n|---|---|\n| Ann | Rome |\n\n',
          '| SSN | Name |\n|---|---|\n| 536904399 | Bo |',
          '| [US_SSN] | Bo |',
        ],
        [
          'a table',
          '| SSN | a |\n|---|---|\n| 1 | b |\n',
          '| x | c |\n| - | - |\n| 536904399 | Bo |',
          '| [US_SSN] | Bo |',
        ],
      ] as const
    ).map(([what, first, next, line], i): [string, string, string[]] => [`behind ${what}, ${i}`, first + next, [line]]),
    [
      'a table whose header is not the known one',
      '| SSN | x |\n| --- | --- |\n| 536904399 | y |',
      ['| [US_SSN] | y |'],
      '| name | city |',
    ],
    [
      'a name in a second row of headers',
      table('| Person | | due |', '| Name | SSN | |', '| Ann | 536904399 | 536904399 |', '| Bo | 536904398 | |'),
      ['| Name | SSN | |', '| Ann | [US_SSN] | 536904399 |', '| Bo | [US_SSN] | |'],
    ],
    [
      'a name above two columns that have other names below',
      table('| n | SSN | |', '| | now | before |', '| Ann | 536904399 | 536904398 |'),
      ['| Ann | [US_SSN] | [US_SSN] |'],
    ],
    [
      'a second row of headers without bars at its ends',
      'Person | | due\n--- | --- | ---\nName | SSN | \nAnn | 536904399 | 536904398',
      ['Ann | [US_SSN] | 536904398'],
    ],
    [
      'a name in two rows below another table',
      `${table('| a | b |', '| 1 | 2 |')}\n\n${table('| Date | Date |', '| of birth | due |', '| 1982-07-19 | 2024-01-01 |')}`,
      ['| [DATE_OF_BIRTH] | 2024-01-01 |'],
    ],
    [
      'names of several rows of headers in another chunk',
      '| Ann | 536904399 | 536904398 | 536904397 |',
      ['| Ann | [US_SSN] | [US_SSN] | 536904397 |'],
      '| Person / Name | Person / SSN | SSN / before | Person / no |',
    ],
    [
      'a first row of data below a header without gaps',
      table('| word | number |', '| SSN | SSN |', '| x | 536904399 |'),
      ['| x | 536904399 |'],
    ],
    ['a value alone', '536904399', ['[US_SSN]'], '| ssn |'],
    ['a cell without its end', `${table('| a | BSN |')}\n| x | 111222333`, ['| x | [NL_BSN]']],
    [
      'text behind the table',
      `${table('| SSN |', '| 536904399 |')}\nThen 536904398`,
      ['| [US_SSN] |', 'Then 536904398'],
    ],
    ['a second table', `${table('| SSN |')}\n\ntext\n${table('| n |', '| 536904399 |')}`, ['| 536904399 |']],
  ];
  for (const [what, text, redacted, header] of cases) {
    test(what, async () => {
      const whole = (await redactor.redact(text, 'output', undefined, header)).text;
      for (const line of redacted) assert.ok(whole.split('\n').includes(line), whole);
      if (header !== undefined) return;
      for (let cut = 1; cut < text.length; cut++) {
        const stream = redactor.stream('output');
        const parts = [await stream.push(text.slice(0, cut)), await stream.push(text.slice(cut)), await stream.end()];
        assert.equal(parts.join(''), whole, `cut at ${cut}`);
      }
    });
  }
});

describe('names of columns as people and programs write them', () => {
  const redactor = redactorOf([...ENTITIES]);
  const born = (header: string) => [header, '1982-07-19', '[DATE_OF_BIRTH]'] as const;
  const ssn = (header: string) => [header, '536904399', '[US_SSN]'] as const;
  const cases = [
    ...['date_of_birth', 'birthDate', 'fecha_de_nacimiento', 'date_de_naissance', 'data_di_nascita'].map(born),
    ...['data_urodzenia', 'дата_рождения', 'employeeDob', 'DoB', 'DOB (yyyy-mm-dd)', 'Patient (DOB)'].map(born),
    ...['ＤＯＢ', '生年月日（西暦）', 'paciente [fecha_de_nacimiento]'].map(born),
    ...['employee_ssn', 'employeeSSN', 'socialSecurityNumber', 'SSN (without hyphens, nine digits)'].map(ssn),
    ['my_number', '123456789018', '[JP_MY_NUMBER]'],
    ['Person / SSN', '536904399', '[US_SSN]'],
    ['SSN / before 2020', '536904399', '[US_SSN]'],
    ['Date of / birth', '1982-07-19', '[DATE_OF_BIRTH]'],
    ['burger_service_nummer', '111222333', '[NL_BSN]'],
    ['sofi-nummer', '111222333', '[NL_BSN]'],
    ['phone_number', '02079460123', '[PHONE]'],
    ['api_key (prod)', 'q8Zr5TfW2mKx9LbV7nHd', '[API_KEY]'],
    ['accessToken', 'q8Zr5TfW2mKx9LbV7nHd', '[API_KEY]'],
    ['due_date (of the invoice)', '1982-07-19', '1982-07-19'],
    ['orderNumber', '536904399', '536904399'],
  ] as const;
  for (const [header, text, redacted] of cases) {
    test(header, async () => {
      assert.equal(await redactCell(redactor, { header, text }, ['output']), redacted);
      const below = `| n | ${header} |\n| --- | --- |\n| 1 | ${text} |`;
      assert.ok((await redactor.redact(below, 'output')).text.endsWith(`| 1 | ${redacted} |`));
      const cells = [{ column: { header, name: 'x', type: 'text' as const }, text }];
      const [cell] = (await redactRow(redactor, cells, ['output']))!;
      assert.equal(cell ?? text, redacted);
    });
  }

  test('values that different ways of writing a name tell are all masked in a row', async () => {
    const column = { header: 'employeeSSN (DOB)', name: 'x', type: 'text' as const };
    const cells = [{ column, text: 'a@example.org 536904399 b@example.org' }];
    assert.deepEqual(await redactRow(redactor, cells, ['output']), ['[EMAIL] [US_SSN] [EMAIL]']);
  });
});

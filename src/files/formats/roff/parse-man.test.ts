import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMan } from './parse-man.ts';

/** Returns the blocks of a page: their heading paths below the page's name, and their texts. */
function blocksOf(...lines: string[]): [path: string, text: string][] {
  const { text, blocks } = parseMan(lines.join('\n'));
  return blocks
    .filter(({ kind }) => kind !== 'heading')
    .map(({ headingPath = [], start, end }) => [headingPath.slice(1).join(' > '), text.slice(start, end)]);
}

const MAN = ['.\\" A licence', '.TH HERON 1 2020', '.SH NAME', 'heron \\- catches fish', '.SH OPTIONS'];
const MDOC = ['.Dd May 1, 2020', '.Dt HERON 1', '.Os', '.Sh NAME', '.Nm heron', '.Nd catches fish', '.Sh OPTIONS'];
const NAME = ['NAME', 'heron - catches fish'] as const;
const MDOC_NAME = ['NAME', 'heron — catches fish'] as const;

test('the title of a manual page is its own name, and its sections are headings', () => {
  const page = parseMan([...MAN, 'Words.', '.SS "More options"', 'More.'].join('\n'));
  assert.equal(page.title, 'heron(1)');
  assert.deepEqual(
    page.blocks.flatMap(({ kind, level, start, end }) =>
      kind === 'heading' ? [[level, page.text.slice(start, end)]] : [],
    ),
    [
      [1, '# heron(1)'],
      [2, '## NAME'],
      [2, '## OPTIONS'],
      [3, '### More options'],
    ],
  );
  assert.equal(page.metadata['title']?.val, 'heron(1)');
});

const ENTRIES: readonly (readonly [who: string, lines: readonly string[]])[] = [
  [
    '.TP',
    [
      '.TP',
      '.BI \\-\\-depth " n"',
      'Dives to',
      '.IR n .',
      '.IP',
      'At most 9.',
      '.TP',
      '.B \\-q',
      'Is quiet.',
      '.PP',
      'Behind.',
    ],
  ],
  [
    'DocBook',
    [
      '.PP',
      '\\fB\\-\\-depth\\fR \\fIn\\fR',
      '.RS 4',
      'Dives to',
      '\\fIn\\fR\\&.',
      '.sp',
      'At most 9\\&.',
      '.RE',
      '.PP',
      '\\fB\\-q\\fR',
      '.RS 4',
      'Is quiet\\&.',
      '.RE',
      '.PP',
      'Behind.',
    ],
  ],
  [
    'pod2man',
    [
      '.IP "\\fB\\-\\-depth\\fR \\fIn\\fR" 4',
      '.IX Item "--depth n"',
      'Dives to \\fIn\\fR.',
      '.Sp',
      'At most 9.',
      '.IP "\\-q" 4',
      'Is quiet.',
      '.PP',
      'Behind.',
    ],
  ],
];

for (const [who, lines] of ENTRIES) {
  test(`an option and its text are in one block in pages of ${who}`, () => {
    assert.deepEqual(blocksOf(...MAN, ...lines), [
      [...NAME],
      ['OPTIONS > --depth n', '--depth n: Dives to n.'],
      ['OPTIONS > --depth n', 'At most 9.'],
      ['OPTIONS > -q', '-q: Is quiet.'],
      ['OPTIONS', 'Behind.'],
    ]);
  });
}

test('mdoc: options, enclosures, references and terms with a shared text are read', () => {
  const lines = [
    '.Bl -tag -width Ds',
    '.It Fl D Oo Ar host : Oc Ns Ar port',
    '.It Fl Fl deep',
    'Dives, see',
    '.Xr fish 5 ,',
    'for',
    '.Nm',
    '.Pq default: Ql ~ .',
    '.Pp',
    'Not for',
    '.Ar crabs .',
    '.El',
    'Behind.',
  ];
  assert.deepEqual(blocksOf(...MDOC, ...lines), [
    [...MDOC_NAME],
    ['OPTIONS > -D [host:]port, --deep', '-D [host:]port, --deep: Dives, see fish(5), for heron (default: ‘~’).'],
    ['OPTIONS > -D [host:]port, --deep', 'Not for crabs.'],
    ['OPTIONS', 'Behind.'],
  ]);
});

test('lists, code and tables inside an entry belong to the entry', () => {
  const lines = [
    '.TP',
    '.B \\-x',
    'One of',
    '.RS',
    '.IP \\(bu 2',
    'red',
    '.IP \\(bu 2',
    'green',
    '.nf',
    'a\\-b',
    '  c',
    '.fi',
    '.RE',
    '.TS',
    'tab(:);',
    'l l.',
    'a:T{',
    'long',
    'cell',
    'T}',
    '.TE',
  ];
  assert.deepEqual(blocksOf(...MAN, ...lines).slice(1), [
    ['OPTIONS > -x', '-x: One of'],
    ['OPTIONS > -x', '- red\n- green'],
    ['OPTIONS > -x', '```\na-b\n  c\n```'],
    ['OPTIONS > -x', '| a | long cell |\n| --- | --- |'],
  ]);
});

test('mdoc: numbered lists, column lists and nested lists are read', () => {
  const lines = [
    '.Bl -enum',
    '.It',
    'one',
    '.It',
    'two',
    '.El',
    '.Bl -column a b',
    '.It Em sea Ta deep',
    '.It lake Ta flat',
    '.El',
    '.Bl -tag',
    '.It Cm a',
    'A.',
    '.Bl -tag',
    '.It Cm b',
    'B.',
    '.El',
    '.El',
  ];
  assert.deepEqual(blocksOf(...MDOC, ...lines).slice(1), [
    ['OPTIONS', '1. one\n2. two'],
    ['OPTIONS', '| sea | deep |\n| --- | --- |\n| lake | flat |'],
    ['OPTIONS > a', 'a: A.'],
    ['OPTIONS > a > b', 'b: B.'],
  ]);
});

test('escapes, strings, conditions and macros of a manual page are resolved', () => {
  const lines = [
    '.ie \\n(.g .ds Aq \\(aq',
    '.el .ds Aq no',
    '.de Say',
    'It says \\\\$1.',
    '..',
    '.if t \\{\\',
    'On paper.',
    '.\\}',
    '.nr two 2',
    '.if \\n[two]>1 Two.',
    "isn\\*(Aqt \\(em \\fIcaf\\['e]\\fR\\s-1x\\s0 c:\\e",
    '.Say "so"',
    '.ig',
    'Never.',
    '..',
  ];
  assert.deepEqual(blocksOf(...MAN, ...lines)[1], ['OPTIONS', "Two. isn't — caféx c:\\ It says so."]);
});

test('characters by number, and arguments and quoted words of Tcl pages are read', () => {
  const numbers = "Set PS1 to \\N'34'$ \\N'34' and don\\N'39't use \\N'45'x or \\N'64'\\N'7'.";
  assert.deepEqual(blocksOf(...MAN, numbers)[1], ['OPTIONS', 'Set PS1 to "$ " and don\'t use -x or @.']);
  const lines = ['.AP Tcl_Interp *interp in', 'Interpreter.', '.AP int flags in', 'Flags.', '.SH USE'];
  assert.deepEqual(blocksOf(...MAN, ...lines, 'Say', '.QW yes ,', 'or not', '.PQ on .').slice(1), [
    ['OPTIONS > Tcl_Interp *interp (in)', 'Tcl_Interp *interp (in): Interpreter.'],
    ['OPTIONS > int flags (in)', 'int flags (in): Flags.'],
    ['USE', 'Say "yes", or not ("on").'],
  ]);
});

test('a manual page that only refers to another page names it', () => {
  const page = parseMan('.so man1/heron.1\n');
  assert.equal(page.text, 'See man1/heron.1.');
  assert.match(page.warnings[0]!, /includes man1\/heron\.1/);
});

test('hostile manual pages are read in linear time with little memory', () => {
  const bombs = [
    `.de X\n.X\n.X\n..\n.X\n`,
    `.ds a xxxxxxxxxx\n${Array.from({ length: 30 }, (_, i) => `.ds ${i} \\*[${i - 1}]\\*[${i - 1}]`).join('\n')}\n${'\\*[29]'.repeat(10_000)}`,
    '.TP\n'.repeat(50_000),
    '.RS\nx\n'.repeat(50_000),
    '.IP x\n'.repeat(50_000),
    '.if n '.repeat(2_000),
    '.Bl -tag\n.It a\n'.repeat(5_000),
    `.Oo ${'Oo '.repeat(50_000)}`,
    `.Op ${'Op '.repeat(20_000)} .`,
    '\\['.repeat(100_000),
    '.TS\nT{\n'.repeat(20_000),
    '.ie n \\{\n'.repeat(50_000),
  ];
  for (const bomb of bombs) {
    for (const head of ['.TH A 1\n', '.Dd x\n.Dt A 1\n.Sh A\n']) {
      assert.ok(parseMan(head + bomb).text.length < 5_000_000, bomb.slice(0, 20));
    }
  }
});

test('conditions and escapes that are nested too deeply are ignored', () => {
  // Each escape has a different delimiter.
  const escapes = Array.from({ length: 5_000 }, (_, i) => `\\Z${String.fromCodePoint(0x4e00 + i)}`).join('');
  assert.deepEqual(blocksOf(...MAN, `.${'if n .'.repeat(10_000)}if n x`, `a${escapes}`, '.if n .if n \\Z!b!'), [
    [...NAME],
    ['OPTIONS', 'a b'],
  ]);
});

test('macros that repeat their arguments may add only a limited amount of text', () => {
  const all = '\\\\$*'.repeat(500);
  const macros = ['.de A', `.B "${all}"`, '..', '.de B1', `.A "${all}"`, '..', '.de C1', `.B1 "${all}"`, '..'];
  const { text } = parseMan([...MAN, ...macros, '.C1 "twenty letters of it"', 'Behind.'].join('\n'));
  assert.ok(text.includes('Behind.') && text.length < 1_000_000);
  assert.deepEqual(blocksOf(...MAN, '.de A', '\\\\$2 and \\\\$1: \\\\$*', '..', '.A x "y z"')[1], [
    'OPTIONS',
    'y z and x: x y z',
  ]);
});

test('long runs of marks are read in linear time', () => {
  const closing = blocksOf(...MDOC, `. . . Op ${') '.repeat(50_000)}`)[1]![1];
  assert.equal(closing, `.. []${')'.repeat(50_000)}`);
  const slashes = `${'\\'.repeat(100_000)}x`;
  assert.equal(blocksOf(...MAN, slashes)[1]![1], `${'\\'.repeat(50_000)}x`);
  assert.equal(blocksOf(...MDOC, '.Op Fl a constructor .')[1]![1], '[-a -constructor].');
});

test('a very wide row of a table does not widen the other rows', () => {
  const { text } = parseMan(
    [...MAN, '.TS', 'l.', 'a\tb', 'c', 'x\t'.repeat(3_000), ...Array(3_000).fill('d'), '.TE'].join('\n'),
  );
  assert.match(text, /\| a \| b \|/);
  assert.ok(text.length < 2_000_000);
});

test('names of object properties such as "constructor" have no meaning in a manual page', () => {
  assert.deepEqual(blocksOf(...MAN, 'a \\*[constructor]b\\[toString]')[1], ['OPTIONS', 'a b']);
});

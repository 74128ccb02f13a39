import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkFile } from '../../chunk/chunker.ts';
import { parseCode, TREE_UNITS_MAX } from './code.ts';

/** Returns the heading path and the first line of each block. */
async function outline(name: string, text: string): Promise<string[]> {
  const { blocks } = await parseCode(text, name);
  return blocks.map(({ headingPath = [], start, end }) => {
    const line = text.slice(start, end).split('\n')[0]!.trim();
    return `${headingPath.join(' > ')}: ${line}`;
  });
}

/** Definitions of values. */
const VALUES: Record<string, [text: string, outline: string[]]> = {
  'v.ts': [
    "const { a } = require('a');\nconst b =\n  require('b');\nconst C = 1;\n/** Doc. */\nexport const D = 2;\nexport const E = {\n  x: 1,\n};\nexport const F = memo(() => {\n  const local = {\n    y: 1,\n  };\n});\n",
    [": const { a } = require('a');", 'D: /** Doc. */', 'E: export const E = {', 'F: export const F = memo(() => {'],
  ],
  'w.ts': [
    'export class A {\n  x = 1;\n  /** Doc. */\n  @Input() y = 2;\n  z = () => 3;\n}\ninterface I {\n  a: 1;\n  /** Doc. */\n  b?: 2;\n}\n',
    ['A: export class A {', 'A > y: /** Doc. */', 'A > z: z = () => 3;', 'I: interface I {', 'I > b: /** Doc. */'],
  ],
  'd.js': [
    '/*! Licence. */\n\n/**\n * Doc.\n */\n\nfunction f() {}\n\n// Section\n\nfunction g() {}\n\n/** Doc of nothing. */\n\n/** Doc. */\n\nA.h = 1;\n',
    [
      ': /*! Licence. */',
      'f: /**',
      ': // Section',
      'g: function g() {}',
      ': /** Doc of nothing. */',
      'A.h: /** Doc. */',
    ],
  ],
  'v.js': ['exports.a = 1;\nexports.b = {\n  c: 1,\n};\n', [': exports.a = 1;', 'exports.b: exports.b = {']],
  'v.py': [
    'A = 1\nB = 2\n\n# Doc.\nC = 3\nD = {\n    "x": 1,\n}\n\n@dec\ndef f():\n    y = [\n        1,\n    ]\n\n@dataclass\nclass G:\n    g: int = 0\n    #: Doc.\n    h: int = 1\n',
    [': A = 1', 'C: # Doc.', 'D: D = {', 'f: @dec', 'G: @dataclass', 'G > h: #: Doc.'],
  ],
  'v.go': [
    'package a\n\n// Doc.\nvar X = 1\n\nvar Y = []int{\n\t1,\n}\n\nconst (\n\tA = 1\n\t// Doc.\n\tB = 2\n)\n',
    [': package a', 'X: // Doc.', 'Y: var Y = []int{', ': const (', 'B: // Doc.'],
  ],
  'v.rs': [
    'const A: i32 = 1;\n/// Doc.\npub const B: i32 = 2;\nstatic C: [i32; 1] = [\n    1,\n];\n/// Doc.\nmacro_rules! m { () => {} }\n',
    [': const A: i32 = 1;', 'B: /// Doc.', 'C: static C: [i32; 1] = [', 'm: /// Doc.'],
  ],
  'V.java': [
    'class V {\n  int a = 1;\n  /** Doc. */\n  public static final int B = 2;\n}\n',
    ['V: class V {', 'V > B: /** Doc. */'],
  ],
  'v.h': [
    '#define A 1\n#define B(x) \\\n  (x)\nint x;\n/** Doc. */\nint f(int x);\n',
    [': #define A 1', 'B: #define B(x) \\', ': int x;', 'f: /** Doc. */'],
  ],
};

/** Test cases. */
const CASES = `import { a } from 'a';

describe('Router', () => {
  const app = express({
    x: 1,
  });
  beforeEach(() => {});

  // Checks a sum.
  it('adds routes', async () => { await x(); });
  it.each([[1, 2]])('adds %i', (n) => {});
  describe.skip(\`nested here\`, function () {
    it("works :: well", () => {});
  });
});
await test('top', async (t) => {
  await t.test('inside', () => {});
});
it('pending');
test('', () => {});
context.call('x', () => {});
app.get('/x', () => {});
`;

const SAMPLES: Record<string, [text: string, outline: string[]]> = {
  'a.py': [
    'import os\n\n\n# Holds it.\n@dec\nclass Store(Base):\n    """Doc."""\n\n    @property\n    def size(self):\n        return 1\n\n    async def put(self): pass\n\n\ndef main():\n    def inner(): pass\n\nif __name__ == "__main__":\n    main()\n',
    [
      ': import os',
      'Store: # Holds it.',
      'Store > size: @property',
      'Store > put: async def put(self): pass',
      'main: def main():',
      ': if __name__ == "__main__":',
    ],
  ],
  'a.ts': [
    "import a from 'a';\n\n/** Doc. */\nexport default class Store<T> {\n  x = 1;\n  get size(): number {\n    return 1;\n  }\n}\n\nexport const f = async (x: number) => x;\nnamespace N {\n  export function g() {}\n}\n",
    [
      ": import a from 'a';",
      'Store: /** Doc. */',
      'Store > size: get size(): number {',
      'f: export const f = async (x: number) => x;',
      'N: namespace N {',
      'N > g: export function g() {}',
    ],
  ],
  'a.jsx': [
    'function A() {\n  return <b>1</b>;\n}\nmodule.exports.z = function () {};\n',
    ['A: function A() {', 'module.exports.z: module.exports.z = function () {};'],
  ],
  'a.tsx': ['export const A = () => <b>1</b>;\n', ['A: export const A = () => <b>1</b>;']],
  'a.rb': [
    'module M\n  class A < B\n    def x(a)\n      1\n    end\n\n    def self.y\n    end\n  end\nend\n',
    ['M: module M', 'M > A: class A < B', 'M > A > x: def x(a)', 'M > A > y: def self.y'],
  ],
  'a.php': [
    '<?php\nnamespace A;\nclass C {\n  public function m() {}\n}\nfunction f() {}\n',
    [': <?php', 'C: class C {', 'C > m: public function m() {}', 'f: function f() {}'],
  ],
  'A.java': [
    'package a;\n\n/** Doc. */\n@Big\npublic class A {\n  A() {}\n\n  @Override\n  int f() { return 1; }\n}\n',
    [': package a;', 'A: /** Doc. */', 'A > A: A() {}', 'A > f: @Override'],
  ],
  'a.hpp': [
    '#ifndef X\n#define X\nnamespace a::b {\ntemplate <class T>\nclass A {\n  int f() const { return 1; }\n};\n}\nint A::g(int x) { return 1; }\nvoid *h(void) { return 0; }\n#endif\n',
    [
      ': #ifndef X',
      'a > b: namespace a::b {',
      'a > b > A: template <class T>',
      'a > b > A > f: int f() const { return 1; }',
      'A > g: int A::g(int x) { return 1; }',
      'h: void *h(void) { return 0; }',
      ': #endif',
    ],
  ],
  'a.c': [
    'typedef struct { int y; } Z;\nstatic int f(void) {\n  return 1;\n}\n',
    ['Z: typedef struct { int y; } Z;', 'f: static int f(void) {'],
  ],
  'a.cs': [
    'namespace N {\n  class A {\n    public A() {}\n    int F(int x) { return 1; }\n  }\n}\n',
    ['N: namespace N {', 'N > A: class A {', 'N > A > A: public A() {}', 'N > A > F: int F(int x) { return 1; }'],
  ],
  'a.go': [
    'package a\n\n// Doc.\nfunc (s *Server[T]) Run() int { return 1 }\n\ntype (\n\tB int\n)\n',
    [': package a', 'Server > Run: // Doc.', ': type (', 'B: B int'],
  ],
  'a.rs': [
    '#[derive(Debug)]\npub struct A { x: i32 }\nimpl Tr for A {\n    fn f(&self) {}\n}\nmod m {\n    pub fn k() {}\n}\n',
    ['A: #[derive(Debug)]', 'A: impl Tr for A {', 'A > f: fn f(&self) {}', 'm: mod m {', 'm > k: pub fn k() {}'],
  ],
  'a.sh': ['set -e\nf() {\n  echo 1\n}\nf\n', [': set -e', 'f: f() {', ': f']],
  'a.ps1': [
    'function Get-X { 1 }\nclass A {\n  [void] M() { }\n}\n',
    ['Get-X: function Get-X { 1 }', 'A: class A {', 'A > M: [void] M() { }'],
  ],
};

for (const [name, [text, expected]] of Object.entries(VALUES)) {
  test(`constants and fields with a comment or several lines in ${name} are definitions`, async () => {
    assert.deepEqual(await outline(name, text), expected);
  });
}

for (const [name, [text, expected]] of Object.entries(SAMPLES)) {
  test(`definitions in ${name} become blocks with their comments, under their names`, async () => {
    assert.deepEqual(await outline(name, text), expected);
  });
}

test('the blocks of a source file cover its code, and chunks end where definitions end', async () => {
  const body = (name: string) =>
    `  ${name}(list) {\n${'    list.push(compute(list.length, "text"));\n'.repeat(30)}  }\n`;
  const text = `class Tasks {\n${['load', 'save', 'drop'].map(body).join('\n')}}\n`;
  const parsed = await parseCode(text, 'tasks.js');
  const chunks = chunkFile(parsed);
  assert.deepEqual(
    chunks.map(({ headingPath, content }) => [headingPath.join(' '), content.match(/\w+(?=\(list\))/g)]),
    ['load', 'save', 'drop'].map((name) => [`Tasks ${name}`, [name]]),
  );
  assert.match(chunks[0]!.content, /^class Tasks \{/);
  const joined = chunks.map(({ content }) => content).join('');
  assert.equal(joined.replace(/\s/g, ''), text.replace(/\s/g, ''));
});

test('a long function is cut before its inner functions', async () => {
  const inner = (name: string) => `  function ${name}() {\n${'    call(1, 2, 3, "text");\n'.repeat(60)}  }\n`;
  const { blocks } = await parseCode(`function outer() {\n${inner('one')}${inner('two')}}\n`, 'a.js');
  assert.deepEqual(
    blocks.map(({ headingPath }) => headingPath),
    [['outer'], ['outer', 'one'], ['outer', 'two']],
  );
});

test('a definition with a syntax error has no block of its own, but its neighbours have', async () => {
  const text = 'class A {\n  good() { return 1; }\n\n  bad() { return ((; }\n}\n\nfunction last() {}\n';
  assert.deepEqual(await outline('a.js', text), [
    'A: class A {',
    'A > good: good() { return 1; }',
    'A: bad() { return ((; }',
    'last: function last() {}',
  ]);
});

test('a source file of an unknown language, or one that cannot be parsed within limits, is one block of code', async () => {
  const dense = 'a<'.repeat(20_000);
  const cases: [string, string][] = [
    ['a.hs', 'f :: Int\nf = 1\n'],
    ['a.js', `${'/'.repeat(TREE_UNITS_MAX)}\nfunction f() {}\n`],
    ['a.cpp', dense],
    ['a.js', '('.repeat(5000)],
  ];
  for (const [name, text] of cases) {
    const { blocks, metadata } = await parseCode(text, name);
    assert.deepEqual(blocks, [{ kind: 'code', start: 0, end: text.length }], name);
    assert.ok(metadata['programming_language']);
  }
});

test('definitions nested very deeply are read down to the maximum depth of a path', async () => {
  const text = `${'class A:\n'.replace('A', 'B')}${Array.from({ length: 300 }, (_, i) => `${' '.repeat(i + 1)}class A${i}:\n`).join('')}${' '.repeat(301)}pass\n`;
  const { blocks } = await parseCode(text, 'a.py');
  assert.ok(blocks.every(({ headingPath = [] }) => headingPath.length <= 8));
  assert.equal(blocks.at(-1)!.end, text.trimEnd().length);
});

test('test cases of JavaScript and TypeScript have their texts as names', async () => {
  for (const name of ['a.test.ts', 'a.test.js', 'a.test.tsx']) {
    assert.deepEqual(await outline(name, CASES), [
      ": import { a } from 'a';",
      "'Router': describe('Router', () => {",
      "'Router' > 'adds routes': // Checks a sum.",
      "'Router' > 'adds %i': it.each([[1, 2]])('adds %i', (n) => {});",
      "'Router' > `nested here`: describe.skip(`nested here`, function () {",
      `'Router' > \`nested here\` > "works :: well": it("works :: well", () => {});`,
      "'top': await test('top', async (t) => {",
      ": it('pending');",
    ]);
  }
});

/** Returns the names of each block. */
async function namesOf(name: string, text: string): Promise<(string[] | undefined)[]> {
  return (await parseCode(text, name)).blocks.map((block) => block.names);
}

test('a block has the names of the definitions that begin in it, and of constants of one line', async () => {
  const python =
    'import a\nMAX = 30\nb = 1\nc.d = 1\n\nclass A:\n    limit = 2\n    """Doc."""\n\n    def f(self):\n        x = 1\n\n    # End.\n';
  assert.deepEqual(await namesOf('a.py', python), [['MAX', 'b', 'c.d'], ['A'], ['f'], undefined]);
  assert.deepEqual(await namesOf('a.ts', "const a = require('a');\nexport const B = 1, C = 2;\nfunction g() {}\n"), [
    ['B', 'C'],
    ['g'],
  ]);
  assert.deepEqual(await namesOf('a.h', '#define A 1\nint f(void) { return 0; }\n'), [['A'], ['f']]);
});

test('the context of a chunk lists the definitions whose names its heading path has not', async () => {
  const text = 'LIMIT = 30\n\n\nclass Session:\n    def path_url(self):\n        return LIMIT\n';
  const [chunk, ...others] = chunkFile(await parseCode(text, 'models.py'));
  assert.deepEqual([chunk!.headingPath, chunk!.context], [['Session', 'path_url'], 'Defines: LIMIT, Session']);
  assert.deepEqual(others, []);
  const [single] = chunkFile(await parseCode('def path_url():\n    return 30\n', 'models.py'));
  assert.equal(single!.context, null);
});

test('only the first part of a long definition lists the names', async () => {
  const rows = Array.from({ length: 400 }, (_, i) => `    "value number ${i} of the long list",\n`).join('');
  const chunks = chunkFile(await parseCode(`SIZE = 1\nROWS = [\n${rows}]\n`, 'long.py'));
  assert.ok(chunks.length > 2);
  assert.deepEqual(
    chunks.map(({ context }) => context),
    ['Defines: SIZE', ...chunks.slice(1).map(() => null)],
  );
});

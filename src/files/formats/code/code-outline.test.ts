import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCode } from './code.ts';

/** Returns the heading path, the first line and the other names of each block. */
async function outline(name: string, text: string): Promise<string[]> {
  const { blocks } = await parseCode(text, name);
  return blocks.map(({ headingPath = [], start, end, names = [] }) => {
    const line = text.slice(start, end).split('\n')[0]!.trim();
    const others = names.filter((one) => one !== headingPath.at(-1));
    return `${headingPath.join(' > ')}: ${line}${others.length === 0 ? '' : ` (${others.join(', ')})`}`;
  });
}

const KOTLIN = `package a

/**
 * Keeps calls.
 */
@Keep
class Calls internal constructor(
  val client: Client
) : Queue {
  var limit = 64
    set(max) {
      field = max
    }

  /** Runs. */
  @JvmName("run") internal fun <T> run(call: T): T {
    val local = 1
    return call
  }

  private val pool = Pool()

  companion object {
    fun String.toCall(): Call = Call(this)
  }
}

fun interface Listener
`;

const CASES: Record<string, [text: string, outline: string[]]> = {
  'a.kt': [
    KOTLIN,
    [
      ': package a',
      'Calls: /** (client, limit)',
      'Calls > run: /** Runs. */',
      'Calls: private val pool = Pool() (pool)',
      'Calls > toCall: fun String.toCall(): Call = Call(this)',
      'Listener: fun interface Listener',
    ],
  ],
  'a.swift': [
    'import A\n\n/// Doc.\npublic struct Point: Equatable {\n    let x: Int\n    @discardableResult\n    mutating func move(by d: Int) -> Self {\n        self\n    }\n}\n',
    [': import A', 'Point: /// Doc. (x)', 'Point > move: @discardableResult'],
  ],
  'text.kt': [
    'fun query() {\n  val q = """\nselect *\nclass of things (\n"""\n  run(q)\n}\n\nfun next() {\n}\n',
    ['query: fun query() {', 'next: fun next() {'],
  ],
  'a.sql': [
    '-- Users.\nCREATE TABLE IF NOT EXISTS "app"."user" (\n  id int\n);\n\nCREATE INDEX i ON "user" (id);\n\ncreate or replace view v as select 1;\n',
    ['user: -- Users.', 'v: create or replace view v as select 1;'],
  ],
  'a.tf': [
    'locals {\n  a = 1\n}\n\n# Doc.\nresource "aws_instance" "web" {\n  root {\n    size = 1\n  }\n}\n',
    ['locals: locals {', 'resource aws_instance web: # Doc.'],
  ],
  'a.vue': [
    '<template>\n  <p>function no() {}</p>\n</template>\n\n<script setup lang="ts">\nimport b from \'b\';\n\nfunction load(id: number) {\n  return b(id);\n}\n</script>\n',
    [': <template>', 'load: function load(id: number) {', ': </script>'],
  ],
  'a.php': [
    "<?php\n\n// Days.\n$config['days'] = 30;\n\nclass A {\n  /** Doc. */\n  const B = 1;\n  /** Doc. */\n  public $c = 1;\n}\n",
    [': <?php', "$config['days']: // Days.", 'A: class A {', 'A > B: /** Doc. */', 'A > $c: /** Doc. */'],
  ],
};

test('code without a grammar has its definitions as blocks, with their comments and their names', async () => {
  for (const [name, [text, expected]] of Object.entries(CASES))
    assert.deepEqual(await outline(name, text), expected, name);
});

test('a file of statements that define nothing stays one block', async () => {
  const text = 'ALTER TABLE a ADD b int;\n\nUPDATE a SET b = 1;\n';
  assert.deepEqual((await parseCode(text, 'a.sql')).blocks, [{ kind: 'code', start: 0, end: text.length }]);
});

test('definitions between syntax errors keep their names', async () => {
  const text = '#if A\nextern "C" {\n#endif\n\n/* Doc. */\nint f(int x);\n\nstruct P {\n  int x;\n};\n';
  assert.deepEqual((await outline('a.h', text)).slice(1), ['f: /* Doc. */', 'P: struct P {']);
});

test('a function of C behind macros is a definition, and keeps its macros', async () => {
  const text =
    '#include <a.h>\n\n/*! Doc. */\nA_API const char* A_f(int x);\n\n/* Doc. */\nA_EXTERN A_CONST unsigned A_g (void);\n\n' +
    'A_FORCE_O2\nint A_h(int x)\n{\n  return x;\n}\nFILE *open(int y);\n';
  const { blocks } = await parseCode(text, 'a.h');
  const found = blocks.map(({ start, end, headingPath }) => [headingPath?.join() ?? '', text.slice(start, end)]);
  assert.deepEqual(found.slice(1, 3), [
    ['A_f', '/*! Doc. */\nA_API const char* A_f(int x);'],
    ['A_g', '/* Doc. */\nA_EXTERN A_CONST unsigned A_g (void);'],
  ]);
  assert.ok(found.some(([path, code]) => path === 'A_h' && code!.startsWith('int A_h(')));
});

test('an outline takes linear time, however long the lines are', async () => {
  const lines = [
    'class '.repeat(150),
    '@a('.repeat(250),
    'fun <'.repeat(200),
    '"a" '.repeat(250),
    'override '.repeat(100),
  ];
  const text = `${lines.join('\n')}\n`.repeat(500);
  for (const name of ['a.kt', 'a.sql', 'a.tf']) {
    const before = process.cpuUsage();
    await parseCode(text, name);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 4_000_000, `${name}: ${user} µs`);
  }
});

test('scripts of components are read with a > in their values, and many that are not closed take linear time', async () => {
  const component =
    '<script setup lang="ts" generic="T extends Record<string, number>, U extends Item">\nfunction alpha() {\n  return 1;\n}\n</script>\n';
  const { blocks } = await parseCode(component, 'a.vue');
  assert.ok(blocks.some(({ headingPath }) => headingPath?.at(-1) === 'alpha'));
  for (const line of ['<script\n', '<script>\n']) {
    const before = process.cpuUsage();
    await parseCode(line.repeat(60_000), 'a.vue');
    assert.ok(process.cpuUsage(before).user < 4_000_000, line);
  }
});

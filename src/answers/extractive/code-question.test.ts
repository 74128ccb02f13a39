import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContextChunk } from '../../llm/models.ts';
import { fixedParts } from './code-question.ts';
import { ANSWER_LOG_ODDS_MIN, extractPassages } from './extract.ts';
import { topicTerms } from './words.ts';

function code(
  name: string,
  heading: string,
  content: string,
  score: number,
  context: string | null = null,
): ContextChunk {
  return {
    number: 0,
    name,
    headingPath: [heading],
    content,
    context,
    score,
    language: null,
    isCode: true,
  } as ContextChunk;
}

/** Returns the first passage of the answer; undefined where there is no answer. */
function answer(question: string, chunks: ContextChunk[]): string | undefined {
  const numbered = chunks.map((chunk, i) => ({ ...chunk, number: i + 1 }));
  const { passages, logOdds } = extractPassages(question, numbered);
  return logOdds < ANSWER_LOG_ODDS_MIN ? undefined : passages[0]?.text;
}

const UNKNOWN = code(
  'consumer.py',
  'on_unknown_task',
  'def on_unknown_task(self, body):\n    error("Received unregistered task of type %s.", body)\n',
  10,
);
const OTHERS = ['register', 'task', 'receive'].map((name, i) =>
  code(
    `${name}.py`,
    name,
    `def ${name}(self, type):\n    return self.${name}_task(type)  # a task of this type\n`,
    9.9 - i / 10,
  ),
);

test('the fixed parts of a message are those between quotes, brackets and numbers that carry a topic', () => {
  const parts = (message: string) => fixedParts(message, (text) => topicTerms(text, 'en'));
  assert.deepEqual(parts("error: unknown option '--foo'"), ['error: unknown option']);
  assert.deepEqual(parts('The file "x.log" could not be opened in append mode: Permission denied'), [
    'could not be opened in append mode: Permission denied',
    'could not be opened in append mode',
  ]);
  assert.deepEqual(parts('Key "foo" does not exist'), []);
  assert.deepEqual(parts("can't open the lock file, don't know why"), ["can't open the lock file, don't know why"]);
});

test('a pasted message is answered by the code that writes it, whatever the program filled in', () => {
  const question = "Received unregistered task of type 'proj.tasks.add'.";
  assert.match(answer(question, [...OTHERS, UNKNOWN]) ?? '', /Received unregistered/);
  const expected = code('test_a.py', 'test_it', `raises("${question}")\n`, 30);
  const comment = code('b.py', 'b', `# ${question}\nb = 1\n`, 12);
  for (const other of [expected, comment])
    assert.match(answer(question, [other, ...OTHERS, UNKNOWN]) ?? '', /^def on_unknown/);
  const directive = code('arch.h', 'W', '#ifndef W\n# error "Unsupported width of wide characters"\n#endif\n', 9);
  const test = code('test_arch.py', 'test_w', 'raises("Unsupported width of wide characters")\n', 30);
  assert.match(answer('Unsupported width of wide characters', [test, directive, ...OTHERS]) ?? '', /# error/);
  assert.equal(answer("Refused unmatched token of kind 'proj.tasks.add'.", [...OTHERS, UNKNOWN]), undefined);
});

test('a question for a definition alone is answered by the best definition', () => {
  const own = code('a.py', 'apply', 'def apply(self):\n    pass\n', 8);
  const other = code(
    'b.py',
    'run',
    'def run(self):\n    return self.apply()  # where it is defined, apply, apply\n',
    8.1,
  );
  assert.match(answer('where is apply defined', [other, own, ...OTHERS]) ?? '', /def apply/);
  const listed = code(
    'c.py',
    'A',
    'class A:\n    def f(self): pass\n    def apply(self): pass\n',
    8,
    'Defines: f, apply',
  );
  assert.match(answer('where is apply defined', [other, listed, ...OTHERS]) ?? '', /def apply/);
});

test('a question in words is answered by the text that answers it, and not by code that has its word as a name', () => {
  const text = (name: string, content: string, score: number): ContextChunk =>
    ({ ...code(name, '', content, score), headingPath: [], isCode: false, language: 'en' }) as ContextChunk;
  const guide = text('guide.md', 'The deadline for proposals is 15 May.', 10);
  const deadline = code('a.go', 'deadline', 'func deadline(ctx Context) Time {\n\treturn ctx.end\n}\n', 4);
  for (const question of [
    'When is the deadline?',
    'What is the deadline?',
    'What type of deadline is it?',
    'deadline:',
    'deadline',
  ])
    assert.match(answer(question, [guide, deadline]) ?? '', /15 May/, question);
  for (const question of [
    'Where is the function deadline defined?',
    'What does the function deadline do?',
    'deadline()',
  ])
    assert.match(answer(question, [guide, deadline]) ?? '', /func deadline/, question);
  const policy = text('policy.md', 'Mails are kept for ten years.', 10);
  const parking = code('a.py', 'parking', 'def parking(x):\n    return x\n', 2);
  assert.equal(answer('What is parking?', [policy, parking]), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, choiceOption, helpOf, integerOption, parseCommandLine } from './command.ts';
import { CliError, type Io } from './io.ts';

const io: Io = { out: () => {}, err: () => {}, terminal: false, columns: 80 };
const command: Command = {
  name: 'find',
  summary: 'Find.',
  synopsis: '<query>',
  argumentsMin: 1,
  options: {
    limit: { short: 'n', value: '<n>', text: 'how many' },
    mode: { value: '<value>', text: 'how' },
    tag: { value: '<value>', multiple: true, text: 'which' },
  },
  run: async () => 0,
};

function problem(argv: string[], read: (options: Record<string, unknown>) => unknown = () => {}): string {
  try {
    const invocation = parseCommandLine(command, argv, io);
    read(invocation?.options ?? {});
  } catch (error) {
    assert.ok(error instanceof CliError);
    assert.equal(error.exitCode, 2);
    return error.message;
  }
  return '';
}

test('a wrong command line is explained, with exit code 2', () => {
  assert.match(problem(['x', '--colour']), /--colour.*pinakes find --help/);
  assert.equal(
    problem(['x', '--limt', '3']),
    "Unknown option '--limt'. Did you mean --limit? See pinakes find --help.",
  );
  assert.match(problem([]), /needs <query>/);
  assert.match(problem(['a', 'b']), /Unexpected argument "b"/);
  assert.match(problem(['x', '--limit']), /--limit/);
  assert.match(problem(['']), /An argument of pinakes find is empty/);
  for (const given of [['--mode', ''], ['--mode= '], ['--mode', 'a', '--tag', 'b', '--tag', '']])
    assert.match(problem(['x', ...given]), /^--(?:mode|tag) is empty\. See pinakes find --help\.$/);
  assert.match(
    problem(['x', '-n', '0'], (options) => integerOption(options as never, 'limit', 1, 100)),
    /from 1 to 100, not "0"/,
  );
  assert.match(
    problem(['x', '-n', '1e1'], (options) => integerOption(options as never, 'limit', 1, 100)),
    /not "1e1"/,
  );
  assert.match(
    problem(['x', '--mode', 'fast'], (options) => choiceOption(options as never, 'mode', ['a', 'b'])),
    /a or b, not "fast"/,
  );
});

test('a correct command line is parsed', () => {
  const invocation = parseCommandLine(command, ['-n', '7', '--', '--dashes'], io);
  assert.deepEqual(invocation?.arguments, ['--dashes']);
  assert.equal(integerOption(invocation.options, 'limit', 1, 100), 7);
  assert.equal(integerOption(invocation.options, 'mode', 1, 100), undefined);
});

test('arguments of a program that is run may be empty, and options come before it', () => {
  const runs: Command = { ...command, synopsis: '-- <command…>', argumentsMax: 9, runsProgram: true };
  assert.deepEqual(parseCommandLine(runs, ['--', 'echo', ''], io)?.arguments, ['echo', '']);
  assert.throws(() => parseCommandLine(runs, ['--', '', 'x'], io), /An argument of pinakes find is empty/);
  assert.match(helpOf(runs), /Usage: pinakes find \[options\] -- <command…>\n/);
});

test('the help of a command names every option', () => {
  assert.equal(parseCommandLine(command, ['--help'], io), undefined);
  assert.match(helpOf(command), /Usage: pinakes find <query> \[options\][\s\S]*-n, --limit <n> +how many[\s\S]*--help/);
});

/** Declares, parses and explains commands. The list of commands is in run.ts. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearestOf } from '../../util/edit-distance.ts';
import { filled, table } from './help.ts';
import { CliError, type Io, usageError } from './io.ts';

export interface OptionSpec {
  short?: string;
  multiple?: boolean;
  /** Name of the value in the help, for example `<n>`. Absent: the option is a flag. */
  value?: string;
  text: string;
}

export interface Command {
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** Shown after the name, for example `<paths…>`. Absent for a command without arguments. */
  synopsis?: string;
  /** Absent: 0. */
  argumentsMin?: number;
  /** Absent: as argumentsMin. */
  argumentsMax?: number;
  /** True if the arguments are a program and its arguments, which may be empty. */
  runsProgram?: boolean;
  options: Readonly<Record<string, OptionSpec>>;
  /** Help text below the options: first examples, then explanations. */
  details?: string;
  /** Runs the command and returns the exit code. @throws CliError with one line for the user. */
  run(invocation: Invocation): Promise<number>;
}

export type OptionValues = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>;

export interface Invocation {
  arguments: readonly string[];
  options: OptionValues;
  io: Io;
}

const HELP: Record<string, OptionSpec> = { help: { short: 'h', text: 'show this help' } };

/** Parses the arguments after the command's name. Returns undefined for `--help`. @throws CliError with exit code 2. */
export function parseCommandLine(command: Command, argv: readonly string[], io: Io): Invocation | undefined {
  const parsed = parseStrictly(command, argv);
  if (parsed.values['help'] === true) return undefined;
  const { argumentsMin = 0, argumentsMax = argumentsMin } = command;
  const count = parsed.positionals.length;
  if (count < argumentsMin)
    throw usageError(`pinakes ${command.name} needs ${command.synopsis}. See pinakes ${command.name} --help.`);
  if (count > argumentsMax)
    throw usageError(`Unexpected argument "${parsed.positionals[argumentsMax]}". See pinakes ${command.name} --help.`);
  // A variable of the shell that is not set becomes an empty argument.
  if ((command.runsProgram ? parsed.positionals.slice(0, 1) : parsed.positionals).some(isBlank))
    throw usageError(`An argument of pinakes ${command.name} is empty. See pinakes ${command.name} --help.`);
  const empty = Object.entries(parsed.values).find(([, value]) => [value].flat().some(isBlank));
  if (empty !== undefined) throw usageError(`--${empty[0]} is empty. See pinakes ${command.name} --help.`);
  return { arguments: parsed.positionals, options: parsed.values, io };
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function parseStrictly(command: Command, argv: readonly string[]) {
  const options: ParseArgsOptionsConfig = {};
  for (const [name, spec] of Object.entries({ ...command.options, ...HELP })) {
    options[name] = {
      type: spec.value === undefined ? 'boolean' : 'string',
      ...(spec.short && { short: spec.short }),
      ...(spec.multiple && { multiple: true }),
    };
  }
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error);
    const [, unknown] = /^Unknown option '--([\w-]+)/.exec(message) ?? [];
    const nearest = unknown === undefined ? undefined : nearestOf(unknown, Object.keys(options));
    const meant = didYouMean(nearest === undefined ? undefined : `--${nearest}`);
    throw usageError(`${message}.${meant} See pinakes ${command.name} --help.`);
  }
}

/** Returns a question with a blank before it; empty if no name is near. */
export function didYouMean(nearest: string | undefined): string {
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

/** Returns the text of `--help`. @param columns width of the terminal; undefined in a pipe. */
export function helpOf(command: Command, columns?: number): string {
  const rows = Object.entries({ ...command.options, ...HELP }).map(([name, spec]): [string, string] => {
    const value = spec.value === undefined ? '' : ` ${spec.value}`;
    return [`${spec.short ? `-${spec.short}, ` : '    '}--${name}${value}`, spec.text];
  });
  const { synopsis = '', runsProgram } = command;
  const parts = runsProgram ? ['[options]', synopsis] : [synopsis, '[options]'];
  const usage = ['pinakes', command.name, ...parts].filter((part) => part !== '').join(' ');
  const examples = filled((command.details ?? '').replace(/^\n+|\s+$/g, ''), columns);
  const details = examples === '' ? '' : `\nExamples:\n${examples}\n`;
  return `${filled(command.summary, columns)}\n\nUsage: ${usage}\n\nOptions:\n${table(rows, columns)}${details}`;
}

/** Prints an answer: with `--json` as one line of JSON, otherwise with `show`. Returns the exit code of success. */
export async function printAnswer(
  { options, io }: Pick<Invocation, 'options' | 'io'>,
  answer: unknown,
  show: () => void | Promise<void>,
): Promise<number> {
  if (flagOption(options, 'json')) io.out(`${JSON.stringify(answer)}\n`);
  else await show();
  return 0;
}

export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

export function textOptions(options: OptionValues, name: string): string[] {
  const value = options[name];
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

export function flagOption(options: OptionValues, name: string): boolean {
  return options[name] === true;
}

/** Returns the value of an option as a number. @throws CliError when it is not an integer from `min` to `max`. */
export function integerOption(options: OptionValues, name: string, min: number, max: number): number | undefined {
  const value = textOption(options, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^-?\d+$/.test(value) || number < min || number > max) {
    throw new CliError(`--${name} must be an integer from ${min} to ${max}, not "${value}".`, 2);
  }
  return number;
}

/** Returns the value of an option. @throws CliError when it is not one of `choices`. */
export function choiceOption<T extends string>(
  options: OptionValues,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = textOption(options, name);
  if (value === undefined) return undefined;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined) throw new CliError(`--${name} must be ${choices.join(' or ')}, not "${value}".`, 2);
  return choice;
}

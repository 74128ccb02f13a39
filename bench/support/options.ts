/** The options of a measurement, and its help: the comment at the head of its file. */
import { readFileSync } from 'node:fs';
import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Returns the options of the command line. With `--help`, it prints the comment at the head of `file` and ends the process; with an
 * unknown option, it prints one line.
 */
export function readOptions<T extends ParseArgsConfig>(file: string, config: T): ReturnType<typeof parseArgs<T>> {
  if (process.argv.slice(2).some((one) => one === '--help' || one === '-h')) {
    process.stdout.write(`${headComment(readFileSync(file, 'utf8'))}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n--help shows the options.\n`);
    process.exit(2);
  }
}

/** Returns the text of the comment with which a file begins. */
export function headComment(source: string): string {
  const comment = /^\/\*\*(.*?)\*\//s.exec(source)?.[1] ?? '';
  return comment.replaceAll(/^[ \t]*\* ?/gm, '').trim();
}

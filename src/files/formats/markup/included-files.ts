/** Finds the files that a file includes. Paths are those of the source group; nothing outside of the group can be named. */

/** Maximum number of files that are open at once: the file itself, and files that include each other. */
const DEPTH_MAX = 16;
const INCLUDES_MAX = 1000;
/** UTF-16 units that includes may add to a file. */
const INCLUDED_UNITS_MAX = 4_000_000;
const WARNINGS_MAX = 10;

/** The text of a file, or the reason why it cannot be included, as the end of a sentence. */
export type HeldFile = { text: string } | { problem: string };

export interface IncludedFile {
  path: string;
  text: string;
}

export class IncludedFiles {
  /** Paths that `find` needs and `held` does not have yet. */
  readonly wanted = new Set<string>();
  /** Messages about files that were not included. */
  readonly warnings: string[] = [];
  private readonly held: ReadonlyMap<string, HeldFile>;
  private readonly open: string[] = [];
  private readonly reported = new Set<string>();
  private unitsRemaining = INCLUDED_UNITS_MAX;
  private includesRemaining = INCLUDES_MAX;

  /** @param path the path of the file itself in its group; undefined if its group has no paths. */
  constructor(path?: string, held: ReadonlyMap<string, HeldFile> = new Map()) {
    this.held = held;
    if (path !== undefined) this.open.push(path);
  }

  /** Returns the names of files that were not included. */
  get missing(): string[] {
    return [...this.reported];
  }

  /** Returns the texts of all files that were found so far. */
  texts(): string[] {
    return [...this.held.values()].flatMap((one) => ('text' in one ? [one.text] : []));
  }

  /** Returns the file, or undefined with a warning. @param pathsOf returns the paths at which the file may be. */
  find(name: string, pathsOf: (name: string, from: string, top: string) => string[]): IncludedFile | undefined {
    const [top, from] = [this.open[0], this.open.at(-1)];
    if (top === undefined || from === undefined)
      return this.refuse(name, 'which is read separately if it was also uploaded');
    const paths = pathsOf(name, from, top).flatMap((path) => inGroup(path) ?? []);
    if (paths.length === 0) return this.refuse(name, 'which is not a file of its source group');
    for (const path of paths) if (!this.held.has(path)) this.wanted.add(path);
    const found = paths.find((path) => 'text' in (this.held.get(path) ?? {}));
    if (found === undefined) {
      const problems = paths.flatMap((path) => this.held.get(path) ?? []);
      const problem = problems.find((one) => 'problem' in one && one.problem !== NOT_THERE) ?? problems[0];
      return this.refuse(name, problem && 'problem' in problem ? problem.problem : NOT_THERE);
    }
    if (this.open.includes(found)) return this.refuse(name, 'which includes the file again');
    const { text } = this.held.get(found) as { text: string };
    this.includesRemaining -= 1;
    if (this.open.length >= DEPTH_MAX || this.includesRemaining < 0 || text.length > this.unitsRemaining)
      return this.refuse(name, 'which was left out: its includes are too many, too deep or too long');
    this.unitsRemaining -= text.length;
    return { path: found, text };
  }

  /** Until `leave`, names are relative to this file. */
  enter({ path }: IncludedFile): void {
    this.open.push(path);
  }

  leave(): void {
    this.open.pop();
  }

  private refuse(name: string, why: string): undefined {
    if (this.reported.has(name) || this.reported.size >= WARNINGS_MAX) return;
    this.reported.add(name);
    this.warnings.push(`The file includes ${name}, ${why}.`);
  }
}

export const NOT_THERE = 'which is not in its source group';

/** Returns the path without `.` and `..`; undefined if it leads out of the group. */
function inGroup(path: string): string | undefined {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(path)) return undefined;
  const steps: string[] = [];
  for (const step of path.normalize('NFC').split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.pop() === undefined) return undefined;
  }
  return steps.length === 0 ? undefined : steps.join('/');
}

/** Returns the folder of a path with a slash at its end; '' for a file without a folder. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

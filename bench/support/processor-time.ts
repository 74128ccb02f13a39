/** Reads the processor time of a process from /proc: `user + system`, by thread and for all processes below it. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of /proc in one second: USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const CHILDREN = 'child processes';

/** Returns the seconds of each named thread of the process, and of all processes below it together, ended ones included. */
export function processorSeconds(pid: number): Map<string, number> {
  const parts = new Map<string, number>();
  const add = (part: string, ticks: number): void =>
    void parts.set(part, (parts.get(part) ?? 0) + ticks / TICKS_PER_SECOND);
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const { name, own } = readStat(`/proc/${pid}/task/${thread}/stat`);
    add(Number(thread) === pid ? 'main thread' : name, own);
  }
  // A parser is a grandchild: the program that makes its sandbox is the child.
  for (const child of descendantsOf(pid)) {
    const { own, endedChildren } = readStat(`/proc/${child}/stat`);
    add(CHILDREN, own + endedChildren);
  }
  add(CHILDREN, readStat(`/proc/${pid}/stat`).endedChildren);
  return parts;
}

function descendantsOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function readStat(file: string): { name: string; own: number; endedChildren: number } {
  const text = readFileSync(file, 'latin1');
  const end = text.lastIndexOf(')');
  // Fields 14 to 17 of proc_pid_stat(5). The list begins with field 3.
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = text
    .slice(end + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
  return {
    name: text.slice(text.indexOf('(') + 1, end),
    own: user + system,
    endedChildren: childUser + childSystem,
  };
}

/** Which files of a folder are left out, by the rules of .gitignore and .pinakesignore files. Pure. */
import { compileGlob, type Glob } from '../../connectors/repo/glob.ts';

/** In every folder; the rules of the second come after those of the first. */
export const IGNORE_FILES = ['.gitignore', '.pinakesignore'] as const;
/** Hidden files and what package managers install. A rule of an ignore file may take them back, but not `.git` itself. */
const ALWAYS = ['.*', 'node_modules/'];

interface Rule {
  negated: boolean;
  glob: Glob;
}

/** Rules of one folder. */
export interface RuleSet {
  /** Of the folder, relative to the outermost one that has rules, with `/` at its end; empty for that one. */
  base: string;
  rules: readonly Rule[];
}

/** @param texts of the ignore files of a folder, in order. */
export function parseRules(base: string, texts: readonly string[]): RuleSet {
  const lines = texts.flatMap((text) => text.replace(/^\uFEFF/, '').split(/\r?\n/));
  const rules = lines.flatMap((line) => {
    const negated = line.startsWith('!');
    const glob = compileGlob(negated ? line.slice(1) : line);
    return glob ? [{ negated, glob }] : [];
  });
  return { base, rules };
}

export function defaultRules(): RuleSet {
  return parseRules('', [ALWAYS.join('\n')]);
}

/**
 * Whether a file or folder is left out: the last rule that matches decides, and rules of inner folders come after those of outer ones.
 * What is inside a folder that is left out is never asked for.
 *
 * @param path relative as `base` is.
 * @param sets the outermost first.
 */
export function isIgnored(path: string, isFolder: boolean, sets: readonly RuleSet[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === '.git') return true;
  for (const { base, rules } of sets.toReversed()) {
    if (!path.startsWith(base)) continue;
    const inside = path.slice(base.length);
    const rule = rules.findLast(({ glob }) => (isFolder ? glob.matchesFolder(inside) : glob.matchesItself(inside)));
    if (rule) return !rule.negated;
  }
  return false;
}

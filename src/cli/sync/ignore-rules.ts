/** Decides which files of a folder are left out, by the rules of .gitignore and .pinakesignore files. Pure. */
import { LITTER } from '../../client/litter.ts';
import { compileGlob, type Glob } from '../../connectors/repo/glob.ts';

/** Names of the ignore files of every folder. Rules of the second file override rules of the first. */
export const IGNORE_FILES = ['.gitignore', '.pinakesignore'] as const;
/** Hidden files that projects commit: workflows, and settings of tools. Others may hold secrets, as `.npmrc`, or are caches. */
const COMMITTED = [
  '.github/ .circleci/ .gitlab-ci.yml .travis.yml .codecov.yml .readthedocs.y*ml .pre-commit-config.yaml .goreleaser.y*ml',
  '.golangci.y*ml .golangci.toml .golangci.json .editorconfig .eslintrc .eslintrc.json .eslintrc.*js .eslintrc.y*ml',
  '.prettierrc .prettierrc.json* .prettierrc.*js .prettierrc.toml .prettierrc.y*ml .babelrc .babelrc.json .babelrc.*js',
  '.swcrc .mocharc.json* .mocharc.*js .mocharc.y*ml .clang-format .clang-tidy .rustfmt.toml .flake8 .pylintrc .coveragerc .rubocop.yml',
].join(' ');
/** Hidden files and installed packages. A rule of an ignore file may include them again, except `.git`. */
const DEFAULT_RULES = ['.*', ...COMMITTED.split(' ').map((name) => `!${name}`), 'node_modules/'];

interface Rule {
  negated: boolean;
  /** Whether the rule includes litter by its name, as `!~$plan.xlsx`. A rule for others, as `!*.md`, does not. */
  includesLitter: boolean;
  glob: Glob;
}

/** Rules of one folder. */
export interface RuleSet {
  /** Path of the folder, relative to the outermost folder with rules, with `/` at its end. Empty for the outermost folder. */
  base: string;
  rules: readonly Rule[];
}

/** Parses the ignore files of a folder. @param texts contents of the files, in the order of IGNORE_FILES. */
export function parseRules(base: string, texts: readonly string[]): RuleSet {
  const lines = texts.flatMap((text) => text.replace(/^\uFEFF/, '').split(/\r?\n/));
  const rules = lines.flatMap((line) => {
    const negated = line.startsWith('!');
    const pattern = negated ? line.slice(1) : line;
    const glob = compileGlob(pattern);
    return glob ? [{ negated, includesLitter: negated && isLitterName(pattern.trimEnd()), glob }] : [];
  });
  return { base, rules };
}

/** Returns the rules that apply to every folder. */
export function defaultRules(): RuleSet {
  return parseRules('', [DEFAULT_RULES.join('\n')]);
}

/**
 * Whether a file or folder is left out. The last rule that matches decides; rules of inner folders come after those of outer folders.
 * Callers do not ask for files inside a folder that is left out.
 *
 * @param path relative to the same folder as `base`.
 * @param sets rule sets, the outermost first.
 */
export function isIgnored(path: string, isFolder: boolean, sets: readonly RuleSet[]): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const rule = findRule(path, isFolder, sets);
  return name === '.git' || rule?.negated === false;
}

/** Whether systems or programs put this file or folder beside those of a user, and no rule includes it by its name. */
export function isLitter(path: string, isFolder: boolean, sets: readonly RuleSet[]): boolean {
  return LITTER.test(isFolder ? `${path}/` : path) && findRule(path, isFolder, sets)?.includesLitter !== true;
}

function isLitterName(name: string): boolean {
  return LITTER.test(name) || LITTER.test(`${name}/`);
}

/** Whether a rule that begins with `!` includes this file, which may otherwise be left out for its type. */
export function isIncluded(path: string, sets: readonly RuleSet[]): boolean {
  return findRule(path, false, sets)?.negated === true;
}

function findRule(path: string, isFolder: boolean, sets: readonly RuleSet[]): Rule | undefined {
  for (const { base, rules } of sets.toReversed()) {
    if (!path.startsWith(base)) continue;
    const inside = path.slice(base.length);
    const rule = rules.findLast(({ glob }) => (isFolder ? glob.matchesFolder(inside) : glob.matchesItself(inside)));
    if (rule) return rule;
  }
  return undefined;
}

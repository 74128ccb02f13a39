/** The wire form of a redaction policy, which is also its stored form: which texts are redacted, how, and at which steps. */
import { z } from 'zod';
import { text } from '../util/text-schema.ts';
import { ENTITIES, NAMES } from './detectors/entities.ts';
import { MATCH_LENGTH_MAX, PatternProblem, parsePattern, UNBOUNDED_REPEATS } from './pattern-syntax.ts';

/** The steps at which a rule can apply. */
export const APPLY_AT = ['ingest', 'retrieval', 'llm_input', 'output'] as const;
/** The actions on a match, the strictest first: if two rules match the same text, the stricter action counts. */
export const ACTIONS = ['block', 'drop', 'mask', 'hash'] as const;

const RULES_MAX = 100;
const PATTERN_LENGTH_MAX = 500;
const TERMS_MAX = 10_000;
const TERM_LENGTH_MAX = 200;
/** Maximum length of all dictionaries of a policy together, in characters. */
const DICTIONARY_LENGTH_MAX = 200_000;
/** Maximum steps of all compiled regexes of a policy together; this bounds the cost of a character of text. */
export const POLICY_STEPS_MAX = 1_000;

const KIND = '`entity`: built-in detectors. `regex`: a pattern of your own. `dictionary`: a list of terms.';

const common = {
  name: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,63}$/, 'must match ^[a-z][a-z0-9_-]{0,63}$')
    .describe('Unique within the policy. Regexes and dictionaries are masked as `[NAME]`.'),
  action: z
    .enum(ACTIONS)
    .describe(
      '`mask` writes `[EMAIL]`, `hash` a keyed hash such as `[EMAIL:1f3a…]` that is equal for equal values of a tenant, ' +
        '`drop` leaves the match out, `block` withholds the whole text.',
    ),
  apply_at: z
    .array(z.enum(APPLY_AT))
    .min(1)
    .max(APPLY_AT.length)
    .refine((steps) => new Set(steps).size === steps.length, 'names a step twice')
    .describe(
      '`ingest`: before it is stored. `retrieval`: in what is returned. `llm_input` and `output`: before and after the model.',
    ),
};

const entityRule = z.strictObject({
  ...common,
  kind: z.literal('entity').describe(KIND),
  entities: z
    .array(z.enum([...ENTITIES, ...NAMES]))
    .min(1)
    .max(ENTITIES.length + NAMES.length)
    .refine((names) => new Set(names).size === names.length, 'names an entity twice')
    .describe(
      'What is looked for, with checksums where it has them. Masked as `[EMAIL]`. An analyzer of names, if one is configured, ' +
        `finds ${NAMES.map((name) => `\`${name}\``).join(', ')}.`,
    ),
});

const regexRule = z.strictObject({
  ...common,
  kind: z.literal('regex').describe(KIND),
  pattern: text(1, PATTERN_LENGTH_MAX)
    .superRefine((pattern, context) => {
      try {
        parsePattern(pattern);
      } catch (error) {
        if (!(error instanceof PatternProblem)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
      }
    })
    .describe(
      `RE2 syntax: no look-around, no backreferences. A match has at most ${MATCH_LENGTH_MAX} characters; ` +
        `\`+\`, \`*\` and \`{n,}\` repeat at most ${UNBOUNDED_REPEATS} times, so that it is known how much of a stream has to be ` +
        'held back.',
    ),
  ignore_case: z.boolean().default(false).describe('Capitals and small letters are the same.'),
});

const dictionaryRule = z.strictObject({
  ...common,
  kind: z.literal('dictionary').describe(KIND),
  terms: z
    .array(text(1, TERM_LENGTH_MAX).refine((term) => term.trim() !== '', 'is blank'))
    .min(1)
    .max(TERMS_MAX)
    .describe('Names, code words and the like.'),
  ignore_case: z.boolean().default(true).describe('Capitals and small letters are the same.'),
  whole_words: z
    .boolean()
    .default(true)
    .describe(
      'Only where a word begins and ends. Scripts that write no blanks (Chinese, Japanese, Thai …) have no such bound.',
    ),
});

const ruleSchema = z.discriminatedUnion('kind', [entityRule, regexRule, dictionaryRule]).meta({ id: 'RedactionRule' });

export const redactionPolicyShape = {
  enabled: z.boolean().describe('False: nothing is masked, the rules are kept.'),
  rules: z
    .array(ruleSchema)
    .max(RULES_MAX)
    .superRefine((rules, context) => {
      for (const { path, message } of problemsOfRules(rules)) context.addIssue({ code: 'custom', path, message });
    })
    .describe('Each with a name of its own.'),
};

export type RedactionRule = z.output<typeof ruleSchema>;
export type RedactionAction = (typeof ACTIONS)[number];
export type ApplyAt = (typeof APPLY_AT)[number];

export interface RedactionPolicy {
  /** Every change raises the version. */
  version: number;
  enabled: boolean;
  rules: readonly RedactionRule[];
}

/** Returns the problems that involve several rules. */
function problemsOfRules(rules: readonly RedactionRule[]): { path: (string | number)[]; message: string }[] {
  const problems: { path: (string | number)[]; message: string }[] = [];
  const names = new Set<string>();
  let steps = 0;
  let characters = 0;
  for (const [i, rule] of rules.entries()) {
    if (names.has(rule.name))
      problems.push({ path: [i, 'name'], message: `is the name of another rule: ${rule.name}` });
    names.add(rule.name);
    if (rule.kind === 'dictionary') for (const term of rule.terms) characters += term.length;
    if (rule.kind === 'regex') steps += stepsOf(rule.pattern);
  }
  if (characters > DICTIONARY_LENGTH_MAX)
    problems.push({ path: [], message: `dictionaries have more than ${DICTIONARY_LENGTH_MAX} characters together` });
  if (steps > POLICY_STEPS_MAX)
    problems.push({
      path: [],
      message:
        `the regexes are too large together: ${steps} steps, at most ${POLICY_STEPS_MAX}; ` +
        'repetitions count as often as their upper bound',
    });
  return problems;
}

/** Returns the steps of a pattern; 0 for a refused pattern, which has its own problem. */
function stepsOf(pattern: string): number {
  try {
    return parsePattern(pattern).steps;
  } catch {
    return 0;
  }
}

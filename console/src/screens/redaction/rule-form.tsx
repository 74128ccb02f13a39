import { useState } from 'react';
import {
  ACTIONS,
  type Action,
  ENTITIES,
  type Entity,
  KINDS,
  type Rule,
  STEPS,
  type Step,
} from '../../data/redaction.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Fields, SelectField, TextField, Tick } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { say } from '../../words/words.ts';
import type { RuleProblem } from './marks.ts';

interface RuleFormProps {
  /** The marks of the rule in the trial have the same number. */
  number: number;
  rule: Rule;
  open: boolean;
  toggle(): void;
  problem: RuleProblem | null;
  change(rule: Rule): void;
  remove(): void;
}

/** One rule in a line, and its fields when it is open. */
export function RuleForm({ number, rule, open, toggle, problem, change, remove }: RuleFormProps) {
  return (
    <section
      aria-label={rule.name}
      className={`rounded-lg border bg-raised ${problem === null ? 'border-line' : 'border-bad'}`}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="flex min-h-10 w-full items-center gap-2.5 rounded-lg px-3 py-1.5 text-start hover:bg-hover"
      >
        <span className="num grid h-[18px] min-w-[18px] shrink-0 place-items-center rounded-sm border border-line-strong bg-surface px-1 text-2xs text-ink">
          {number}
        </span>
        <bdi className="shrink-0 font-medium">{rule.name}</bdi>
        <span className="min-w-0 flex-1 truncate text-ink-3">{summaryOf(rule)}</span>
        <span className="shrink-0 text-xs text-ink-2">{say(`redaction.action.${rule.action}`)}</span>
        <Icon name="chevron-down" size={14} className={`text-ink-3 ${open ? 'rotate-180' : ''}`} />
      </button>
      {problem !== null && (
        <p role="alert" dir="auto" className="px-3 pb-2 text-bad">
          {problem.text}
        </p>
      )}
      {open && (
        <div className="flex flex-col gap-4 border-t border-line p-3">
          <div className="grid gap-4 sm:grid-cols-3">
            <TextField
              label={say('column.name')}
              hint={say('policies.nameHint')}
              maxLength={64}
              aria-invalid={problem?.member === 'name'}
              value={rule.name}
              onChange={(event) => change({ ...rule, name: event.target.value })}
            />
            <SelectField
              label={say('redaction.kind')}
              value={rule.kind}
              onChange={(event) => change(withKind(rule, event.target.value as Rule['kind']))}
              options={KINDS.map((kind) => [kind, say(`redaction.kind.${kind}`)] as const)}
            />
            <SelectField
              label={say('redaction.action')}
              hint={say(`redaction.does.${rule.action}`)}
              value={rule.action}
              onChange={(event) => change({ ...rule, action: event.target.value as Action })}
              options={ACTIONS.map((action) => [action, say(`redaction.action.${action}`)] as const)}
            />
          </div>
          <KindFields rule={rule} wrong={problem?.member} change={change} />
          <Fields label={say('redaction.steps')}>
            <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
              {STEPS.map((step) => (
                <Tick
                  key={step}
                  label={say(`redaction.step.${step}`)}
                  hint={say(`redaction.at.${step}`)}
                  checked={rule.apply_at.includes(step)}
                  onChange={() => change({ ...rule, apply_at: toggled<Step>(rule.apply_at, step, STEPS) })}
                />
              ))}
            </div>
          </Fields>
          <div className="flex justify-end">
            <Button look="ghost" icon="trash-2" onClick={remove}>
              {say('redaction.remove', { name: rule.name })}
            </Button>
          </div>
        </div>
      )}
    </section>
  );
}

interface KindProps {
  rule: Rule;
  /** The member of the rule that the service refuses. */
  wrong: string | undefined;
  change(rule: Rule): void;
}

function KindFields({ rule, wrong, change }: KindProps) {
  if (rule.kind === 'entity')
    return (
      <Fields label={say('redaction.entities')}>
        <div className="grid gap-x-4 gap-y-1.5 sm:grid-cols-2 md:grid-cols-3">
          {ENTITIES.map((entity) => (
            <Tick
              key={entity}
              label={say(`redaction.entity.${entity}`)}
              checked={rule.entities.includes(entity)}
              onChange={() => change({ ...rule, entities: toggled<Entity>(rule.entities, entity, ENTITIES) })}
            />
          ))}
        </div>
      </Fields>
    );
  const ignoreCase = rule.ignore_case ?? rule.kind === 'dictionary';
  const caseTick = (
    <Tick
      label={say('redaction.ignoreCase')}
      checked={ignoreCase}
      onChange={() => change({ ...rule, ignore_case: !ignoreCase })}
    />
  );
  if (rule.kind === 'regex')
    return (
      <>
        <TextField
          dir="ltr"
          label={say('redaction.pattern')}
          hint={say('redaction.patternHint')}
          maxLength={500}
          aria-invalid={wrong === 'pattern'}
          value={rule.pattern}
          onChange={(event) => change({ ...rule, pattern: event.target.value })}
          className="font-mono text-xs"
        />
        {caseTick}
      </>
    );
  const wholeWords = rule.whole_words ?? true;
  return (
    <>
      <Terms wrong={wrong === 'terms'} terms={rule.terms} change={(terms) => change({ ...rule, terms })} />
      <div className="flex flex-wrap gap-x-6 gap-y-2">
        {caseTick}
        <Tick
          label={say('redaction.wholeWords')}
          checked={wholeWords}
          onChange={() => change({ ...rule, whole_words: !wholeWords })}
        />
      </div>
    </>
  );
}

/** The terms of a dictionary, one a line. Blank lines do not count. */
function Terms({ terms, wrong, change }: { terms: readonly string[]; wrong: boolean; change(terms: string[]): void }) {
  const [text, setText] = useState(terms.join('\n'));
  return (
    <Field label={say('redaction.terms')}>
      <textarea
        dir="auto"
        rows={4}
        aria-invalid={wrong}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          change(event.target.value.split('\n').filter((line) => line.trim() !== ''));
        }}
        className="field w-full p-2"
      />
    </Field>
  );
}

function withKind({ name, action, apply_at }: Rule, kind: Rule['kind']): Rule {
  const common = { name, action, apply_at };
  if (kind === 'entity') return { ...common, kind, entities: ['email'] };
  if (kind === 'regex') return { ...common, kind, pattern: '', ignore_case: false };
  return { ...common, kind, terms: [], ignore_case: true, whole_words: true };
}

/** Returns the chosen ones with or without `one`, in the order of all. */
function toggled<T>(chosen: readonly T[], one: T, all: readonly T[]): T[] {
  return all.filter((each) => (each === one ? !chosen.includes(each) : chosen.includes(each)));
}

function summaryOf(rule: Rule): string {
  if (rule.kind === 'regex') return rule.pattern;
  if (rule.kind === 'dictionary') return rule.terms.join(', ');
  return rule.entities.map((entity) => say(`redaction.entity.${entity}`)).join(', ');
}

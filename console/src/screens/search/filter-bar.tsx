import { Popover } from '@base-ui/react/popover';
import { type FormEvent, useState } from 'react';
import { useGroupChoices, useGroupNames } from '../../data/group-names.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { day } from '../../words/format.ts';
import { say } from '../../words/words.ts';
import {
  type Condition,
  conditionsOf,
  DAY_MIN,
  FILE_TYPES,
  type Filter,
  KINDS,
  OPERATORS,
  type Operator,
  SOURCE_TYPES,
  secondsOf,
  typedValue,
  withCondition,
  withoutCondition,
} from './filter.ts';
import { JsonFilter, type JsonFilterProps } from './json-filter.tsx';

interface FilterProps {
  filter: Filter;
  change(filter: Filter): void;
}

/** The conditions as chips, a form that adds one, and the same filter as JSON. */
export function FilterBar({ filter, change, ...json }: JsonFilterProps) {
  const { conditions, more } = conditionsOf(filter);
  return (
    <>
      {conditions.map((condition, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no other identity than its place
        <Chip key={at} condition={condition} remove={() => change(withoutCondition(filter, at))} />
      ))}
      {more && <span className="chip pe-2 text-ink-2">{say('filter.more')}</span>}
      <AddCondition filter={filter} change={change} />
      <JsonFilter filter={filter} change={change} {...json} />
    </>
  );
}

function Chip({ condition, remove }: { condition: Condition; remove(): void }) {
  const name = condition.kind === 'metadata' ? condition.key : say(`filter.${condition.kind}`);
  const operator =
    condition.kind === 'metadata'
      ? say(`operator.${condition.operator}`)
      : 'values' in condition
        ? say('operator.in')
        : '';
  const groups = useGroupNames(condition.kind === 'source_group_ids' ? condition.values : []);
  const value =
    'values' in condition
      ? condition.values.map((one) => groups.get(one) ?? one).join(', ')
      : condition.kind === 'metadata'
        ? String(condition.value)
        : day(condition.value);
  return (
    <span className="chip">
      <span className="text-ink-3">
        <bdi>{name}</bdi> {operator}
      </span>
      <bdi className="max-w-40 truncate font-medium">{value}</bdi>
      <button
        type="button"
        aria-label={say('filter.remove', { name })}
        onClick={remove}
        className="grid size-5 place-items-center text-ink-3 hover:text-ink"
      >
        <Icon name="x" size={11} />
      </button>
    </span>
  );
}

function AddCondition(filter: FilterProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={buttonClass('ghost', 'small')}>
        <Icon name="plus" size={13} />
        {say('filter.add')}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="z-40">
          <Popover.Popup
            aria-label={say('filter.addOne')}
            className="pop w-72 rounded-lg bg-raised p-3 shadow-2 outline-none"
          >
            <ConditionForm {...filter} close={() => setOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ConditionForm({ filter, change, close }: FilterProps & { close(): void }) {
  const [kind, setKind] = useState<Condition['kind']>('file_types');
  const [value, setValue] = useState('');
  const [key, setKey] = useState('');
  const [operator, setOperator] = useState<Operator>('eq');
  const groups = useGroupChoices();
  const choices: Partial<Record<Condition['kind'], readonly (readonly [value: string, name: string])[]>> = {
    source_group_ids: groups,
    file_types: FILE_TYPES.map((one) => [one, one]),
    source_types: SOURCE_TYPES.map((one) => [one, one]),
  };
  const offered = choices[kind];
  const isDate = kind === 'date_from' || kind === 'date_to';
  const chosen = offered && value === '' ? (offered[0]?.[0] ?? '') : value.trim();
  const needsValue = operator !== 'exists' && operator !== 'not_exists';
  const complete = kind === 'metadata' ? key.trim() !== '' && (!needsValue || value.trim() !== '') : chosen !== '';

  function submit(event: FormEvent) {
    event.preventDefault();
    // The form of the search is around this one in React, though not in the document.
    event.stopPropagation();
    if (!complete) return;
    change(
      withCondition(
        filter,
        kind === 'metadata'
          ? { kind, key: key.trim(), operator, value: typedValue(value) }
          : isDate
            ? { kind, value: secondsOf(kind, chosen) }
            : { kind, values: [chosen] },
      ),
    );
    close();
  }

  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <Field label={say('filter.by')}>
        <select
          value={kind}
          onChange={(event) => {
            setKind(event.target.value as Condition['kind']);
            setValue('');
          }}
          className="field h-8 w-full px-2"
        >
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {say(`filter.${one}`)}
            </option>
          ))}
        </select>
      </Field>
      {kind === 'metadata' && (
        <>
          <Field label={say('filter.key')}>
            <input value={key} onChange={(event) => setKey(event.target.value)} className="field h-8 w-full px-2" />
          </Field>
          <Field label={say('filter.operator')}>
            <select
              value={operator}
              onChange={(event) => setOperator(event.target.value as Operator)}
              className="field h-8 w-full px-2"
            >
              {OPERATORS.map((one) => (
                <option key={one} value={one}>
                  {say(`operator.${one}`)}
                </option>
              ))}
            </select>
          </Field>
        </>
      )}
      {offered ? (
        <Field label={say('filter.value')}>
          <select value={chosen} onChange={(event) => setValue(event.target.value)} className="field h-8 w-full px-2">
            {offered.map(([one, name]) => (
              <option key={one} value={one}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      ) : (
        (kind !== 'metadata' || needsValue) && (
          <Field label={say('filter.value')}>
            <input
              {...(isDate ? { type: 'date', min: DAY_MIN } : { dir: 'auto' })}
              value={value}
              onChange={(event) => setValue(event.target.value)}
              className="field h-8 w-full px-2"
            />
          </Field>
        )
      )}
      <Button type="submit" look="primary" disabled={!complete} className="mt-1 self-end">
        {say('filter.addOne')}
      </Button>
    </form>
  );
}

function Field({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <label className="block">
      <span className="mb-1 block text-xs text-ink-2">{label}</span>
      {children}
    </label>
  );
}

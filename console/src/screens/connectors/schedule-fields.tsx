import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { inWords } from '../../data/api.ts';
import { previewSchedule } from '../../data/connectors.ts';
import { Field, SelectField, TextField } from '../../parts/form.tsx';
import { Problem } from '../../parts/layout.tsx';
import { useKept } from '../../shell/drafts.ts';
import { type Key, say } from '../../words/words.ts';
import { type Choice, DAYS, EVERY, type Every, readRule, ruleOf } from './schedule.ts';
import { dayAndTime, dayName, ownZone, ruleInWords } from './schedule-words.ts';

const NAMES: Readonly<Record<Every, Key>> = {
  never: 'schedule.never',
  hours: 'schedule.hours',
  day: 'schedule.day',
  week: 'schedule.week',
  month: 'schedule.month',
  rule: 'schedule.rule',
};

export interface Schedule {
  choice: Choice;
  change(part: Partial<Choice>): void;
  zone: string;
  /** The rule to send; empty: no schedule. */
  rule: string;
  times: readonly number[];
  problem: string | null;
}

/** Keeps the schedule of the named form, also when the session ends, with the next times that the service computes. */
export function useSchedule(rrule: string, name: string): Schedule {
  const start = readRule(rrule);
  const [choice, setChoice] = useKept(name, start.choice);
  const zone = start.zone ?? ownZone();
  const rule = ruleOf(choice, zone);
  const preview = useQuery({
    queryKey: ['schedule', rule],
    queryFn: ({ signal }) => previewSchedule(rule, zone, signal),
    enabled: rule !== '',
    placeholderData: keepPreviousData,
    retry: false,
  });
  return {
    choice,
    change: (part) => setChoice((old) => ({ ...old, ...part })),
    zone,
    rule,
    times: rule === '' || preview.isError ? [] : (preview.data ?? []),
    problem: rule !== '' && preview.isError ? inWords(preview.error) : null,
  };
}

export function isUsable({ choice, rule, problem }: Schedule): boolean {
  if (problem !== null || (choice.every === 'week' && choice.days.length === 0)) return false;
  return choice.every === 'never' || rule !== '';
}

/** The form of a schedule: how often, when, in words, and the next five times in the zone of the reader. */
export function ScheduleFields({ schedule }: { schedule: Schedule }) {
  const { choice, change, zone, rule, times, problem } = schedule;
  const { every } = choice;
  return (
    <div className="flex flex-col gap-3">
      <SelectField
        label={say('schedule.every')}
        value={every}
        onChange={(event) => change({ every: event.target.value as Every })}
        options={EVERY.map((one) => [one, say(NAMES[one])] as const)}
      />
      {every === 'hours' && (
        <NumberField
          label={say('schedule.hoursBetween')}
          value={choice.hours}
          max={168}
          change={(hours) => change({ hours })}
        />
      )}
      {every === 'week' && <Days choice={choice} change={change} />}
      {every === 'month' && (
        <NumberField
          label={say('schedule.dayOfMonth')}
          value={choice.dayOfMonth}
          max={31}
          change={(dayOfMonth) => change({ dayOfMonth })}
        />
      )}
      {(every === 'day' || every === 'week' || every === 'month') && (
        <TextField
          type="time"
          required
          label={say('schedule.time')}
          hint={say('schedule.zone', { zone })}
          value={choice.time}
          onChange={(event) => event.target.value !== '' && change({ time: event.target.value })}
        />
      )}
      {every === 'rule' && (
        <Field label={say('schedule.rule')} hint={say('schedule.ruleHint')}>
          <textarea
            rows={2}
            dir="ltr"
            maxLength={500}
            value={choice.rule}
            onChange={(event) => change({ rule: event.target.value })}
            className="field w-full px-2 py-1.5 font-mono text-xs"
          />
        </Field>
      )}
      {problem !== null ? (
        <Problem text={problem} />
      ) : (
        every !== 'never' &&
        rule !== '' && (
          <div className="rounded-lg border border-line bg-sunken px-3 py-2.5" aria-live="polite">
            <p className="font-medium">{ruleInWords(rule)}</p>
            <NextTimes times={times} />
          </div>
        )
      )}
    </div>
  );
}

export function NextTimes({ times }: { times: readonly number[] }) {
  if (times.length === 0) return null;
  return (
    <ol aria-label={say('schedule.nextTimes')} className="mt-2 flex flex-wrap gap-1.5">
      {times.map((time) => (
        <li key={time} className="chip num pe-2 text-ink-2">
          {dayAndTime(time)}
        </li>
      ))}
    </ol>
  );
}

function Days({ choice, change }: Pick<Schedule, 'choice' | 'change'>) {
  const { days } = choice;
  return (
    <fieldset>
      <legend className="mb-1 text-xs text-ink-2">{say('schedule.days')}</legend>
      <div className="flex flex-wrap gap-1.5">
        {DAYS.map((day) => {
          const chosen = days.includes(day);
          return (
            <label
              key={day}
              className={`flex h-7 items-center rounded-md border px-2.5 text-xs font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent ${chosen ? 'border-ink bg-ink text-surface' : 'border-line-strong bg-raised text-ink-2'}`}
            >
              <input
                type="checkbox"
                checked={chosen}
                onChange={() => change({ days: chosen ? days.filter((one) => one !== day) : [...days, day] })}
                aria-label={dayName(day)}
                className="sr-only"
              />
              <span aria-hidden="true">{dayName(day, 'short')}</span>
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}

interface NumberFieldProps {
  label: string;
  value: number;
  max: number;
  change(value: number): void;
}

function NumberField({ label, value, max, change }: NumberFieldProps) {
  return (
    <TextField
      type="number"
      min={1}
      max={max}
      label={label}
      value={value}
      onChange={(event) => change(Math.min(max, Math.max(1, Math.floor(event.target.valueAsNumber) || 1)))}
      className="num max-w-28"
    />
  );
}

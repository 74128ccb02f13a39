/** Fields of forms. Each has a label of its own, and a hint or an error below. */
import { type InputHTMLAttributes, type ReactNode, type SelectHTMLAttributes, useId } from 'react';
import { say } from '../words/words.ts';

const NAME_LENGTH_MAX = 200;
const DESCRIPTION_LENGTH_MAX = 1_000;

interface FieldProps {
  label: string;
  hint?: ReactNode;
}

export function Field({ label, hint, hintId, children }: FieldProps & { hintId?: string; children: ReactNode }) {
  return (
    <div>
      <label className="block">
        <span className="mb-1 block text-xs font-medium text-ink-2">{label}</span>
        {children}
      </label>
      {hint && (
        <p id={hintId} className="mt-1 text-xs text-ink-3">
          {hint}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  className = '',
  ...rest
}: FieldProps & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <Field label={label} hint={hint} hintId={id}>
      <input
        dir="auto"
        autoComplete="off"
        aria-describedby={hint ? id : undefined}
        className={`field h-8 w-full ${className}`}
        {...rest}
      />
    </Field>
  );
}

export function SelectField<T extends string>({
  label,
  hint,
  options,
  ...rest
}: FieldProps & { options: readonly (readonly [T, string])[] } & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId();
  return (
    <Field label={label} hint={hint} hintId={id}>
      <select aria-describedby={hint ? id : undefined} className="field h-8 w-full px-2" {...rest}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** A box to tick, with an explanation under its name. */
export function Tick({
  label,
  hint,
  ...rest
}: { label: ReactNode; hint?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className="flex items-start gap-2">
      <input type="checkbox" id={id} className="mt-[3px] size-3.5 shrink-0 accent-[var(--accent)]" {...rest} />
      <label htmlFor={id} className="min-w-0 break-words">
        {label}
        {hint && <span className="block text-xs text-ink-3">{hint}</span>}
      </label>
    </div>
  );
}

/** Several fields under one name. */
export function Fields({ label, children }: { label: string; children: ReactNode }) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-xs font-medium text-ink-2">{label}</legend>
      {children}
    </fieldset>
  );
}

interface ValueProps {
  value: string;
  change(value: string): void;
}

/** The name of something new, which takes the focus. */
export function NameField({ value, change }: ValueProps) {
  return (
    <TextField
      autoFocus
      label={say('column.name')}
      maxLength={NAME_LENGTH_MAX}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
}

export function DescriptionField({ value, change }: ValueProps) {
  return (
    <TextField
      label={say('column.description')}
      maxLength={DESCRIPTION_LENGTH_MAX}
      value={value}
      onChange={(event) => change(event.target.value)}
    />
  );
}

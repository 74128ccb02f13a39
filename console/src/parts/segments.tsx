import { useId } from 'react';

interface SegmentsProps<T extends string> {
  label: string;
  chosen: T;
  options: readonly (readonly [T, string])[];
  change(chosen: T): void;
}

/** One of a few choices, side by side. */
export function Segments<T extends string>({ label, chosen, options, change }: SegmentsProps<T>) {
  const name = useId();
  return (
    <fieldset className="flex rounded-md bg-press p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(([one, text]) => (
        <label
          key={one}
          className={`flex h-6 items-center rounded-sm px-2 text-xs font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent ${one === chosen ? 'bg-raised text-ink shadow-1' : 'text-ink-2 hover:text-ink'}`}
        >
          <input
            type="radio"
            name={name}
            value={one}
            checked={one === chosen}
            onChange={() => change(one)}
            className="sr-only"
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

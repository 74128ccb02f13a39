import { Icon, type IconName } from './icon.tsx';

interface FilterSelectProps {
  label: string;
  icon: IconName;
  value: string;
  /** The text of the choice that filters nothing. */
  any: string;
  options: readonly (readonly [value: string, text: string])[];
  change(value: string | undefined): void;
}

/** A filter of a toolbar. The first choice filters nothing. */
export function FilterSelect({ label, icon, value, any, options, change }: FilterSelectProps) {
  return (
    <label
      className={`relative flex h-7 items-center gap-1.5 rounded-md px-2 hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent ${value === '' ? 'text-ink-2' : 'bg-press font-medium text-ink'}`}
    >
      <Icon name={icon} size={14} />
      <select
        aria-label={label}
        value={value}
        onChange={(event) => change(event.target.value || undefined)}
        className="field-sizing-content max-w-60 appearance-none bg-transparent pe-4 outline-none"
      >
        <option value="">{any}</option>
        {value !== '' && !options.some(([one]) => one === value) && <option value={value}>{value}</option>}
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
      <Icon name="chevron-down" size={12} className="pointer-events-none absolute end-2" />
    </label>
  );
}

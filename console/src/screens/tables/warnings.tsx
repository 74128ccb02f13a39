import type { Table } from '../../data/tables/tables.ts';
import { Hint } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { number } from '../../words/format.ts';
import { say, sayOfService } from '../../words/words.ts';

type Warnings = Table['warnings'];

/** The number of warnings, with their texts in a hint. */
export function WarningCount({ warnings }: { warnings: Warnings }) {
  if (warnings.length === 0) return null;
  return (
    <Hint label={warnings.map(({ message }) => sayOfService(message)).join(' ')}>
      <button
        type="button"
        aria-label={say('tables.warningCount', { n: warnings.length })}
        className="num flex items-center gap-1.5 text-warn"
      >
        <Icon name="triangle-alert" size={13} />
        {number(warnings.length)}
      </button>
    </Hint>
  );
}

/** The warnings, one below the other. */
export function WarningList({ warnings }: { warnings: Warnings }) {
  if (warnings.length === 0) return null;
  return (
    <ul className="flex flex-col gap-1">
      {warnings.map(({ code, message }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: The list does not change.
        <li key={`${code}-${at}`} className="flex items-start gap-1.5 text-warn">
          <Icon name="triangle-alert" size={13} className="mt-[3px]" />
          <span dir="auto">{sayOfService(message)}</span>
        </li>
      ))}
    </ul>
  );
}

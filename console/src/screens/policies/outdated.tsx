import { documentOf, type Policy } from '../../data/policies.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { say } from '../../words/words.ts';
import { changedLines, type DiffLine } from './line-diff.ts';

const LOOKS: Readonly<Record<DiffLine['kind'], readonly [mark: string, tone: string]>> = {
  same: [' ', 'text-ink-3'],
  added: ['+', 'text-ok'],
  removed: ['−', 'text-bad'],
};

interface OutdatedProps {
  /** The version over which the draft was written, and its text. */
  over: { version: number; text: string };
  /** The newest version; undefined: the policy was deleted. */
  policy: Policy | undefined;
  take(): void;
  keep(): void;
}

/** Says that somebody saved or deleted the policy while a draft was written, and what changed. The reader chooses what is saved. */
export function Outdated({ over, policy, take, keep }: OutdatedProps) {
  const lines = policy && over.version > 0 ? changedLines(over.text, documentOf(policy)) : [];
  return (
    <section
      role="alert"
      aria-label={say('policies.outdatedTitle')}
      className="flex max-h-[50vh] flex-col gap-2 rounded-lg border border-warn/40 bg-sunken px-3 py-2.5"
    >
      <p className="flex items-start gap-2">
        <Icon name="triangle-alert" size={15} className="mt-0.5 text-warn" />
        <span className="min-w-0">
          {!policy
            ? say('policies.gone', { n: over.version })
            : over.version === 0
              ? say('policies.appeared')
              : say('policies.outdated', { n: policy.version, before: over.version })}
        </span>
      </p>
      {lines.length > 0 && (
        <>
          <h2 className="text-xs font-medium text-ink-2">
            {say('policies.whatChanged', { before: over.version, n: policy?.version ?? 0 })}
          </h2>
          <pre
            tabIndex={0}
            dir="ltr"
            className="scroll min-h-0 rounded-md border border-line bg-surface p-2 font-mono text-[11px] leading-[17px]"
          >
            {lines.map((line, at) => {
              const [mark, tone] = line === null ? ['', 'text-ink-3'] : LOOKS[line.kind];
              return (
                // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity than its place
                <span key={at} className={`block ${tone}`}>
                  {line === null ? '…' : `${mark} ${line.text}`}
                </span>
              );
            })}
          </pre>
        </>
      )}
      <div className="flex flex-wrap gap-1.5">
        <Button size="small" onClick={take}>
          {policy ? say('policies.takeTheirs', { n: policy.version }) : say('policies.discard')}
        </Button>
        <Button size="small" onClick={keep}>
          {say('policies.keepMine')}
        </Button>
      </div>
    </section>
  );
}

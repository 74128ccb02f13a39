import { Empty, Spinner } from '../../parts/layout.tsx';
import { More } from '../../parts/listing.tsx';
import { say } from '../../words/words.ts';
import type { useChunks } from './use-chunks.ts';

/** The passages that the viewer sees of a source whose whole text a policy hides. Their places are hidden, too. */
export function SeenPassages({ chunks, isAs }: { chunks: ReturnType<typeof useChunks>; isAs: boolean }) {
  if (chunks.isPending)
    return (
      <div className="p-6">
        <Spinner label={say('loading')} />
      </div>
    );
  if (chunks.seen.length === 0)
    return (
      <Empty
        icon="eye-off"
        title={say(isAs ? 'source.asNothing' : 'source.missing')}
        text={say(isAs ? 'source.asNothingText' : 'source.hiddenText')}
      />
    );
  return (
    <section
      tabIndex={0}
      aria-label={say('source.seen')}
      className="scroll min-h-0 px-6 py-6 outline-offset-[-2px] sm:px-10"
    >
      <div className="mx-auto max-w-3xl">
        <p className="mb-3 text-ink-3">{say('source.seenText')}</p>
        <ol className="flex flex-col gap-2.5">
          {chunks.seen.map((chunk) => (
            <li key={chunk.id} className="rounded-md border border-dashed border-line px-3 py-2">
              {chunk.heading_path.length > 0 && (
                <p dir="auto" className="truncate text-2xs text-ink-3">
                  {chunk.heading_path.join('  ›  ')}
                </p>
              )}
              <p dir="auto" className="text-base leading-6 break-words whitespace-pre-wrap">
                {chunk.content}
              </p>
            </li>
          ))}
        </ol>
        <More list={chunks} className="mt-4" />
      </div>
    </section>
  );
}

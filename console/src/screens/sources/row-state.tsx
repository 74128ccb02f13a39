import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inWords } from '../../data/api.ts';
import { readAgain, type SourceRow } from '../../data/sources.ts';
import { Button, Hint } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { say, sayOfService } from '../../words/words.ts';
import { SOURCE_LIST } from './use-source-list.ts';

/** What happens with a source now, or why it could not be read, and what can be done. Colour is for exceptions. */
export function RowState({ row, wide, mayManage }: { row: SourceRow; wide: boolean; mayManage: boolean }) {
  if (row.error) return <Failed row={row} error={row.error} wide={wide} mayManage={mayManage} />;
  if (row.stage === 'reading' || row.stage === 'embedding')
    return (
      <span className="flex items-center gap-1.5">
        <Icon name="loader-circle" size={14} className="spin text-accent" />
        <span className="truncate text-ink-2">{say(`stage.${row.stage}`)}</span>
      </span>
    );
  if (row.stage !== null || row.status === 'pending')
    return (
      <span className="flex items-center gap-1.5 text-ink-3">
        <Icon name="clock" size={14} />
        <span className="truncate">{say(row.stage === 'waiting' ? 'stage.waiting' : 'stage.queued')}</span>
      </span>
    );
  const [warning] = row.warnings;
  return (
    <span className="flex items-center gap-1.5 text-ink-3">
      <Icon name="check" size={14} />
      <span className="truncate">{say('state.ready')}</span>
      {warning !== undefined && (
        <Hint label={row.warnings.join(' ')}>
          <button type="button" aria-label={say('sources.warnings', { n: row.warnings.length })} className="text-warn">
            <Icon name="triangle-alert" size={13} />
          </button>
        </Hint>
      )}
    </span>
  );
}

type FailedProps = { row: SourceRow; error: NonNullable<SourceRow['error']>; wide: boolean; mayManage: boolean };

function Failed({ row, error, wide, mayManage }: FailedProps) {
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () => readAgain([row]),
    onSettled: () => queries.invalidateQueries({ queryKey: [SOURCE_LIST] }),
  });
  const served = row.status === 'ready';
  const tone = served ? 'text-warn' : 'text-bad';
  const title = sayOfService(error.title);
  const reason = again.isError ? inWords(again.error) : sayOfService(error.message);
  return (
    <span className="flex items-center gap-1.5">
      <Icon name={served ? 'triangle-alert' : 'circle-alert'} size={14} className={tone} />
      <Hint label={`${served ? `${say('state.oldServed')} ` : ''}${title}: ${reason}`}>
        <Link
          to="/sources/$id"
          params={{ id: row.id }}
          className={`min-w-0 truncate rounded-sm text-start ${tone}`}
          dir="auto"
        >
          {title}
          <span className={wide ? 'text-ink-3' : 'text-ink-3 @max-4xl:hidden'}> · {reason}</span>
        </Link>
      </Hint>
      {mayManage && (
        <Hint label={say('sources.readGroupAgain', { group: row.source_group_name })}>
          <Button
            look="ghost"
            size="small"
            icon="rotate-ccw"
            busy={again.isPending}
            aria-label={say('sources.readAgain', { name: row.name })}
            onClick={() => again.mutate()}
            className={again.isPending ? 'spin' : ''}
          />
        </Hint>
      )}
    </span>
  );
}

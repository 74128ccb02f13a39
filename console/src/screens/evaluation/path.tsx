import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { say } from '../../words/words.ts';

/** The way from the list of sets to where the reader is. */
export function Path({ set, children }: { set?: { id: string; name: string }; children: ReactNode }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Link to="/evaluation" className="shrink-0 font-normal text-ink-3 hover:text-ink">
        {say('evaluation.title')}
      </Link>
      {set && (
        <>
          <Arrow />
          <Link
            to="/evaluation/$id"
            params={{ id: set.id }}
            search={{}}
            className="max-w-40 truncate font-normal text-ink-3 hover:text-ink"
          >
            <bdi>{set.name}</bdi>
          </Link>
        </>
      )}
      <Arrow />
      <bdi className="truncate">{children}</bdi>
    </span>
  );
}

function Arrow() {
  return <Icon name="chevron-right" size={13} className="text-ink-3 rtl:-scale-x-100" />;
}

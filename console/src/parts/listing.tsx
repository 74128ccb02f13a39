import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { hasNothing, inWords } from '../data/api.ts';
import { type Key, say } from '../words/words.ts';
import { Button } from './button.tsx';
import { NotRefreshed, Problem, Spinner } from './layout.tsx';

type Result = Pick<UseInfiniteQueryResult<unknown>, 'isPending' | 'error' | 'data'> & { refetch(): unknown };
type Pages = Pick<UseInfiniteQueryResult<unknown>, 'hasNextPage' | 'isFetchingNextPage'> & { fetchNextPage(): unknown };

interface ListingProps {
  list: Result;
  /** Whether there is no row. */
  empty: boolean;
  /** What stands in place of the rows when there are none. */
  nothing: ReactNode;
  children: ReactNode;
}

/** A list while it loads, when it cannot be read, when it is empty, and with its rows. */
export function Listing({ list, empty, nothing, children }: ListingProps) {
  if (list.isPending)
    return (
      <div className="p-4">
        <Spinner label={say('loading')} />
      </div>
    );
  if (hasNothing(list))
    return (
      <div className="p-4">
        <Problem text={inWords(list.error)}>
          <Button size="small" onClick={() => list.refetch()}>
            {say('action.retry')}
          </Button>
        </Problem>
      </div>
    );
  return (
    <>
      {list.error && <NotRefreshed text={inWords(list.error)} retry={() => list.refetch()} />}
      {empty ? nothing : children}
    </>
  );
}

interface MoreProps {
  list: Pages;
  label?: Key;
  /** What is said after the last page. */
  end?: string | undefined;
  as?: 'div' | 'li';
  className?: string;
}

/** The button that reads the next page of a list. After the last page it says so as long as it has the focus. */
export function More({
  list,
  label = 'action.more',
  end = say('list.all'),
  as: Tag = 'div',
  className = 'p-4',
}: MoreProps) {
  const [hasFocus, setFocus] = useState(false);
  if (!list.hasNextPage && !hasFocus) return null;
  return (
    <Tag className={className} onFocus={() => setFocus(true)} onBlur={() => setFocus(false)}>
      <Button busy={list.isFetchingNextPage} disabled={!list.hasNextPage} onClick={() => list.fetchNextPage()}>
        {list.hasNextPage ? say(label) : end}
      </Button>
    </Tag>
  );
}

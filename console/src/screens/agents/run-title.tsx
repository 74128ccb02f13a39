import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { Header } from '../../parts/layout.tsx';
import { say } from '../../words/words.ts';

/** The way back to the list, and the question. */
export function RunTitle({ question, children }: { question: string; children: ReactNode }) {
  return (
    <Header
      title={
        <span className="flex min-w-0 items-center gap-1.5">
          <Link to="/agents" search={{}} className="font-normal text-ink-3 hover:text-ink">
            {say('agents.title')}
          </Link>
          <Icon name="chevron-right" size={13} className="shrink-0 text-ink-3 rtl:-scale-x-100" />
          <bdi className="truncate">{question}</bdi>
        </span>
      }
    >
      {children}
    </Header>
  );
}

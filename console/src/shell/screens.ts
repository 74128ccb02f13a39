/** The screens of the menu and of the palette. A screen that is not built is not here. */
import type { IconName } from '../parts/icon-paths.ts';
import type { Key } from '../words/words.ts';

export interface Screen {
  to: '/ask' | '/search' | '/sources' | '/connectors' | '/runs' | '/audit' | '/health';
  name: Key;
  icon: IconName;
  /** One of these scopes is needed. */
  scopes: readonly string[];
}

export const SCREENS: readonly { title: Key | null; screens: readonly Screen[] }[] = [
  {
    title: null,
    screens: [
      { to: '/ask', name: 'ask.title', icon: 'message-circle-question-mark', scopes: ['knowledge:read'] },
      { to: '/search', name: 'search.title', icon: 'search', scopes: ['knowledge:read'] },
    ],
  },
  {
    title: 'shell.knowledge',
    screens: [
      { to: '/sources', name: 'sources.title', icon: 'file-text', scopes: ['knowledge:read', 'ingestion:manage'] },
    ],
  },
  {
    title: 'shell.operation',
    screens: [
      { to: '/connectors', name: 'connectors.title', icon: 'plug', scopes: ['ingestion:manage'] },
      { to: '/runs', name: 'runs.title', icon: 'activity', scopes: ['knowledge:read', 'ingestion:manage'] },
      { to: '/audit', name: 'audit.title', icon: 'scroll-text', scopes: ['audit:read'] },
      { to: '/health', name: 'health.title', icon: 'shield-check', scopes: ['knowledge:read', 'ingestion:manage'] },
    ],
  },
];

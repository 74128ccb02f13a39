/** The screens of the menu and of the palette. A screen that is not built is not here. */
import type { IconName } from '../parts/icon-paths.ts';
import type { Key } from '../words/words.ts';

export interface Screen {
  to:
    | '/overview'
    | '/ask'
    | '/search'
    | '/agents'
    | '/connect'
    | '/sources'
    | '/tables'
    | '/tags'
    | '/columns'
    | '/keys'
    | '/secrets'
    | '/connectors'
    | '/runs'
    | '/evaluation'
    | '/health'
    | '/audit'
    | '/policies'
    | '/subjects'
    | '/redaction';
  name: Key;
  icon: IconName;
  /** One of these scopes is needed. */
  scopes: readonly string[];
}

export const SCREENS: readonly { title: Key | null; screens: readonly Screen[] }[] = [
  {
    title: null,
    screens: [
      {
        to: '/overview',
        name: 'overview.title',
        icon: 'layout-dashboard',
        scopes: ['ingestion:manage', 'apikeys:issue'],
      },
      { to: '/ask', name: 'ask.title', icon: 'message-circle-question-mark', scopes: ['inference:run'] },
      { to: '/search', name: 'search.title', icon: 'search', scopes: ['knowledge:read'] },
      { to: '/agents', name: 'agents.title', icon: 'bot', scopes: ['inference:run'] },
      { to: '/connect', name: 'connect.title', icon: 'cable', scopes: ['knowledge:read', 'inference:run'] },
    ],
  },
  {
    title: 'shell.knowledge',
    screens: [
      { to: '/sources', name: 'sources.title', icon: 'file-text', scopes: ['knowledge:read', 'ingestion:manage'] },
      { to: '/tables', name: 'tables.title', icon: 'table', scopes: ['knowledge:read'] },
      { to: '/tags', name: 'tags.title', icon: 'tag', scopes: ['knowledge:read'] },
      { to: '/columns', name: 'columns.title', icon: 'braces', scopes: ['knowledge:read'] },
    ],
  },
  {
    title: 'shell.control',
    screens: [
      { to: '/policies', name: 'policies.title', icon: 'shield-check', scopes: ['authz:grant'] },
      { to: '/subjects', name: 'subjects.title', icon: 'users', scopes: ['authz:grant'] },
      {
        to: '/redaction',
        name: 'redaction.title',
        icon: 'eye-off',
        scopes: ['policy:redaction:manage'],
      },
      { to: '/keys', name: 'apiKeys.title', icon: 'key-round', scopes: ['apikeys:issue'] },
      { to: '/secrets', name: 'secrets.title', icon: 'lock', scopes: ['ingestion:manage'] },
    ],
  },
  {
    title: 'shell.operation',
    screens: [
      { to: '/connectors', name: 'connectors.title', icon: 'plug', scopes: ['ingestion:manage'] },
      { to: '/runs', name: 'runs.title', icon: 'activity', scopes: ['knowledge:read', 'ingestion:manage'] },
      { to: '/evaluation', name: 'evaluation.title', icon: 'circle-check', scopes: ['knowledge:write'] },
      { to: '/audit', name: 'audit.title', icon: 'scroll-text', scopes: ['audit:read'] },
      { to: '/health', name: 'health.title', icon: 'monitor', scopes: ['knowledge:read', 'ingestion:manage'] },
    ],
  },
];

/** Returns the parts of the menu with the screens that a key with these scopes may use. */
export function screensFor(scopes: readonly string[]): typeof SCREENS {
  return SCREENS.map(({ title, screens }) => ({
    title,
    screens: screens.filter((screen) => screen.scopes.some((scope) => scopes.includes(scope))),
  })).filter(({ screens }) => screens.length > 0);
}

/** Returns the screen that the console begins with: what needs the reader, else Sources, else the first that the key may use. */
export function firstScreen(scopes: readonly string[]): Screen['to'] {
  const offered = screensFor(scopes).flatMap(({ screens }) => screens.map(({ to }) => to));
  return offered.find((to) => to === '/overview' || to === '/sources') ?? offered[0] ?? '/sources';
}

/** Returns the screen of an address below `/console` if a key with these scopes may not use it. */
export function refusedScreen(path: string, scopes: readonly string[]): Screen | undefined {
  return SCREENS.flatMap(({ screens }) => screens).find(
    ({ to, scopes: wanted }) =>
      (path === to || path.startsWith(`${to}/`)) && !wanted.some((scope) => scopes.includes(scope)),
  );
}

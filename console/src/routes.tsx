/** The screens and their addresses. What a reader chose stands in the address: it can be sent to somebody else. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { PinakesError } from './data/api.ts';
import { Opening } from './parts/layout.tsx';
import { readAgentFilters } from './screens/agents/filters.ts';
import { readAuditSearch } from './screens/audit/filters.ts';
import { readFileChange, readRunFilters } from './screens/runs/filters.ts';
import { readFilters } from './screens/sources/filters.ts';
import { readTableRequest } from './screens/tables/table-query.ts';
import { Broken } from './shell/broken.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { Start } from './shell/start.tsx';
import { loadAgentsWords, loadControlWords, loadTablesWords, say } from './words/words.ts';

/** A text of the address. The router has already read what looks like JSON: the year of `?q=1874`, or a filter that somebody typed. */
const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value || undefined : (JSON.stringify(value ?? undefined) as string | undefined);
const whole = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;

interface SourceSearch {
  start?: number | undefined;
  end?: number | undefined;
  page?: number | undefined;
  view?: 'text' | undefined;
  /** The principal whose view of the source is shown, and the policy that decides. */
  as?: string | undefined;
  policy?: string | undefined;
}
interface SearchSearch {
  q?: string | undefined;
  mode?: 'lexical' | 'semantic' | undefined;
  filter?: string | undefined;
}
interface AskSearch {
  q?: string | undefined;
  conversation?: string | undefined;
  message?: string | undefined;
}

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/**
 * Returns a screen that is loaded when it is first shown. When its files are gone from a service that answers, the service is a newer one:
 * the router then loads the page anew. From a service that does not answer, that would leave the browser with an empty page.
 */
const lazyScreen = <T extends Record<string, unknown>, Name extends keyof T>(load: () => Promise<T>, name: Name) =>
  lazyRouteComponent(
    () =>
      load().catch(async (error: unknown) => {
        await fetch('/readyz').catch(() => {
          throw new PinakesError(0, '', say('error.connection'), null);
        });
        throw error;
      }),
    name,
  );

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Start,
});
const overview = createRoute({
  getParentRoute: () => root,
  path: '/overview',
  component: lazyScreen(() => import('./screens/overview/overview.tsx'), 'Overview'),
});
const sources = createRoute({
  getParentRoute: () => root,
  path: '/sources',
  validateSearch: readFilters,
  component: lazyScreen(() => import('./screens/sources/sources.tsx'), 'Sources'),
});
const source = createRoute({
  getParentRoute: () => root,
  path: '/sources/$id',
  validateSearch: (given: Record<string, unknown>): SourceSearch => ({
    start: whole(given['start']),
    end: whole(given['end']),
    page: whole(given['page']),
    view: given['view'] === 'text' ? 'text' : undefined,
    as: text(given['as']),
    policy: text(given['policy']),
  }),
  component: lazyScreen(() => import('./screens/source/source.tsx'), 'Source'),
});
const search = createRoute({
  getParentRoute: () => root,
  path: '/search',
  validateSearch: (given: Record<string, unknown>): SearchSearch => ({
    q: text(given['q']),
    mode: given['mode'] === 'lexical' || given['mode'] === 'semantic' ? given['mode'] : undefined,
    filter: text(given['filter']),
  }),
  component: lazyScreen(() => import('./screens/search/search.tsx'), 'Search'),
});
const ask = createRoute({
  getParentRoute: () => root,
  path: '/ask',
  validateSearch: (given: Record<string, unknown>): AskSearch => ({
    q: text(given['q']),
    conversation: text(given['conversation']),
    message: text(given['message']),
  }),
  component: lazyScreen(() => import('./screens/ask/ask.tsx'), 'Ask'),
});

/** Loads a screen under Control together with its words. */
const controlScreen = <T extends Record<string, unknown>, Name extends keyof T>(load: () => Promise<T>, name: Name) =>
  lazyScreen(async () => (await Promise.all([load(), loadControlWords()]))[0], name);

const named = (given: Record<string, unknown>): { q?: string | undefined } => ({ q: text(given['q']) });
const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: named,
  component: controlScreen(() => import('./screens/keys/keys.tsx'), 'Keys'),
});
const tags = createRoute({
  getParentRoute: () => root,
  path: '/tags',
  validateSearch: named,
  component: controlScreen(() => import('./screens/tags/tags.tsx'), 'Tags'),
});
const columns = createRoute({
  getParentRoute: () => root,
  path: '/columns',
  component: controlScreen(() => import('./screens/columns/columns.tsx'), 'Columns'),
});
const secrets = createRoute({
  getParentRoute: () => root,
  path: '/secrets',
  validateSearch: named,
  component: controlScreen(() => import('./screens/secrets/secrets.tsx'), 'Secrets'),
});

/** Loads a screen of tables together with its words. */
const tablesScreen = <T extends Record<string, unknown>, Name extends keyof T>(load: () => Promise<T>, name: Name) =>
  lazyScreen(async () => (await Promise.all([load(), loadTablesWords()]))[0], name);
const tables = createRoute({
  getParentRoute: () => root,
  path: '/tables',
  validateSearch: named,
  component: tablesScreen(() => import('./screens/tables/tables.tsx'), 'Tables'),
});
const table = createRoute({
  getParentRoute: () => root,
  path: '/tables/$id',
  validateSearch: readTableRequest,
  component: tablesScreen(() => import('./screens/tables/table-page.tsx'), 'TablePage'),
});

const connectors = createRoute({
  getParentRoute: () => root,
  path: '/connectors',
  validateSearch: (given: Record<string, unknown>): { id?: string | undefined; add?: true | undefined } => ({
    id: text(given['id']),
    add: given['add'] === true ? true : undefined,
  }),
  component: lazyScreen(() => import('./screens/connectors/connectors.tsx'), 'Connectors'),
});
const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: readRunFilters,
  component: lazyScreen(() => import('./screens/runs/runs.tsx'), 'Runs'),
});
const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$id',
  validateSearch: readFileChange,
  component: lazyScreen(() => import('./screens/runs/run.tsx'), 'Run'),
});

/** Loads a screen of agent runs together with its words. */
const agentsScreen = <T extends Record<string, unknown>, Name extends keyof T>(load: () => Promise<T>, name: Name) =>
  lazyScreen(async () => (await Promise.all([load(), loadAgentsWords()]))[0], name);
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  validateSearch: readAgentFilters,
  component: agentsScreen(() => import('./screens/agents/agents.tsx'), 'Agents'),
});
const agentRun = createRoute({
  getParentRoute: () => root,
  path: '/agents/$id',
  component: agentsScreen(() => import('./screens/agents/agent-run.tsx'), 'AgentRun'),
});
const connect = createRoute({
  getParentRoute: () => root,
  path: '/connect',
  component: agentsScreen(() => import('./screens/connect/connect.tsx'), 'Connect'),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: readAuditSearch,
  component: lazyScreen(() => import('./screens/audit/audit.tsx'), 'Audit'),
});
const evaluation = createRoute({
  getParentRoute: () => root,
  path: '/evaluation',
  component: lazyScreen(() => import('./screens/evaluation/evaluation.tsx'), 'Evaluation'),
});
const questionSet = createRoute({
  getParentRoute: () => root,
  path: '/evaluation/$id',
  validateSearch: (given: Record<string, unknown>): { run?: string | undefined; with?: string | undefined } => ({
    run: text(given['run']),
    with: text(given['with']),
  }),
  component: lazyScreen(() => import('./screens/evaluation/question-set.tsx'), 'QuestionSet'),
});
const judge = createRoute({
  getParentRoute: () => root,
  path: '/evaluation/$id/$question',
  component: lazyScreen(() => import('./screens/evaluation/judge.tsx'), 'Judge'),
});
const health = createRoute({
  getParentRoute: () => root,
  path: '/health',
  component: lazyScreen(() => import('./screens/health/health.tsx'), 'Health'),
});
const policies = createRoute({
  getParentRoute: () => root,
  path: '/policies',
  validateSearch: (given: Record<string, unknown>): { name?: string | undefined } => ({ name: text(given['name']) }),
  component: controlScreen(() => import('./screens/policies/policies.tsx'), 'Policies'),
});
const subjects = createRoute({
  getParentRoute: () => root,
  path: '/subjects',
  validateSearch: named,
  component: controlScreen(() => import('./screens/subjects/subjects.tsx'), 'Subjects'),
});

const redaction = createRoute({
  getParentRoute: () => root,
  path: '/redaction',
  component: controlScreen(() => import('./screens/redaction/redaction.tsx'), 'Redaction'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    overview,
    sources,
    source,
    tables,
    table,
    search,
    ask,
    agents,
    agentRun,
    connect,
    keys,
    tags,
    columns,
    secrets,
    connectors,
    runs,
    run,
    evaluation,
    questionSet,
    judge,
    health,
    audit,
    policies,
    subjects,
    redaction,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingComponent: Opening,
  defaultErrorComponent: Broken,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

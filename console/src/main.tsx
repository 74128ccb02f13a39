import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { PinakesError } from './data/api.ts';
import { loadWords } from './words/words.ts';
import './styles.css';

/** A refusal stays one: only failures of the connection and of the service are tried again. */
const retry = (failures: number, error: Error) =>
  failures < 2 && !(error instanceof PinakesError && error.status < 500);
const queries = new QueryClient({ defaultOptions: { queries: { staleTime: 15_000, retry } } });

await loadWords();
createRoot(document.getElementById('root')!).render(
  <CSPProvider disableStyleElements>
    <QueryClientProvider client={queries}>
      <Tooltip.Provider delay={300}>
        <App />
      </Tooltip.Provider>
    </QueryClientProvider>
  </CSPProvider>,
);

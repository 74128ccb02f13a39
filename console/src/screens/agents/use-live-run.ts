import { useCallback, useEffect, useRef, useState } from 'react';
import { type AgentView, NO_VIEW } from '../../data/agents/agent-view.ts';
import { streamAgentRun } from '../../data/agents/agents.ts';
import { inWords } from '../../data/api.ts';

/**
 * Returns a run that lives with this page, as its events arrive.
 *
 * @param ended is called with the id of the run at its end, also when it was stopped.
 */
export function useLiveRun(ended: (id: string) => void) {
  const [view, setView] = useState<AgentView | null>(null);
  const [question, setQuestion] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef<AbortController>(undefined);
  const latest = useRef(ended);
  latest.current = ended;
  useEffect(() => () => running.current?.abort(), []);

  const start = useCallback(async (asked: string) => {
    const abort = new AbortController();
    running.current = abort;
    setQuestion(asked);
    setProblem(null);
    setView(NO_VIEW);
    let last: AgentView = NO_VIEW;
    try {
      for await (const next of streamAgentRun(asked, abort.signal)) {
        last = next;
        setView(next);
      }
    } catch (error) {
      if (!abort.signal.aborted) setProblem(inWords(error));
    }
    if (running.current !== abort) return;
    if (last.runId === null) setView(null);
    else latest.current(last.runId);
  }, []);

  return { view, question, problem, start, stop: () => running.current?.abort() };
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type AgentView, NO_VIEW } from '../../data/agents/agent-view.ts';
import {
  type AgentRun as AgentRunRecord,
  cancelAgentRun,
  followAgentRun,
  isActive,
  readAgentRun,
} from '../../data/agents/agents.ts';
import { hasNothing, inWords } from '../../data/api.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, Spinner } from '../../parts/layout.tsx';
import { useMutation } from '../../parts/use-change.ts';
import { useScope } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';
import { RunBody } from './run-body.tsx';
import { RunTitle } from './run-title.tsx';

const route = getRouteApi('/agents/$id');
const AGENT_RUN = 'agent-run';

/** A stored run. Its events are followed until it ends. */
export function AgentRun() {
  const { id } = route.useParams();
  const queries = useQueryClient();
  const query = useQuery({ queryKey: [AGENT_RUN, id], queryFn: () => readAgentRun(id) });
  const [view, setView] = useState<AgentView>(NO_VIEW);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    const follow = async () => {
      setView(NO_VIEW);
      setProblem(null);
      for await (const next of followAgentRun(id, abort.signal)) setView(next);
      await queries.invalidateQueries({ queryKey: [AGENT_RUN, id] });
    };
    follow().catch((error: unknown) => {
      if (!abort.signal.aborted) setProblem(inWords(error));
    });
    return () => abort.abort();
  }, [id, queries]);

  if (hasNothing(query)) return <Empty icon="circle-alert" title={say('agents.missing')} text={inWords(query.error)} />;
  const run = query.data;
  if (!run)
    return (
      <div className="p-4">
        <Spinner label={say('loading')} />
      </div>
    );
  return (
    <>
      <RunTitle question={run.input}>
        <Actions run={run} isOver={view.answer.finish !== null} />
      </RunTitle>
      <RunBody question={run.input} view={view} run={run} problem={problem} />
    </>
  );
}

function Actions({ run, isOver }: { run: AgentRunRecord; isOver: boolean }) {
  const mayRead = useScope('knowledge:read');
  const cancel = useMutation({ mutationFn: () => cancelAgentRun(run.id) });
  const goesOn = isActive(run) && !isOver;
  return (
    <>
      {cancel.error && goesOn && (
        <span role="alert" className="flex min-w-0 items-center gap-1.5 text-bad">
          <Icon name="circle-alert" size={14} />
          <span className="truncate">{inWords(cancel.error)}</span>
        </span>
      )}
      {goesOn && (
        <Button icon="circle-stop" busy={cancel.isPending || cancel.isSuccess} onClick={() => cancel.mutate()}>
          {say('agents.cancel')}
        </Button>
      )}
      {mayRead && run.conversation_id !== null && (
        <Link to="/ask" search={{ conversation: run.conversation_id }} className={buttonClass()}>
          <Icon name="message-circle-question-mark" size={14} />
          {say('agents.conversation')}
        </Link>
      )}
    </>
  );
}

import type { AgentView } from '../../data/agents/agent-view.ts';
import { Button } from '../../parts/button.tsx';
import { say } from '../../words/words.ts';
import { RunBody } from './run-body.tsx';
import { RunTitle } from './run-title.tsx';

/** A run that ends with this page. */
export function LiveRun({ question, view, stop }: { question: string; view: AgentView; stop(): void }) {
  return (
    <>
      <RunTitle question={question}>
        <Button icon="circle-stop" onClick={stop}>
          {say('agents.cancel')}
        </Button>
      </RunTitle>
      <RunBody question={question} view={view} run={undefined} />
    </>
  );
}

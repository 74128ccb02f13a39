import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { PinakesError } from '../data/api.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/layout.tsx';
import { say } from '../words/words.ts';

/** Stands in place of a screen that could not be loaded or drawn. The menu and what was typed elsewhere stay. */
export function Broken({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Empty
      icon="circle-alert"
      title={<h1>{say('error.screen')}</h1>}
      text={error instanceof PinakesError ? error.message : String(error)}
    >
      <Button onClick={() => void router.invalidate()}>{say('action.retry')}</Button>
    </Empty>
  );
}

import { say } from '../words/words.ts';
import { Button } from './button.tsx';
import { useCopy } from './use-copy.ts';

/** Copies a text, and says so for a moment. `name` tells the button from others to those who do not see what stands beside it. */
export function CopyButton({ text, label, name }: { text: string; label?: string; name?: string }) {
  const [copied, copy] = useCopy();
  return (
    <Button
      size="small"
      icon={copied ? 'check' : 'copy'}
      aria-label={copied ? undefined : name}
      onClick={() => copy(text)}
    >
      {copied ? say('action.copied') : (label ?? say('action.copy'))}
    </Button>
  );
}

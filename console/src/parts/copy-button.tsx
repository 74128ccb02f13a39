import { say } from '../words/words.ts';
import { Button, type Look } from './button.tsx';
import { useCopy } from './use-copy.ts';

interface CopyProps {
  text: string;
  label?: string;
  /** Tells the button from others to those who do not see what stands beside it. */
  name?: string;
  look?: Look;
}

/** Copies a text, and says so for a moment. */
export function CopyButton({ text, label, name, look = 'secondary' }: CopyProps) {
  const [copied, copy] = useCopy();
  return (
    <Button
      look={look}
      size="small"
      icon={copied ? 'check' : 'copy'}
      aria-label={copied ? undefined : name}
      onClick={() => copy(text)}
    >
      {copied ? say('action.copied') : (label ?? say('action.copy'))}
    </Button>
  );
}

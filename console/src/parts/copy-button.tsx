import { useState } from 'react';
import { say } from '../words/words.ts';
import { Button } from './button.tsx';

const SHOWN_MS = 1_500;

/** Copies a text, and says so for a moment. `name` tells the button from others to those who do not see what stands beside it. */
export function CopyButton({ text, label, name }: { text: string; label?: string; name?: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  }
  return (
    <Button size="small" icon={copied ? 'check' : 'copy'} aria-label={copied ? undefined : name} onClick={copy}>
      {copied ? say('action.copied') : (label ?? say('action.copy'))}
    </Button>
  );
}

import { useState } from 'react';
import { say } from '../words/words.ts';
import { Button, Hint } from './button.tsx';

const SHOWN_MS = 1_500;

export function CopyButton({ text, label = say('action.copy') }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  }
  return (
    <Hint label={copied ? say('action.copied') : label}>
      <Button look="ghost" size="small" icon={copied ? 'check' : 'copy'} aria-label={label} onClick={copy} />
    </Hint>
  );
}

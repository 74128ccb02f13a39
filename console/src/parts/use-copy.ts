import { useState } from 'react';

const SHOWN_MS = 1_500;

/** Returns what copies a text, and whether that was a moment ago. */
export function useCopy(): [copied: boolean, copy: (text: string) => Promise<void>] {
  const [copied, setCopied] = useState(false);
  async function copy(text: string) {
    await write(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  }
  return [copied, copy];
}

/** The clipboard has no object where the page comes over http from another machine: there a handler of the command gives the text. */
async function write(text: string): Promise<void> {
  if (navigator.clipboard as Clipboard | undefined) return navigator.clipboard.writeText(text);
  const give = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', give);
  try {
    if (!document.execCommand('copy')) throw new Error('The browser does not copy.');
  } finally {
    document.removeEventListener('copy', give);
  }
}

import { useState } from 'react';
import { sampleRequest } from '../../data/key-facts.ts';
import type { IssuedKey } from '../../data/keys.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Window } from '../../parts/dialog.tsx';
import { Tick } from '../../parts/form.tsx';
import { say } from '../../words/words.ts';

/** Shows a new key, once. The window closes only when the reader has saved the key. */
export function NewKeyShown({ issued, close }: { issued: IssuedKey; close(): void }) {
  const [saved, setSaved] = useState(false);
  const request = sampleRequest(issued.key, issued.scopes, location.origin);
  return (
    <Window wide title={say('apiKeys.new')} text={say('apiKeys.newText')} close={() => saved && close()}>
      <div className="mt-4 flex items-center gap-2 rounded-lg border border-line bg-sunken p-2 ps-3">
        <output dir="ltr" aria-label={say('apiKeys.key')} className="min-w-0 flex-1 font-mono text-xs break-all">
          {issued.key}
        </output>
        <CopyButton text={issued.key} />
      </div>
      {request !== null && <Request text={request} />}
      <div className="mt-5 flex items-center justify-between gap-4">
        <Tick label={say('apiKeys.saved')} checked={saved} onChange={() => setSaved(!saved)} />
        <Button look="primary" disabled={!saved} onClick={close}>
          {say('action.done')}
        </Button>
      </div>
    </Window>
  );
}

/** The request that tries the key. */
function Request({ text }: { text: string }) {
  return (
    <>
      <div className="mt-4 mb-1.5 flex items-end justify-between">
        <h3 className="text-xs font-medium text-ink-2">{say('apiKeys.try')}</h3>
        <CopyButton text={text} label={say('apiKeys.copyRequest')} />
      </div>
      <pre
        tabIndex={0}
        dir="ltr"
        className="scroll rounded-lg border border-line bg-sunken p-3 font-mono text-[11px] leading-[17px] text-ink-2"
      >
        {text}
      </pre>
    </>
  );
}

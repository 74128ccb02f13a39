import { type ReactNode, useEffect } from 'react';
import { say } from '../words/words.ts';
import { Icon, type IconName } from './icon.tsx';

/** The head of a screen. Its title is also that of the browser's tab, and of the entry in its history. */
export function Header({ title, count, children }: { title: ReactNode; count?: ReactNode; children?: ReactNode }) {
  useEffect(() => {
    if (typeof title === 'string') document.title = `${title} · Pinakes`;
  }, [title]);
  return (
    <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <div className="flex min-w-0 flex-1 basis-40 items-center gap-2">
        <h1 className="min-w-0 truncate text-base font-semibold">{title}</h1>
        {count !== undefined && (
          <span role="status" className="num text-sm text-ink-3">
            {count}
          </span>
        )}
      </div>
      <div className="ms-auto flex flex-wrap items-center justify-end gap-1.5">{children}</div>
    </header>
  );
}

/** What is missing, why, and one action. */
export function Empty({
  icon,
  title,
  text,
  children,
}: {
  icon: IconName;
  title: ReactNode;
  text: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="grid min-h-64 flex-1 place-items-center p-6">
      <div className="flex max-w-sm flex-col items-center text-center">
        <div className="mb-4 grid size-11 place-items-center rounded-xl border border-line bg-sunken text-ink-3">
          <Icon name={icon} size={18} />
        </div>
        <div className="text-base font-medium">{title}</div>
        <p dir="auto" className="mt-1 text-ink-3">
          {text}
        </p>
        {children && <div className="mt-4 flex gap-2">{children}</div>}
      </div>
    </div>
  );
}

/** An error in words, with what can be done about it. */
export function Problem({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div
      role="alert"
      className="flex items-start gap-2 rounded-lg border border-bad/30 bg-bad-soft px-3 py-2.5 text-ink"
    >
      <Icon name="circle-alert" size={15} className="mt-0.5 text-bad" />
      <div className="min-w-0 flex-1" dir="auto">
        {text}
      </div>
      {children}
    </div>
  );
}

/** Says above what was read before that it could not be read again. */
export function NotRefreshed({ text, retry }: { text: string; retry(): void }) {
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-sunken px-4 py-1.5 text-xs text-ink-2"
    >
      <Icon name="triangle-alert" size={13} className="text-warn" />
      <span className="min-w-0 flex-1" dir="auto">
        {say('error.notRefreshed')} {text}
      </span>
      <button type="button" onClick={retry} className="rounded-sm font-medium underline">
        {say('action.retry')}
      </button>
    </div>
  );
}

const GLYPHS: Readonly<Record<string, string>> = {
  pdf: 'PDF',
  docx: 'DOC',
  odt: 'ODT',
  rtf: 'RTF',
  pptx: 'PPT',
  odp: 'ODP',
  xlsx: 'XLS',
  ods: 'ODS',
  csv: 'CSV',
  tsv: 'TSV',
  txt: 'TXT',
  md: 'MD',
  html: 'WEB',
  json: 'JSON',
  jsonl: 'JSON',
  xml: 'XML',
  yaml: 'YML',
  epub: 'EPUB',
  eml: 'EML',
  ipynb: 'NB',
  code: '{ }',
};

/** The type of a file in a few letters; the ending of its name while the type is not known. */
export function FileGlyph({ type, name }: { type: string; name?: string }) {
  const ending = /\.([A-Za-z0-9]{1,4})$/.exec(name ?? '')?.[1]?.toUpperCase();
  return (
    <span
      aria-hidden="true"
      className="grid h-[18px] w-[30px] shrink-0 place-items-center rounded-sm border border-line bg-sunken text-[9px] font-bold tracking-tight text-ink-2"
    >
      {GLYPHS[type] ?? ending ?? '·'}
    </span>
  );
}

export function Kbd({ children }: { children: ReactNode }) {
  return <kbd className="kbd">{children}</kbd>;
}

const KEYS = { move: ['J', 'K'], select: ['X'], peek: ['P'], open: ['↵'] } as const;

/** The bar below a list with the keys that work in it, and what else is to be said. */
export function KeyBar({ keys, children }: { keys: readonly (keyof typeof KEYS)[]; children?: ReactNode }) {
  return (
    <footer className="flex h-8 print:hidden shrink-0 items-center gap-3 border-t border-line px-4 text-xs text-ink-3 max-sm:hidden">
      {keys.map((name) => (
        <span key={name} className="flex items-center gap-1.5">
          {KEYS[name].map((key) => (
            <Kbd key={key}>{key === '↵' ? <Icon name="corner-down-left" size={11} /> : key}</Kbd>
          ))}
          {say(`keys.${name}`)}
        </span>
      ))}
      {children && <span className="ms-auto truncate max-md:hidden">{children}</span>}
    </footer>
  );
}

/** The mark of `index.html` while the session or a screen is on its way: the reader sees that something comes. */
export function Opening() {
  return <span className="spin opening" role="progressbar" aria-label="Pinakes" />;
}

export function Spinner({ label }: { label: string }) {
  return (
    <span role="status" className="inline-flex items-center gap-2 text-ink-3">
      <Icon name="loader-circle" size={14} className="spin text-accent" />
      {label}
    </span>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { KEY_PLACE, mcpPrograms, openAiExample, type Program } from '../../data/agents/programs.ts';
import { inWords } from '../../data/api.ts';
import { readService } from '../../data/health.ts';
import { buttonClass } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Header, Problem, Spinner } from '../../parts/layout.tsx';
import { Rich } from '../../parts/rich.tsx';
import { useScope, useSession } from '../../shell/use-session.ts';
import { say } from '../../words/words.ts';

/** How programs use the service: settings to copy, and what the present key would show them. */
export function Connect() {
  const url = location.origin;
  return (
    <>
      <Header title={say('connect.title')} />
      <div className="scroll min-h-0 flex-1 outline-offset-[-2px]" tabIndex={0}>
        <div className="mx-auto flex w-full max-w-[880px] flex-col gap-10 px-4 py-6 sm:px-6">
          <Mcp url={url} />
          <Tools />
          <OpenAi url={url} />
        </div>
      </div>
    </>
  );
}

function Part({ title, text, children }: { title: string; text: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="text-lg font-semibold">{title}</h2>
      <p className="mt-0.5 mb-4 text-ink-2">{text}</p>
      {children}
    </section>
  );
}

function Mcp({ url }: { url: string }) {
  const programs = mcpPrograms(url);
  const [chosen, setChosen] = useState(programs[0]!.name);
  const program = programs.find(({ name }) => name === chosen) ?? programs[0]!;
  return (
    <Part title={say('connect.mcp')} text={say('connect.mcpText')}>
      <Facts facts={[[say('connect.address'), `${url}/mcp`]]} />
      <fieldset className="mt-4">
        <legend className="sr-only">{say('connect.program')}</legend>
        <div className="inline-flex max-w-full flex-wrap gap-1 rounded-lg bg-press p-1">
          {programs.map(({ name }) => (
            <label
              key={name}
              className="flex h-7 items-center rounded-md px-3 text-ink-2 hover:text-ink has-checked:bg-raised has-checked:font-medium has-checked:text-ink has-checked:shadow-1 has-focus-visible:outline-2 has-focus-visible:outline-accent"
            >
              <input
                type="radio"
                name="program"
                value={name}
                checked={name === chosen}
                onChange={() => setChosen(name)}
                className="sr-only"
              />
              {name}
            </label>
          ))}
        </div>
      </fieldset>
      <Settings program={program} />
      <KeyHint scope="knowledge:read" />
    </Part>
  );
}

function Settings({ program: { name, file, settings } }: { program: Program }) {
  return (
    <Snippet
      text={settings}
      label={say('connect.copy', { name })}
      caption={
        file === null ? say('connect.command') : <Rich id="connect.file" file={<code className="code">{file}</code>} />
      }
    />
  );
}

function Snippet({ text, caption, label }: { text: string; caption: ReactNode; label: string }) {
  return (
    <figure className="mt-3 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex h-10 items-center gap-2 border-b border-line ps-3 pe-2 text-xs text-ink-2">
        <span className="min-w-0 truncate">{caption}</span>
        <span className="ms-auto" title={label}>
          <CopyButton text={text} />
        </span>
      </figcaption>
      <pre dir="ltr" tabIndex={0} className="scroll p-3 font-mono text-xs leading-5 outline-offset-[-2px]">
        {text}
      </pre>
    </figure>
  );
}

/** Where the key of the settings comes from. */
function KeyHint({ scope }: { scope: string }) {
  const mayIssue = useScope('apikeys:issue');
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 text-ink-2">
      <span className="flex min-w-0 items-start gap-2">
        <Icon name="key-round" size={14} className="mt-[3px] shrink-0 text-ink-3" />
        <span>
          <Rich
            id="connect.key"
            place={<code className="code">{KEY_PLACE}</code>}
            scope={<code className="code">{scope}</code>}
          />{' '}
          {!mayIssue && say('connect.askKey')}
        </span>
      </span>
      {mayIssue && (
        <Link to="/keys" search={{}} className={buttonClass('secondary', 'small')}>
          {say('connect.makeKey')}
        </Link>
      )}
    </div>
  );
}

function Tools() {
  const session = useSession();
  const mayRead = useScope('knowledge:read', 'ingestion:manage');
  const service = useQuery({ queryKey: ['service'], queryFn: readService, enabled: mayRead });
  const tools = mayRead ? service.data?.tools : [];
  return (
    <Part title={say('connect.tools')} text={say('connect.toolsText', { key: session.api_key_name })}>
      {service.isError && <Problem text={inWords(service.error)} />}
      {!service.isError && tools === undefined && <Spinner label={say('loading')} />}
      {tools?.length === 0 && (
        <p className="text-ink-3">
          <Rich id="connect.noTools" scope={<code className="code">knowledge:read</code>} />
        </p>
      )}
      {tools !== undefined && tools.length > 0 && (
        <ul className="overflow-hidden rounded-lg border border-line">
          {tools.map(({ name, description }) => (
            <li
              key={name}
              className="grid grid-cols-[10rem_minmax(0,1fr)] gap-4 border-b border-line px-3 py-2.5 last:border-0 max-sm:grid-cols-1"
            >
              <span className="font-mono text-xs leading-5 font-medium">{name}</span>
              <span className="text-ink-2" lang="en" dir="ltr">
                {description}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function OpenAi({ url }: { url: string }) {
  return (
    <Part title={say('connect.openAi')} text={say('connect.openAiText')}>
      <Facts
        facts={[
          [say('connect.baseUrl'), `${url}/v1`],
          [say('connect.apiKey'), KEY_PLACE],
        ]}
        more={[say('connect.model'), say('connect.models')]}
      />
      <Snippet
        text={openAiExample(url)}
        caption={say('connect.python')}
        label={say('connect.copy', { name: 'Python' })}
      />
      <KeyHint scope="inference:run" />
    </Part>
  );
}

/** Values that a program asks for. Those of `facts` can be copied. */
function Facts({ facts, more }: { facts: readonly (readonly [string, string])[]; more?: readonly [string, string] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] items-center gap-x-4 gap-y-2">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="flex min-w-0 items-center gap-2">
            <code dir="ltr" className="code truncate">
              {value}
            </code>
            {value !== KEY_PLACE && <CopyButton text={value} />}
          </dd>
        </div>
      ))}
      {more && (
        <div className="contents">
          <dt className="text-ink-3">{more[0]}</dt>
          <dd>{more[1]}</dd>
        </div>
      )}
    </dl>
  );
}

/** Settings of the doors for other programs: `/mcp` and `/v1`. */
import { isObject } from '../is-object.ts';
import { ConfigError, type SettingsReader, show } from './settings-reader.ts';

export interface DoorSettings {
  /** Origins such as `https://chat.example.com` whose web pages may call `/mcp`. */
  mcpOrigins: readonly string[];
  /** Parameters of completions by the name of the model in `/v1`. completions/openai/presets.ts checks them. */
  presets: Readonly<Record<string, unknown>>;
  /** Whether answers of `/v1` end with their citations as text. */
  footnotes: boolean;
}

export const PRESETS_EXAMPLE = '{"handbook": {"tags": ["handbook"], "limit": 5}}';

export function readDoorSettings(read: SettingsReader): DoorSettings {
  return {
    mcpOrigins: readOrigins(read),
    presets: readPresets(read),
    footnotes: read.choice('PINAKES_FOOTNOTES', ['off', 'on'], 'off') === 'on',
  };
}

function readPresets(read: SettingsReader): Record<string, unknown> {
  let presets: unknown;
  try {
    presets = JSON.parse(read.text('PINAKES_PRESETS', '{}'));
  } catch {}
  if (isObject(presets)) return presets;
  throw new ConfigError('PINAKES_PRESETS', 'must be a JSON object of presets by name', `'${PRESETS_EXAMPLE}'`);
}

function readOrigins(read: SettingsReader): string[] {
  const entries = read.text('PINAKES_MCP_ALLOWED_ORIGINS', '').split(',');
  return entries.flatMap((entry) => {
    const origin = entry.trim().toLowerCase();
    if (origin === '') return [];
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      throw new ConfigError(
        'PINAKES_MCP_ALLOWED_ORIGINS',
        `has an entry that is not an origin: ${show(entry.trim())}`,
        'https://chat.example.com,http://localhost:6274',
      );
    }
    return [origin];
  });
}

/** Settings of the doors for other programs: `/mcp` and `/v1`. */
import { ConfigError, type SettingsReader, show } from './settings-reader.ts';

export interface DoorSettings {
  /** Origins such as `https://chat.example.com` whose web pages may call `/mcp`. */
  mcpOrigins: readonly string[];
}

export function readDoorSettings(read: SettingsReader): DoorSettings {
  return { mcpOrigins: readOrigins(read) };
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

/** The settings with which programs connect to the service. They are those of docs/mcp.md and docs/openai.md. */

export interface Program {
  name: string;
  /** The file that has the settings; null: a command of a terminal. */
  file: string | null;
  settings: string;
}

/** Stands for the key, which the console does not know. */
export const KEY_PLACE = 'pk_…';

const json = (value: object): string => JSON.stringify(value, null, 2);

/** Returns the settings of clients of MCP. @param url the address of the service. */
export function mcpPrograms(url: string): Program[] {
  const mcp = `${url}/mcp`;
  const headers = { 'x-api-key': KEY_PLACE };
  return [
    {
      name: 'Claude Code',
      file: null,
      settings: `claude mcp add --transport http pinakes ${mcp} --header "x-api-key: ${KEY_PLACE}"`,
    },
    {
      name: 'Claude Desktop',
      file: 'claude_desktop_config.json',
      settings: json({
        mcpServers: {
          pinakes: { command: 'pinakes', args: ['mcp'], env: { PINAKES_URL: url, PINAKES_API_KEY: KEY_PLACE } },
        },
      }),
    },
    { name: 'Cursor', file: '~/.cursor/mcp.json', settings: json({ mcpServers: { pinakes: { url: mcp, headers } } }) },
    {
      name: 'VS Code',
      file: '.vscode/mcp.json',
      settings: json({
        inputs: [{ type: 'promptString', id: 'pinakes-key', description: 'Pinakes API key', password: true }],
        // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code puts the key there
        servers: { pinakes: { type: 'http', url: mcp, headers: { 'x-api-key': '${input:pinakes-key}' } } },
      }),
    },
    {
      name: 'Codex',
      file: '~/.codex/config.toml',
      settings: `[mcp_servers.pinakes]\nurl = "${mcp}"\nbearer_token_env_var = "PINAKES_API_KEY"`,
    },
  ];
}

/** Returns the lines of a Python program for the OpenAI API. */
export function openAiExample(url: string): string {
  return `from openai import OpenAI

client = OpenAI(base_url="${url}/v1", api_key="${KEY_PLACE}")
answer = client.responses.create(model="pinakes", input="When is the last admission?")
print(answer.output_text)`;
}

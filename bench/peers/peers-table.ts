/**
 * Other gateways as they are measured next to ours: how each is installed, started and called. What one accounts for in
 * this setup is said in `does`, since a gateway that counts less is cheaper.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface PeerPlace {
  /** Where it is installed, and may write. */
  readonly folder: string
  readonly port: number
  readonly upstreamPort: number
}

export interface Peer {
  readonly name: string
  /** Work per request besides forwarding. */
  readonly does: string
  /** Commands that install it into the folder; left out where it is installed already. */
  readonly install: (folder: string) => readonly (readonly string[])[]
  /** Prints its version. */
  readonly version: (folder: string) => readonly string[]
  readonly start: (place: PeerPlace) => {
    readonly command: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  }
  readonly headers: (place: PeerPlace) => Readonly<Record<string, string>>
  /** Answers below 500 once it can serve. */
  readonly readyPath: string
  /** Requests per slice relative to ours; a slow program would take all of the time. */
  readonly share: number
}

/** Only the forwarding is measured: the upstream takes any key. */
const upstreamKey = 'bench'

export const peers: readonly Peer[] = [
  {
    name: 'portkey',
    does: 'forwards; no keys, budgets or log',
    install: (folder) =>
      existsSync(join(folder, 'node_modules/@portkey-ai/gateway'))
        ? []
        : [['npm', 'install', '--no-audit', '--no-fund', '--prefix', folder, '@portkey-ai/gateway@1.15.2']],
    version: (folder) => [
      'node',
      '-p',
      `'@portkey-ai/gateway ' + require('${folder}/node_modules/@portkey-ai/gateway/package.json').version`,
    ],
    start: ({ folder, port }) => ({
      command: [
        process.execPath,
        '--import',
        fileURLToPath(new URL('./loopback.js', import.meta.url)),
        join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js'),
        `--port=${port}`,
        '--headless',
      ],
    }),
    headers: ({ upstreamPort }) => ({
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
    }),
    readyPath: '/',
    share: 0.2,
  },
  {
    name: 'litellm',
    does: 'forwards, checks one master key, counts cost in memory; its keys and budgets need PostgreSQL and are off',
    install: (folder) =>
      existsSync(join(folder, 'bin/litellm'))
        ? []
        : [
            ['python3', '-m', 'venv', folder],
            [join(folder, 'bin/pip'), 'install', '--quiet', 'litellm[proxy]'],
          ],
    version: (folder) => [join(folder, 'bin/litellm'), '--version'],
    start: ({ folder, port, upstreamPort }) => {
      const settings = join(folder, 'config.yaml')
      writeFileSync(settings, liteLlmSettings(upstreamPort))
      return {
        command: [
          join(folder, 'bin/litellm'),
          ...['--config', settings, '--host', '127.0.0.1', '--port', `${port}`, '--telemetry', 'False'],
        ],
        env: {
          LITELLM_MASTER_KEY: 'sk-bench',
          LITELLM_MODE: 'PRODUCTION',
          LITELLM_LOCAL_MODEL_COST_MAP: 'True',
          LITELLM_LOG: 'ERROR',
        },
      }
    },
    headers: () => ({ authorization: 'Bearer sk-bench' }),
    readyPath: '/health/liveliness',
    share: 0.05,
  },
]

function liteLlmSettings(upstreamPort: number): string {
  return `model_list:
  - model_name: gpt-bench
    litellm_params: { model: openai/gpt-bench, api_base: http://127.0.0.1:${upstreamPort}/v1, api_key: ${upstreamKey} }
litellm_settings: { drop_params: true }
`
}

/**
 * A gateway that is not in a package registry: `NAME=COMMAND`, where {port} and {upstream} (an origin) are filled in.
 * Its own settings must sell the model `gpt-bench`.
 */
export function peerOfCommand(text: string): Peer {
  const [name = '', ...rest] = text.split('=')
  const words = rest.join('=').trim().split(/\s+/)
  if (name === '' || (words[0] ?? '') === '') throw new Error(`--program ${text}: expected NAME=COMMAND`)
  return {
    name,
    does: 'as it was configured',
    install: () => [],
    version: () => ['echo', name],
    start: ({ port, upstreamPort }) => ({
      command: words.map((word) =>
        word.replaceAll('{port}', `${port}`).replaceAll('{upstream}', `http://127.0.0.1:${upstreamPort}`),
      ),
    }),
    headers: () => ({}),
    readyPath: '/',
    share: 1,
  }
}

/**
 * Runs real clients against a gateway: `npm run clients` for all of them, or with the names of some.
 * Their programs are fetched from the package registry once and kept outside the project; they spend
 * made-up money at the sandbox, which stands in for all three makers.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../../src/base/clock.ts'
import type { Config } from '../../../src/config.ts'
import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import { testGateway } from '../../support/gateway.ts'

const all = [
  'openai-sdk',
  'anthropic-sdk',
  'google-genai',
  'ai-sdk',
  'langchain',
  'claude-code',
  'codex',
  'opencode',
  'gemini-cli',
  'cline',
  'continue',
  'aider',
  'python',
]

type Models = Config['models']

/** A model of a real maker's family that is served by the sandbox, in the maker's own format. */
function model(id: string, provider: string): Models[number] {
  return {
    id,
    provider,
    upstreamId: 'sandbox-tools',
    context: 1_000_000,
    maxOutput: 128_000,
    inputs: ['text', 'image', 'pdf'],
    tools: true,
    prices: [{ input: '0.1', output: '0.4', fees: { web_search: '0.01' } }],
  }
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  process.stderr.write(`no client is called ${unknown.join(', ')}; there are ${all.join(', ')}\n`)
  process.exit(2)
}

const sandbox = await startSandbox({ clock: systemClock })
const gateway = await testGateway({
  openai: sandbox.origin,
  anthropic: sandbox.origin,
  google: sandbox.origin,
  models: [
    { ...model('gpt-conformance', 'openai'), api: 'responses' },
    model('claude-conformance', 'anthropic'),
    model('gemini-conformance', 'google'),
  ],
})
let failed = 0
try {
  const { key } = await gateway.account('1000')
  for (const name of named.length > 0 ? named : all) {
    const code = await ended(name, { TOLLGATE_ORIGIN: gateway.origin, TOLLGATE_KEY: key })
    if (code !== 0) failed += 1
  }
} finally {
  await gateway.close()
  await sandbox.close()
}
process.exitCode = failed === 0 ? 0 : 1

function ended(name: string, env: Readonly<Record<string, string>>): Promise<number | null> {
  const script = fileURLToPath(new URL(`${name}.js`, import.meta.url))
  const child = spawn(process.execPath, [script], { env: { ...process.env, ...env }, stdio: 'inherit' })
  return new Promise((resolve) => child.on('close', (code) => resolve(code)))
}

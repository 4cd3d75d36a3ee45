/**
 * Runs real clients against a gateway: `npm run clients` for all of them, or with the names of some.
 * Their programs are fetched from the package registry once and stored outside the project; they spend
 * test credit at the sandbox, which replaces all three vendors.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { systemClock } from '../../../src/base/clock.ts'
import type { Config } from '../../../src/config/config.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'
import { countingProxy } from './counting-proxy.ts'
import { hostFront } from './host-front.ts'
import { pythonLibraries } from './python-libraries.js'

const all = [
  'openai-sdk',
  'anthropic-sdk',
  'google-genai',
  'google-javascript',
  'ai-sdk',
  'langchain',
  'claude-code',
  'codex',
  'opencode',
  'gemini-cli',
  'cline',
  'continue',
  'aider',
  'pi',
  'terminal-agents',
  'openai-agents-javascript',
  'mastra',
  'go',
  'java',
  'rust',
  'recipes',
  'page',
  'hosts',
  ...pythonLibraries.map(({ name }) => name),
]

type Models = Config['models']

const makers = [
  ['gpt-conformance', 'openai', { formats: ['openai-responses'] }],
  ['claude-conformance', 'anthropic', {}],
  ['gemini-conformance', 'google', {}],
] as const

/** Of one client's run. */
const receiptsMax = 1_000

/** A model of a real vendor's family that is served by the sandbox, in the vendor's own format. */
function model(id: string, provider: string, pace: string): Models[number] {
  return {
    id,
    provider,
    upstreamId: `sandbox-thinking-tools${pace}`,
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

function startGateway(pace: string, limits: Partial<Config['limits']>): Promise<TestGateway> {
  return testGateway({
    openai: sandbox.origin,
    anthropic: sandbox.origin,
    google: sandbox.origin,
    models: makers.map(([id, provider, formats]) => ({ ...model(id, provider, pace), ...formats })),
    limits,
  })
}

const gateway = await startGateway('', {})
// Some keep-alives before the first token and between any two, as in idle periods of many times 12 s.
const silent = await startGateway(':rate=20:delay=300', { peekMs: 50, keepAliveMs: 20 })
const counted = await countingProxy(gateway.origin)
const front = await hostFront(sandbox.origin)
const hosts = await testGateway({ upstreams: front.upstreams, models: front.models })
let failed = 0
const total = { ok: 0, FAIL: 0 }
try {
  const origins = {
    TOLLGATE_ORIGIN: gateway.origin,
    TOLLGATE_EMPTY_KEY: (await gateway.account('0')).key,
    TOLLGATE_COUNTED_ORIGIN: counted.origin,
    TOLLGATE_SILENT_ORIGIN: silent.origin,
    TOLLGATE_SILENT_KEY: (await silent.account('1000')).key,
    TOLLGATE_HOSTS_ORIGIN: hosts.origin,
  }
  for (const name of named.length > 0 ? named : all) {
    const account = await gateway.account('1000')
    const atHosts = await hosts.account('1000')
    const env = { ...origins, TOLLGATE_KEY: account.key, TOLLGATE_HOSTS_KEY: atHosts.key }
    const { code, counts } = await ended(name, env)
    const models =
      name === 'hosts' ? await modelsSeen(hosts, atHosts.id) : await modelsSeen(gateway, account.id)
    const isProof = reasoned(name, models, counts)
    if (code !== 0 || !isProof) failed += 1
    total.ok += counts.ok
    total.FAIL += counts.FAIL
    process.stdout.write(`      ${name}: ${sentence(counts)}\n`)
  }
  process.stdout.write(`${sentence(total)}\n`)
} finally {
  await counted.close()
  await hosts.close()
  await front.close()
  await silent.close()
  await gateway.close()
  await sandbox.close()
}
process.exitCode = failed === 0 ? 0 : 1

interface Counts {
  ok: number
  FAIL: number
}

/** Which models served an account, and which of them reasoned for it. */
async function modelsSeen({ gateway: { services } }: TestGateway, account: bigint) {
  const receipts = await services.ledger.receipts(account, receiptsMax, null)
  const namesOf = (rows: typeof receipts) => new Set(rows.map(({ model: name }) => name))
  return { served: namesOf(receipts), reasoned: namesOf(receipts.filter(({ reasoning }) => reasoning > 0)) }
}

/** A client that met no reasoning of a maker proves nothing about models that reason: prints it as a check. */
function reasoned(name: string, models: Awaited<ReturnType<typeof modelsSeen>>, counts: Counts): boolean {
  const expected = name === 'hosts' ? front.models.map(({ id }) => id) : makers.map(([id]) => id)
  const missing = expected.filter((id) => !models.reasoned.has(id))
  const outcome = missing.length === 0 ? 'ok' : 'FAIL'
  counts[outcome] += 1
  const seen = missing.length === 0 ? '' : `; not ${missing.join(', ')} of ${[...models.served].join(', ')}`
  process.stdout.write(`${outcome.padEnd(6)}${name}: models of every maker reasoned${seen}\n`)
  return missing.length === 0
}

function sentence({ ok, FAIL }: Counts): string {
  return `${ok} checks passed, ${FAIL} failed`
}

/** Runs a client's script, whose lines begin with `ok` or `FAIL`, and forwards its output. */
function ended(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly counts: Counts }> {
  const isLibrary = pythonLibraries.some((library) => library.name === name)
  const script = fileURLToPath(new URL(isLibrary ? 'python-library.js' : `${name}.js`, import.meta.url))
  const child = spawn(process.execPath, [script, name], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const counts: Counts = { ok: 0, FAIL: 0 }
  createInterface({ input: child.stdout }).on('line', (line) => {
    // Some libraries print boxes that end without a line break.
    if (/\bok {4}\S/.test(line)) counts.ok += 1
    if (/\bFAIL {2}\S/.test(line)) counts.FAIL += 1
    process.stdout.write(`${line}\n`)
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, counts })))
}

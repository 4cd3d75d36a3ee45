/**
 * Upstreams on the command line: the credential comes from stdin or the environment of a process, a host that rejects it
 * says so in its own words, and nothing is on sale before it is offered with a price.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type CommandResult, callCommand } from '../support/command-line.ts'
import { program } from '../support/gateway-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-cli-upstreams-'))
const key = ['right', 'key', '4'.repeat(12)].join('-')
const wrongKey = ['wrong', 'key', '5'.repeat(12)].join('-')

/** Lists its models to its own key alone, and repeats a wrong one. */
const host = createServer((request, response) => {
  request.resume()
  const isRight = request.headers.authorization === `Bearer ${key}`
  response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
  const message = `Key ${request.headers.authorization?.slice(7)} is not one of ours`
  response.end(JSON.stringify(isRight ? { data: [{ id: 'llama' }, { id: 'qwen' }] } : { error: { message } }))
})
await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/v1`
after(() => {
  host.close()
  host.closeAllConnections()
  rmSync(folder, { recursive: true, force: true })
})

const environment = { TOLLGATE_DATA: join(folder, 'data') }

/** Within this process. */
const run = (words: readonly string[]): Promise<CommandResult> => callCommand(environment, folder, words)

/** As a process, which a credential reaches in one of two ways. */
function runProcess(
  words: readonly string[],
  { stdin = '', ...more }: { readonly stdin?: string; readonly MINE_KEY?: string },
): Promise<CommandResult> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [program, ...words], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, ...environment, ...more },
  })
  child.stdin.end(stdin)
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString()
  })
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString()
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })))
}

const add = ['upstreams', 'add', 'mine', '--provider', 'custom', '--url', url, '--formats', 'openai-chat']

test('an upstream is added, tested, listed and offered without a server', async () => {
  const rejected = await runProcess(add, { stdin: wrongKey })
  assert.equal(rejected.code, 1)
  assert.match(
    rejected.stderr,
    /rejected the API key \(HTTP 401\)\. It says: Key … is not one of ours\. Set saveAnyway/,
  )
  assert.doesNotMatch(rejected.stderr, new RegExp(wrongKey))
  const audit = JSON.parse((await run(['audit', '--json'])).stdout) as readonly { readonly outcome: string }[]
  assert.equal(audit[0]?.outcome, 'upstream_test_failed')
  assert.doesNotMatch((await run(['upstreams'])).stdout, /mine/)

  const added = await runProcess(add, { stdin: `${key}\n` })
  assert.deepEqual([added.code, added.stderr], [0, ''])
  assert.match(added.stdout, /Models +none yet/)

  const tested = await run(['upstreams', 'test', 'mine'])
  assert.deepEqual([tested.code, tested.stderr], [0, ''])
  assert.match(tested.stdout, /accepted by the provider[\s\S]*Models +2/)

  const unpriced = await run([
    'models',
    'offer',
    'mine/llama',
    'mine',
    '--context',
    '8192',
    '--max-output',
    '512',
  ])
  assert.equal(unpriced.code, 1)
  assert.match(unpriced.stderr, /mine\/llama would not be enabled: no price is known/)

  const limits = ['--context', '8192', '--max-output', '512']
  const free = await run([
    'models',
    'offer',
    'mine/llama',
    'mine',
    ...limits,
    '--input',
    '0',
    '--output',
    '0',
  ])
  assert.deepEqual([free.code, free.stderr], [0, ''])
  const named = await run([
    ...['models', 'offer', 'cheap', 'mine', '--upstream-model', 'qwen', ...limits],
    ...['--input', '1', '--output', '2.5'],
  ])
  assert.deepEqual([named.code, named.stderr], [0, ''])

  const models = await run(['upstreams', 'models', 'mine'])
  assert.match(models.stdout, /llama +mine\/llama +yes +0\.00 +0\.00\n/)
  assert.match(models.stdout, /qwen +cheap +yes +1\.00 +2\.50\n/)

  const unserved = await run(['upstreams', 'disable', 'mine'])
  assert.equal(unserved.code, 1)
  assert.match(
    unserved.stderr,
    /^tollgate: No other upstream serves .*\. Use --allow-unserved yes to do it anyway\./,
  )
})

test('a key that is rejected is saved only where that is said, and doctor names it', async () => {
  const saved = await runProcess([...add, '--save-anyway', 'yes', '--credential-env', 'MINE_KEY'], {
    MINE_KEY: wrongKey,
  })
  assert.deepEqual([saved.code, saved.stderr], [0, ''])
  const tested = await run(['upstreams', 'test', 'mine'])
  assert.equal(tested.code, 1)
  assert.match(tested.stdout, /Provider says +Key … is not one of ours/)
  const doctor = await run(['doctor'])
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, /key of mine.*rejected the API key/)
  const removed = await run(['upstreams', 'remove', 'mine'])
  assert.deepEqual([removed.code, removed.stdout], [0, 'Removed mine.\n'])
  const missing = await run([...add, '--credential-env', 'NOWHERE'])
  assert.match(missing.stderr, /the environment variable NOWHERE is not set/)
})

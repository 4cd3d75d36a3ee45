/**
 * The cost of identity: CPU time of all threads for a sign-in, for judging a cached and an uncached session
 * cookie, and the effect of a minute of sign-ups on the ledger's writer. `node bench/identity.ts`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/base/clock.ts'
import { createLog } from '../src/base/log.ts'
import { limitDefaults, readConfig } from '../src/config/config.ts'
import { openIdentity } from '../src/identity/identity.ts'
import { openIdentityWorker } from '../src/identity/worker.ts'
import { threadEntries } from '../src/server/thread-entries.ts'

const password = 'correct staple 9'
const signIns = 60
const looks = 20_000
const reads = 2_000

const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-identity-'))
const read = readConfig({ TOLLGATE_DATA: dataFolder }, dataFolder)
if (read.kind !== 'config') throw new Error(read.mistakes.join('\n'))
const address = 'http://localhost:8080'
const limits = { ...limitDefaults, uniformAnswerMs: 1, sessionCachedMs: 3_600_000 }
const opened = await openIdentity({
  config: { ...read.config, limits },
  mail: null,
  clock: systemClock,
  log: createLog({ level: 'silent' }),
  key: Buffer.alloc(32, 1),
  address: () => address,
  openCore: (needs) => openIdentityWorker(threadEntries.identity, needs),
  onLost: (error) => {
    throw error
  },
})
if (opened.kind === 'rejected') throw new Error(opened.message)
const { identity, handle: answer, close } = opened.opened

/** Answers with the cookie that it set. */
async function post(path: string, body: object): Promise<string> {
  const reply = await answer({
    method: 'POST',
    path: `/api/auth${path}`,
    query: '',
    headers: { origin: address, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    clientAddress: '192.0.2.1',
  })
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${Buffer.from(reply.body)}`)
  return reply.headers.find(([name]) => name === 'set-cookie')?.[1].split(';', 1)[0] ?? ''
}

/** CPU milliseconds of all threads for one of `times`. */
async function cost(times: number, run: (number: number) => Promise<unknown>): Promise<string> {
  const before = process.cpuUsage()
  for (let number = 0; number < times; number += 1) await run(number)
  const { user, system } = process.cpuUsage(before)
  return `${((user + system) / 1_000 / times).toFixed(3)} ms`
}

const person = (number: number) => ({ name: 'A', email: `a${number}@example.org`, password })
const cookies: string[] = []
await post('/sign-up/email', { ...person(-1) })
const rows = {
  'sign-up': await cost(signIns, async (number) =>
    cookies.push(await post('/sign-up/email', person(number))),
  ),
  'sign-in': await cost(signIns, (number) => post('/sign-in/email', person(number))),
  'cookie, remembered': await cost(looks, () => identity.authenticate({ cookie: cookies[0] ?? '' })),
  'cookie, read from the database': await cost(reads, async (number) => {
    // Confirming is what a change is: everything is forgotten.
    if (number % cookies.length === 0) await identity.setOperator('nobody', true)
    await identity.authenticate({ cookie: cookies[number % cookies.length] ?? '' })
  }),
  'cookie that is not ours': await cost(looks, () =>
    identity.authenticate({ cookie: 'tollgate.session_token=a.b' }),
  ),
}
await close()
rmSync(dataFolder, { recursive: true })
for (const [what, each] of Object.entries(rows)) process.stdout.write(`${what.padEnd(34)}${each}\n`)

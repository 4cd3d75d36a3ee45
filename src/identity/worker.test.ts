/** Identity in its own thread: the same interface, notifications to the main thread, and the thread's exit. */
import assert from 'node:assert/strict'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { type Lifetime, temporaryDirectory } from '../../test/support/open-ledger.ts'
import { ann } from '../../test/support/people.ts'
import { withSeparateThreads } from '../../test/support/shared-threads.ts'
import { systemClock } from '../base/clock.ts'
import { createLog } from '../base/log.ts'
import { readConfig } from '../config/config.ts'
import type { OutgoingEmail } from '../mail/mail.ts'
import { threadEntries } from '../server/thread-entries.ts'
import {
  type AuthAnswer,
  type IdentityOptions,
  type IdentityResult,
  type OpenIdentity,
  openIdentity,
} from './identity.ts'
import { openIdentityWorker } from './worker.ts'

withSeparateThreads()

interface Apart extends OpenIdentity {
  readonly lines: readonly string[]
  readonly emails: readonly OutgoingEmail[]
  readonly lost: Promise<Error>
  post(path: string, body: object, cookie?: string): Promise<AuthAnswer>
}

const address = 'http://localhost:8080'

function openApart(
  dataFolder: string,
  given: Pick<IdentityOptions, 'onLost'> & Partial<IdentityOptions>,
): Promise<IdentityResult> {
  const read = readConfig({ TOLLGATE_DATA: dataFolder }, dataFolder)
  assert.ok(read.kind === 'config')
  return openIdentity({
    config: { ...read.config, limits: { ...read.config.limits, uniformAnswerMs: 1 } },
    mail: null,
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    key: Buffer.alloc(32, 7),
    address: () => address,
    openCore: (needs) => openIdentityWorker(threadEntries.identity, needs),
    ...given,
  })
}

async function apart(context: Lifetime, { hasMail = false } = {}): Promise<Apart> {
  const lines: string[] = []
  const emails: OutgoingEmail[] = []
  const lost = Promise.withResolvers<Error>()
  const send = (email: OutgoingEmail) => (emails.push(email) > 1 ? 'full' : 'queued')
  const result = await openApart(temporaryDirectory(context), {
    mail: hasMail ? { send, close: async () => {} } : null,
    log: createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
    onLost: lost.resolve,
  })
  assert.ok(result.kind === 'open')
  const { opened } = result
  context.after(() => opened.close().catch(() => {}))
  const post: Apart['post'] = (path, body, cookie) =>
    opened.handle({
      method: 'POST',
      path: `/api/auth${path}`,
      query: '',
      headers: { origin: address, 'content-type': 'application/json', ...(cookie && { cookie }) },
      body: Buffer.from(JSON.stringify(body)),
      clientAddress: '192.0.2.1',
    })
  return { ...opened, lines, emails, lost: lost.promise, post }
}

const cookieOf = ({ headers }: AuthAnswer) =>
  headers.find(([name]) => name === 'set-cookie')?.[1].split(';', 1)[0] ?? ''

test('listeners run before a sign-up is answered, and changes are visible immediately', async (context) => {
  const { identity, onSignUp, post } = await apart(context)
  const heard: string[] = []
  onSignUp(async ({ id, email }) => {
    // A listener may call back into the thread.
    heard.push(`${email} ${(await identity.findPerson(id))?.name}`)
  })
  const response = await post('/sign-up/email', ann)
  assert.equal(response.status, 200, Buffer.from(response.body).toString())
  assert.deepEqual(heard, [`${ann.email} ${ann.name}`])
  const headers = { cookie: cookieOf(response) }
  const before = await identity.authenticate(headers)
  assert.deepEqual([before?.person.email, before?.person.confirmed], [ann.email, false])
  await identity.confirm(before?.person.id ?? '')
  assert.equal((await identity.authenticate(headers))?.person.confirmed, true)
  assert.equal((await post('/sign-out', {}, headers.cookie)).status, 200)
  assert.equal(await identity.authenticate(headers), null)
})

test('an error arrives with its code, and log lines with their fields', async (context) => {
  const { identity, lines, post } = await apart(context)
  await assert.rejects(identity.confirm('unknown'), { code: 'person_not_found', status: 404 })
  await post('/sign-up/email', ann)
  assert.equal((await post('/sign-in/email', { ...ann, password: 'not the right one' })).status, 401)
  const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.ok(
    said.every(({ level, time, msg }) => level === 'debug' && time !== undefined && msg !== ''),
    lines.join(''),
  )
  assert.ok(
    said.some(({ msg }) => String(msg).includes('Invalid password')),
    lines.join(''),
  )
  assert.ok(!lines.join('').includes(ann.email))
})

test('emails are sent by the main thread, whose queue may be full', async (context) => {
  const { identity, emails } = await apart(context, { hasMail: true })
  const [first, second] = [await identity.invite(ann.email), await identity.invite('bob@example.org')]
  assert.deepEqual([first.sent, second.sent], [true, false])
  assert.ok(emails[0]?.text.includes(first.link) && first.link.startsWith(`${address}/console/sign-up?`))
})

test('a database that cannot be opened is rejected with a message', async (context) => {
  const dataFolder = temporaryDirectory(context)
  writeFileSync(join(dataFolder, 'identity.db'), 'no database, whatever it is called '.repeat(100))
  const result = await openApart(dataFolder, { onLost: (error) => assert.fail(error) })
  assert.ok(result.kind === 'rejected')
  assert.match(result.message, /identity\.db cannot be used/)
})

test('the first request creates the database of a new data folder, and its failure is not permanent', async (context) => {
  const dataFolder = temporaryDirectory(context)
  const file = join(dataFolder, 'identity.db')
  const result = await openApart(dataFolder, { onLost: (error) => assert.fail(error) })
  assert.ok(result.kind === 'open')
  const { identity, close } = result.opened
  assert.ok(!existsSync(file))
  writeFileSync(file, 'no database, whatever it is called '.repeat(100))
  await assert.rejects(identity.findPerson('unknown'), { code: 'store_unavailable' })
  rmSync(file)
  assert.deepEqual(await Promise.all([identity.findPerson('unknown'), identity.listMemberships('unknown')]), [
    undefined,
    [],
  ])
  assert.ok(existsSync(file))
  await close()
  await assert.rejects(identity.findPerson('unknown'), { code: 'store_unavailable' })
})

test('a thread that was never used closes without a database', async (context) => {
  const dataFolder = temporaryDirectory(context)
  const result = await openApart(dataFolder, { onLost: (error) => assert.fail(error) })
  assert.ok(result.kind === 'open')
  await result.opened.close()
  assert.ok(!existsSync(join(dataFolder, 'identity.db')))
})

test('a thread that exits is reported, and pending calls fail', async (context) => {
  const { postMessage } = Worker.prototype
  const workers: Worker[] = []
  Worker.prototype.postMessage = function seen(this: Worker, ...message: Parameters<typeof postMessage>) {
    workers.push(this)
    return postMessage.apply(this, message)
  }
  const { identity, lost } = await apart(context)
  await identity.findPerson('unknown')
  Worker.prototype.postMessage = postMessage
  const asked = identity.listPeople({ state: 'all', search: null, limit: 10 })
  const heard = assert.rejects(asked, { code: 'store_unavailable' })
  await workers.at(-1)?.terminate()
  await heard
  assert.match((await lost).message, /database/)
  await assert.rejects(identity.findPerson('unknown'), { code: 'store_unavailable' })
})

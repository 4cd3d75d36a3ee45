/**
 * When an account is closed, its files are deleted at the upstreams that store them: also after a crash, after failures of
 * an upstream, and when an upload ends after the account.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { suite, type TestContext, test } from 'node:test'
import OpenAI from 'openai'
import { parseId } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import type { Config } from '../../src/config/config.ts'
import { type FileHost, fileHost } from '../support/file-host.ts'
import { type TestGateway, type TestGatewayOptions, testGateway } from '../support/gateway.ts'
import { makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { temporaryDirectory } from '../support/open-ledger.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { joined, type Member } from '../support/two-tenants.ts'

const metricsToken = 'metrics-for-tests-only'

type Upstream = Config['upstreams'][number]

const upstreamAt = ({ origin }: FileHost, name: string, provider = 'openai'): Upstream => ({
  ...{ name, provider, url: origin, credential: `credential-of-${name}` },
  ...{ weight: 1, models: 'all' },
})

async function started(
  context: TestContext,
  hosts: readonly (readonly [host: FileHost, name: string, provider?: string])[],
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const upstreams = hosts.map(([host, name, provider]) => upstreamAt(host, name, provider))
  const limits = { uniformAnswerMs: 1, fileDeletionRetryMs: 5, ...options.limits }
  const gateway = await testGateway({ upstreams, ...options, limits })
  context.after(() => gateway.close())
  return gateway
}

async function hosting(context: TestContext): Promise<FileHost> {
  const host = await fileHost()
  context.after(() => host.close())
  return host
}

interface Owner {
  readonly person: Member
  readonly account: bigint
  readonly key: string
  readonly files: OpenAI.Files
}

/** A person with money and a key. */
async function owning(gateway: TestGateway, name: string): Promise<Owner> {
  const person = await joined(gateway.origin, name)
  const { ledger, nextId } = gateway.gateway.services
  const account = parseId('acct', person.account) ?? assert.fail('an account')
  const credit = { source: 'manual', reference: name, nowMs: 1, note: null } as const
  await ledger.credit({ ...credit, entryId: nextId(), account, amount: 1_000_000_000n })
  const { key } = await person.client.done('key.create', { name: 'works' })
  return { person, account, key, files: filesOf(gateway.origin, key) }
}

const filesOf = (origin: string, key: string): OpenAI.Files =>
  new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0, logLevel: 'off' }).files
const upload = (files: OpenAI.Files) =>
  files.create({ file: new File(['hello'], 'a.txt', { type: 'text/plain' }), purpose: 'user_data' })
const leave = ({ person: { client, email } }: Owner) => client.done('me.delete', { email })

const pendingAt = ({ gateway }: TestGateway) => gateway.services.files.pendingDeletions()
/** Everything that must be deleted is deleted. */
const done = (gateway: TestGateway) =>
  eventually(
    'nothing is to be deleted',
    () => pendingAt(gateway),
    ({ length }) => length === 0,
  )
const deletionsAt = (host: FileHost) => host.arrivals.filter(({ method }) => method === 'DELETE')

test('they are deleted at every upstream that stores some, a few at a time, and no others', async (context) => {
  const [openai, anthropic] = [await hosting(context), await hosting(context)]
  const gateway = await started(
    context,
    [
      [openai, 'first'],
      [anthropic, 'second', 'anthropic'],
    ],
    { limits: { fileDeletionsAtOnceMax: 2 } },
  )
  const [owner, neighbor] = [await owning(gateway, 'ada'), await owning(gateway, 'bob')]
  const remaining = await upload(neighbor.files)
  for (let count = 0; count < 5; count += 1) await upload(owner.files)
  const uploaded = await fetch(`${gateway.origin}/v1/alt/files`, {
    method: 'POST',
    headers: { 'x-api-key': owner.key, 'content-type': 'multipart/form-data; boundary=b' },
    body: '--b--\r\n',
  })
  assert.equal(uploaded.status, 200, await uploaded.text())
  assert.deepEqual([openai.files.size, anthropic.files.size], [6, 1])
  await leave(owner)
  await done(gateway)
  assert.deepEqual([[...openai.files.keys()], anthropic.files.size], [[remaining.id], 0])
  assert.deepEqual([deletionsAt(openai).length, openai.deletionsAtOnce], [5, 2])
  const [first] = deletionsAt(openai)
  assert.equal(first?.headers.authorization, 'Bearer credential-of-first')
  const [second] = deletionsAt(anthropic)
  assert.equal(second?.headers['x-api-key'], 'credential-of-second')
  assert.equal(second?.headers['anthropic-beta'], 'files-api-2025-04-14')
  assert.equal((await neighbor.files.list()).data.length, 1)
})

test('a file that an upstream cannot delete does not block others, and is deleted when that changes', async (context) => {
  const [rejecting, other] = [await hosting(context), await hosting(context)]
  const gateway = await started(
    context,
    [
      [rejecting, 'rejecting'],
      [other, 'other', 'anthropic'],
    ],
    {
      limits: { fileDeletionsAtOnceMax: 1, fileDeletionRetryMsMax: 20, fileDeletionWarnMs: 0 },
      metricsToken,
    },
  )
  const owner = await owning(gateway, 'ada')
  const { id } = await upload(owner.files)
  for (let count = 0; count < 3; count += 1) await upload(owner.files)
  rejecting.deletionStatus = (one) => (one === id ? 500 : null)
  await leave(owner)
  const left = await eventually(
    'one is left',
    () => pendingAt(gateway),
    ([place]) => place?.files === 1,
  )
  assert.deepEqual([left[0]?.upstream, [...rejecting.files.keys()]], ['rejecting', [id]])
  await eventually(
    'it was retried',
    () => deletionsAt(rejecting).length,
    (count) => count >= 8,
  )
  const scraped = await fetch(`${gateway.origin}/metrics`, {
    headers: { authorization: `Bearer ${metricsToken}` },
  })
  assert.match(await scraped.text(), /^tollgate_files_to_delete 1$/m)
  const operator = asking(controlOf(gateway), personActor('op', { operator: true }))
  const warnings = async () => (await operator.done('system.show', {})).warnings.join('\n')
  assert.match(await warnings(), /The upstream rejecting still stores files of closed accounts \(1\)/)
  rejecting.deletionStatus = () => null
  await done(gateway)
  assert.equal(rejecting.files.size, 0)
  assert.doesNotMatch(await warnings(), /still stores/)
})

test('what an upstream did not delete before the server stopped is deleted after the next start', async (context) => {
  const host = await hosting(context)
  const dataFolder = temporaryDirectory(context)
  const first = await testGateway({
    upstreams: [upstreamAt(host, 'first')],
    dataFolder,
    limits: { uniformAnswerMs: 1 },
  })
  const owner = await owning(first, 'ada')
  await upload(owner.files)
  host.deletionStatus = () => 503
  await leave(owner)
  await eventually(
    'it was tried',
    () => deletionsAt(host).length,
    (count) => count > 0,
  )
  await first.close()
  assert.equal(host.files.size, 1)
  // What was deleted without a confirmation is missing at the retry.
  host.deletionStatus = () => null
  host.files.clear()
  const second = await started(context, [[host, 'first']], { dataFolder })
  await done(second)
  assert.equal(deletionsAt(host).length, 2)
})

test('an upload that ends after the account was closed is deleted', async (context) => {
  const host = await hosting(context)
  // Only the end of the upload triggers another pass.
  const gateway = await started(context, [[host, 'first']], { limits: { fileDeletionRetryMs: 3_600_000 } })
  const owner = await owning(gateway, 'ada')
  const answering = Promise.withResolvers<void>()
  host.uploadsWait = answering.promise
  const uploading = upload(owner.files).catch(() => undefined)
  await eventually(
    'the upload arrived',
    () => host.files.size,
    (count) => count === 1,
  )
  await leave(owner)
  assert.equal((await pendingAt(gateway))[0]?.files, 1)
  answering.resolve()
  await uploading
  await done(gateway)
  assert.equal(host.files.size, 0)
})

test('an upload whose body comes after the account was closed is not sent', async (context) => {
  const host = await hosting(context)
  const gateway = await started(context, [[host, 'first']])
  const owner = await owning(gateway, 'ada')
  const uploading = request(`${gateway.origin}/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.key}`,
      expect: '100-continue',
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': '8',
    },
  })
  const answered = once(uploading, 'response')
  uploading.flushHeaders()
  await once(uploading, 'continue')
  await leave(owner)
  uploading.end('--b--\r\n\n')
  const [response] = (await answered) as [IncomingMessage]
  response.resume()
  assert.equal(response.statusCode, 403)
  assert.deepEqual([host.arrivals, await pendingAt(gateway)], [[], []])
})

test('files at a removed upstream are logged by ID and forgotten; an upstream with fewer models is still called', async (context) => {
  const [removed, narrowed] = [await hosting(context), await hosting(context)]
  let logged = ''
  const destination = {
    write(line: string) {
      logged += line
    },
  }
  const log = createLog({ level: 'warn', destination })
  const gateway = await started(context, [], { offers: 'as configured', log })
  const operator = asking(controlOf(gateway), personActor('op', { operator: true }))
  const owner = await owning(gateway, 'ada')
  const put = (host: FileHost, upstream: string, models: 'all' | { model: string }[]) =>
    operator.done('upstreams.put', {
      upstream,
      provider: 'openai',
      url: host.origin,
      credential: 'any-credential',
      models,
    })
  await put(removed, 'removed', 'all')
  const { id } = await upload(owner.files)
  await operator.done('upstreams.remove', { upstream: 'removed' })
  await put(narrowed, 'narrowed', 'all')
  await upload(owner.files)
  await put(narrowed, 'narrowed', [{ model: 'gpt-4.1' }])
  await leave(owner)
  await done(gateway)
  assert.deepEqual([removed.files.size, deletionsAt(removed).length, narrowed.files.size], [1, 0, 0])
  const lines = logged.split('\n').filter((line) => line.includes('removed the record of a file'))
  assert.equal(lines.length, 1)
  assert.equal((JSON.parse(lines[0] ?? '{}') as { file: string }).file, id)
})

suite('killed while the account is being closed', () => {
  for (const failpoint of ['before-commit-assign:kill', 'after-commit-assign:kill']) {
    test(failpoint, async (context) => {
      const host = await hosting(context)
      host.deletionStatus = () => 503
      const upstream = `{ name: own, provider: openai, url: '${host.origin}', credential: any, models: all }`
      const installation = makeInstallation(`upstreams:\n  - ${upstream}\n`)
      context.after(() => installation.remove())
      const first = await installation.start({ failpoint })
      const person = await joined(first.origin, 'leaving')
      await installation.ask('credit', { account: person.account, amount: '1', reference: 'gift' })
      const { key } = await person.client.done('key.create', { name: 'works' })
      await upload(filesOf(first.origin, key))
      await assert.rejects(person.client.done('me.delete', { email: person.email }))
      await first.ended
      assert.equal(host.files.size, 1)
      host.deletionStatus = () => null
      await installation.start()
      await eventually(
        'it is deleted',
        () => host.files.size,
        (count) => count === 0,
      )
    })
  }
})

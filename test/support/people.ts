/**
 * Identity alone for tests, on its own folder with its real threads, and browsers that use it: they store cookies,
 * send what a page would send, and return the whole response. There is no HTTP server.
 */
import assert from 'node:assert/strict'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import { type Config, type Limits, readConfig } from '../../src/config/config.ts'
import { openIdentityCore } from '../../src/identity/core.ts'
import { type OpenIdentity, openIdentity } from '../../src/identity/identity.ts'
import type { AuthenticatedSession } from '../../src/identity/types.ts'
import { openMail } from '../../src/mail/mail.ts'
import { type Lifetime, temporaryDirectory } from './open-ledger.ts'

export interface TestPeopleOptions {
  readonly address?: string
  readonly signup?: Config['signup']
  readonly signIn?: Config['signIn']
  /** SMTP_URL; none by default. */
  readonly smtp?: string
  readonly limits?: Partial<Limits>
  readonly clock?: Clock
  readonly dataFolder?: string
  /** Receives every line of the log. */
  readonly logged?: (line: string) => void
}

export interface TestPeople extends OpenIdentity {
  readonly dataFolder: string
  browser(from?: string): Browser
  shut(): Promise<void>
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly setCookies: readonly string[]
  // A page reads JSON of unknown shape: tests assert it.
  readonly body: Record<string, unknown>
}

export interface Browser {
  readonly cookies: Map<string, string>
  post(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Reply>
  get(path: string): Promise<Reply>
  signedIn(): Promise<AuthenticatedSession | null>
  /** The header as the browser would send it. */
  cookieHeader(): string
}

/** Uniform response times are not under test here, so almost no delay is added. */
const testLimits: Partial<Limits> = { uniformAnswerMs: 1 }

export async function testPeople(context: Lifetime, options: TestPeopleOptions = {}): Promise<TestPeople> {
  const dataFolder = options.dataFolder ?? temporaryDirectory(context)
  const read = readConfig({ TOLLGATE_DATA: dataFolder }, dataFolder)
  assert.ok(read.kind === 'config')
  const limits: Limits = { ...read.config.limits, ...testLimits, ...options.limits }
  const clock = options.clock ?? systemClock
  const log = createLog({ level: 'debug', destination: { write: (line) => options.logged?.(line) } })
  const sender = { url: options.smtp ?? '', from: 'Tollgate <gate@example.org>' }
  const mail = openMail(options.smtp === undefined ? null : sender, { clock, log, limits })
  const address = options.address ?? 'http://localhost:8080'
  const result = await openIdentity({
    config: {
      ...read.config,
      limits,
      signup: options.signup ?? 'open',
      signIn: options.signIn ?? [],
    },
    ...{ mail, clock, log },
    key: Buffer.alloc(32, 7),
    address: () => address,
    onLost: (error) => assert.fail(error),
    // In this thread, so that a test can control its time.
    openCore: (needs) => openIdentityCore({ ...needs, clock, random: systemRandom }),
  })
  assert.ok(result.kind === 'open')
  const { opened } = result
  let shutting: Promise<void> | undefined
  const shut = async (): Promise<void> => {
    await mail?.close()
    await opened.close()
  }
  const people: TestPeople = {
    ...opened,
    dataFolder,
    browser: (from = '192.0.2.1') => browser(opened, { address, from }),
    shut() {
      shutting ??= shut()
      return shutting
    },
  }
  context.after(() => people.shut())
  return people
}

function browser(
  { handle: answer, identity }: OpenIdentity,
  { address, from }: { readonly address: string; readonly from: string },
): Browser {
  const cookies = new Map<string, string>()
  const cookieHeader = (): string => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  async function ask(
    method: string,
    path: string,
    { body, headers = {} }: { body?: object; headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Reply> {
    const [bare = '', query = ''] = path.split('?', 2)
    const sent = cookieHeader()
    const reply = await answer({
      method,
      path: `/api/auth${bare}`,
      query,
      headers: {
        origin: address,
        'user-agent': 'test',
        ...(sent === '' ? {} : { cookie: sent }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
      clientAddress: from,
    })
    const setCookies = reply.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value)
    for (const cookie of setCookies) keep(cookies, cookie)
    const text = Buffer.from(reply.body).toString()
    return {
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      setCookies,
      body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : { text },
    }
  }
  return {
    cookies,
    cookieHeader,
    post: (path, body = {}, headers = {}) => ask('POST', path, { body, headers }),
    get: (path) => ask('GET', path),
    signedIn: () => identity.authenticate({ cookie: cookieHeader() }),
  }
}

function keep(cookies: Map<string, string>, cookie: string): void {
  const [pair = ''] = cookie.split(';', 1)
  const cut = pair.indexOf('=')
  const [name, value] = [pair.slice(0, cut), pair.slice(cut + 1)]
  if (value === '' || /max-age=0/i.test(cookie)) cookies.delete(name)
  else cookies.set(name, value)
}

export const ann = { name: 'Ann', email: 'ann@example.org', password: 'correct staple 9' } as const
export const bob = { name: 'Bob', email: 'bob@example.org', password: 'wrong battery 77' } as const

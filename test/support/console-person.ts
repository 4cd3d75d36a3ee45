/**
 * A person in front of the console: a gateway in this process, its administrator signed in, in a real browser. Knows how
 * to sign in and how to call models; the contents of pages are up to the tests.
 */
import assert from 'node:assert/strict'
import { openBrowser, type TestBrowser, type Visit, type VisitOptions } from './browser.ts'
import { type ControlAnswer, ControlClient, sendTo } from './control-client.ts'
import { type TestGateway, type TestGatewayOptions, testGateway } from './gateway.ts'

const password = 'a long enough password'

interface Somebody {
  readonly email: string
  readonly password: string
  /** The same person without a browser. */
  readonly client: ControlClient
  /** A browser signed in as this person, on the overview. */
  visit(options?: VisitOptions): Promise<Visit>
  /** The same with nothing opened yet: a test that begins on another page does without the overview and its requests. */
  signIn(options?: VisitOptions): Promise<Visit>
}

export interface ConsolePerson extends Somebody {
  readonly gateway: TestGateway
  /** Another person, who has just signed up. */
  signUp(name: string): Promise<Somebody>
  /** A browser of a signed-out visitor. */
  visitAsNobody(): Promise<Visit>
  /** A chat request with a key: the response with its headers. */
  ask(key: string, model: string, words?: string): Promise<ControlAnswer>
  close(): Promise<void>
}

export async function consolePerson(options: TestGatewayOptions = {}): Promise<ConsolePerson> {
  const gateway = await testGateway(options)
  const { origin } = gateway
  const browser = await openBrowser()
  const email = 'operator@example.org'
  const client = new ControlClient(origin)
  await claim(gateway, client, email)
  return {
    ...(await signedIn(browser, client, email)),
    gateway,
    async signUp(name) {
      const own = new ControlClient(origin)
      const address = `${name}@example.org`
      const answer = await own.post('/api/auth/sign-up/email', { name, email: address, password })
      assert.equal(answer.status, 200, answer.text)
      return signedIn(browser, own, address)
    },
    visitAsNobody: () => browser.visit(origin),
    ask: (key, model, words = 'Hello') => ask(origin, { key, model, words }),
    async close() {
      await browser.close()
      await gateway.close()
    },
  }
}

async function signedIn(browser: TestBrowser, client: ControlClient, email: string): Promise<Somebody> {
  const { origin } = client
  const answer = await client.post('/api/auth/sign-in/email', { email, password })
  assert.equal(answer.status, 200, answer.text)
  const signIn = async (options: VisitOptions = {}): Promise<Visit> => {
    const visit = await browser.visit(origin, options)
    const entered = await visit.context.request.post('/api/auth/sign-in/email', {
      data: { email, password },
      headers: { origin },
    })
    assert.equal(entered.status(), 200, await entered.text())
    return visit
  }
  return {
    email,
    password,
    client,
    signIn,
    async visit(options) {
      const visit = await signIn(options)
      await visit.page.goto('/console')
      await visit.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      return visit
    },
  }
}

async function claim(
  { gateway: { start } }: TestGateway,
  client: ControlClient,
  email: string,
): Promise<void> {
  assert.ok(start.kind === 'first')
  const token = new URL(start.setupLink).searchParams.get('token') ?? ''
  await client.done('setup.claim', { token, name: 'operator', email, password })
}

interface Question {
  readonly key: string
  readonly model: string
  readonly words: string
}

function ask(origin: string, { key, model, words }: Question): Promise<ControlAnswer> {
  return sendTo(origin, {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: words }] }),
  })
}

/**
 * A gateway with a month of usage, created by real requests, payments and operations with shifted dates: for screenshots
 * of the console and for tests of populated pages. Deterministic except for ids,
 * secrets and durations.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { parseId } from '../../src/base/ids.ts'
import { threadEntries } from '../../src/server/thread-entries.ts'
import { ControlClient } from './control-client.ts'
import { ask as askAs, clientOf, formatClients } from './format-clients.ts'
import { freePort } from './free-port.ts'
import { type TestGateway, type TestGatewayOptions, testGateway } from './gateway.ts'
import { eventually } from './metered-gateway.ts'
import { shiftedDate } from './shifted-date.ts'
import { type StripeServer, startStripeServer } from './stripe-server.ts'
import { joined, type Member, password, signedIn } from './two-tenants.ts'

const dayMs = 86_400_000
const laptop =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36'
const pocket =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1'
const daysLived = 29
const minuteMs = 60_000

export interface LivedIn {
  readonly gateway: TestGateway
  /** The administrator, who also has the most usage. */
  readonly operator: Member
  /** A member of the organization without administrator rights. */
  readonly member: Member
  /** The account of the organization. */
  readonly organization: string
  readonly ids: LivedInIds
  /** A working key. */
  readonly secret: string
  /** Starts a request that runs for minutes. */
  begin(): Promise<void>
  /** Stops the server, and starts it again at its address with the variables that `between` returns. */
  restart(between: (dataFolder: string) => Promise<Readonly<Record<string, string>>>): Promise<void>
  close(): Promise<void>
}

/** The ids to open detail pages with. */
export interface LivedInIds {
  readonly key: string
  /** A request with two attempts. */
  readonly retried: string
  /** A truncated one. */
  readonly cut: string
  readonly topUp: string
  /** The last full month: `2026-10`. */
  readonly month: string
  readonly account: string
  readonly invitation: string
}

const secrets = { secretKey: ['sk', 'test', 'lived'].join('_'), webhookSecret: ['whsec', 'lived'].join('_') }

/** Models of the price list, served by sandbox behaviors. */
const models = [
  { id: 'gpt-5.5', upstreamId: 'sandbox-stream' },
  { id: 'gpt-6-luna', upstreamId: 'sandbox-stream' },
  { id: 'gpt-5.4-mini', upstreamId: 'sandbox-flaky' },
  { id: 'claude-sonnet-5', upstreamId: 'sandbox-stream' },
  { id: 'claude-haiku-4-5', upstreamId: 'sandbox-think' },
  { id: 'gemini-3.5-flash', upstreamId: 'sandbox-stream' },
  { id: 'gemini-2.5-pro', upstreamId: 'sandbox-cut-after' },
] as const
type ModelName = (typeof models)[number]['id']
/**
 * Models with streamed requests whose receipts are opened. Requests to others on earlier days only count in totals, so their
 * thousands of events would show nowhere.
 */
const shownStreamed: ReadonlySet<ModelName> = new Set(['gpt-5.4-mini', 'gemini-2.5-pro'])

/** How often each is called, by the sandbox behavior. */
const habits: readonly (readonly [model: ModelName, share: number, outputTokens: number])[] = [
  ['claude-sonnet-5', 38, 3_400],
  ['gpt-5.5', 30, 2_600],
  ['gemini-3.5-flash', 20, 2_200],
  ['claude-haiku-4-5', 7, 1_400],
  ['gpt-5.4-mini', 4, 900],
  ['gemini-2.5-pro', 1, 60],
]

export async function livedIn(nowMs: number): Promise<LivedIn> {
  const date = shiftedDate()
  const thread = threadEntries.identity
  Object.assign(threadEntries, { identity: new URL('./shifted-identity-thread.ts', import.meta.url) })
  const birthMs = Math.floor(nowMs / dayMs) * dayMs - daysLived * dayMs
  date.set(birthMs + 9 * 60 * minuteMs)
  const sandbox = await startSandbox({ clock: systemClock })
  const stripe = await startStripeServer(secrets)
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-lived-in-'))
  const file = [
    'providerKeys:',
    '  accounts: all',
    '  fee: 5%',
    '  urls:',
    `    google: ${sandbox.origin}`,
    '',
  ]
  writeFileSync(join(dataFolder, 'tollgate.yaml'), file.join('\n'))
  const options: TestGatewayOptions = {
    dataFolder,
    openai: sandbox.origin,
    anthropic: sandbox.origin,
    google: sandbox.origin,
    models: models.map((model) => ({ ...model })),
    upstreams: [
      {
        name: 'openai-europe',
        provider: 'openai',
        url: sandbox.origin,
        credential: 'another-credential',
        weight: 1,
      },
    ],
    limits: { requestsPerMinute: null, tokensPerMinute: null },
    environment: {
      STRIPE_SECRET_KEY: secrets.secretKey,
      STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
      STRIPE_API_URL: stripe.origin,
      TOLLGATE_METRICS_TOKEN: 'metrics-of-the-lived-in',
      TOLLGATE_PORT: String(await freePort()),
    },
  }
  let gateway = await testGateway(options)
  // The key of the first start was shown, so that a later start replaces nothing.
  gateway.gateway.finishStart(() => {})
  stripe.sendTo(`${gateway.origin}/api/stripe/webhook`)
  const life: Life = { gateway, stripe, birthMs, nowMs, random: randomFrom(7), at: (ms) => date.set(ms) }
  const lived = await live(life)
  const running = new AbortController()
  const reading: Promise<string>[] = []
  return {
    get gateway() {
      return gateway
    },
    ...lived,
    async restart(between) {
      await gateway.close()
      const more = await between(dataFolder)
      gateway = await testGateway({ ...options, environment: { ...options.environment, ...more } })
    },
    async begin() {
      const { key, origin } = { key: lived.secret, origin: gateway.origin }
      const beginning = {
        key,
        stream: true,
        signal: running.signal,
        text: 'tokens=9000 rate=12 Write a long report.',
      }
      const [messages, chat] = [clientOf('anthropic'), clientOf('openai-chat')]
      // An unread response body is canceled when it is garbage collected.
      for (const answer of [
        await askAs(origin, messages, { ...beginning, model: 'claude-sonnet-5' }),
        await askAs(origin, chat, { ...beginning, model: 'gpt-5.5' }),
      ]) {
        reading.push(answer.text().catch(() => ''))
      }
    },
    async close() {
      running.abort()
      await Promise.all(reading)
      await gateway.close()
      await Promise.all([stripe.close(), sandbox.close()])
      rmSync(dataFolder, { recursive: true, force: true })
      date.restore()
      Object.assign(threadEntries, { identity: thread })
    },
  }
}

interface Life {
  readonly gateway: TestGateway
  readonly stripe: StripeServer
  readonly birthMs: number
  readonly nowMs: number
  readonly random: () => number
  readonly at: (wallMs: number) => void
}

type Lived = Omit<LivedIn, 'gateway' | 'begin' | 'restart' | 'close'>

async function live(life: Life): Promise<Lived> {
  const { gateway, at, birthMs, nowMs } = life
  const operator = await claimed(gateway)
  const topUp = await paid(life, operator.client, { amount: '25.00' })
  const keys = await firstKeys(operator.client)
  await operator.client.done('billing.update', {
    alertDays: 7,
    invoiceTo: 'Example Ltd\n1 Example Street\nExampletown',
  })
  const company = await founded(life, operator)
  const requests = await usedDaily(life, operator, [...keys, company.secret])
  await rejectedToday(life, await again(gateway, operator), keys[0] ?? '')
  at(nowMs - 10 * minuteMs)
  const invitation = await administered(life, await again(gateway, operator), company)
  at(nowMs)
  // Sessions last a month; those from the start have expired.
  const [now, member] = [await again(gateway, operator), await again(gateway, company.member)]
  await now.client.done('provider-keys.put', {
    provider: 'google',
    credential: ['key', 'of', 'ada', '7f3a'].join('-'),
    use: 'first',
  })
  const listed = await now.client.done('key.list', {})
  return {
    operator: now,
    member,
    organization: company.account,
    secret: keys[0] ?? '',
    ids: {
      key: listed.find(({ name }) => name === 'Production')?.id ?? '',
      retried: requests.get('gpt-5.4-mini') ?? '',
      cut: requests.get('gemini-2.5-pro') ?? '',
      topUp,
      month: new Date(birthMs).toISOString().slice(0, 7),
      account: company.account,
      invitation,
    },
  }
}

/** A deterministic generator: a linear congruence, good enough for screenshots. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

async function claimed({ gateway, origin }: TestGateway): Promise<Member> {
  assert.ok(gateway.start.kind === 'first')
  const client = new ControlClient(origin)
  const email = 'ada@example.org'
  const token = new URL(gateway.start.setupLink).searchParams.get('token') ?? ''
  await client.done('setup.claim', { token, name: 'Ada', email, password })
  return signedIn(client, email, laptop)
}

const again = ({ origin }: TestGateway, { email }: Member, userAgent = laptop) =>
  signedIn(new ControlClient(origin), email, userAgent)

async function paid(
  { stripe }: Life,
  client: ControlClient,
  asked: {
    readonly amount: string
    readonly account?: string
    readonly how?: 'card' | 'declined' | 'transfer'
  },
): Promise<string> {
  const { amount, account, how = 'card' } = asked
  const { id, payUrl } = await client.done('top-up.create', {
    amount,
    saveMethod: true,
    ...(account === undefined ? {} : { account }),
  })
  stripe.books.pay(payUrl?.split('/').at(-1) ?? '', how)
  for (const { status, body } of await stripe.settled()) assert.equal(status, 200, body)
  return id
}

async function firstKeys(client: ControlClient): Promise<readonly string[]> {
  const production = await client.done('key.create', {
    name: 'Production',
    budget: { amount: '40', window: 'month' },
    limits: { requestsPerMinute: 600, concurrent: 40 },
  })
  const staging = await client.done('key.create', {
    name: 'Staging',
    budget: { amount: '5', window: 'week' },
    models: [
      'claude-sonnet-5',
      'gpt-5.5',
      'gemini-3.5-flash',
      'claude-haiku-4-5',
      'gpt-5.4-mini',
      'gemini-2.5-pro',
    ],
  })
  const notebook = await client.done('key.create', { name: 'Notebook' })
  const evals = await client.done('key.create', { name: 'Nightly evaluations', onShortBalance: 'reject' })
  const old = await client.done('key.create', { name: 'Old laptop' })
  await client.done('key.revoke', { key: old.id })
  return [production.key, staging.key, notebook.key, evals.key]
}

interface Company {
  readonly member: Member
  readonly account: string
  readonly organizationId: string
  readonly secret: string
}

async function invited(
  { client }: Member,
  asked: { readonly email: string; readonly role: string; readonly organizationId: string },
): Promise<string> {
  const answer = await client.post('/api/auth/organization/invite-member', asked)
  assert.equal(answer.status, 200, answer.text)
  return (answer.body as { readonly id: string }).id
}

async function founded({ gateway }: Life, operator: Member): Promise<Company> {
  const { origin } = gateway
  const grace = await joined(origin, 'Grace')
  const alan = await joined(origin, 'Alan')
  for (const { person } of [grace, alan]) await operator.client.done('people.confirm', { person })
  const made = await grace.client.post('/api/auth/organization/create', {
    name: 'Example Ltd',
    slug: 'example',
  })
  const { id: organizationId } = made.body as { readonly id: string }
  const { accounts } = await grace.client.done('me.show', {})
  const account = accounts.find(({ kind }) => kind === 'organization')?.account ?? ''
  for (const [member, role] of [
    [operator, 'admin'],
    [alan, 'developer'],
  ] as const) {
    const invitationId = await invited(grace, { email: member.email, role, organizationId })
    const answer = await member.client.post('/api/auth/organization/accept-invitation', { invitationId })
    assert.equal(answer.status, 200, answer.text)
  }
  await operator.client.done('credit', {
    account,
    amount: '100',
    reference: 'INV-2041',
    note: 'Paid by bank transfer',
  })
  const key = await grace.client.done('key.create', { account, name: 'Support assistant' })
  return { member: grace, account, organizationId, secret: key.key }
}

/** A month of requests in every format; the latest id by model. */
async function usedDaily(
  life: Life,
  operator: Member,
  secrets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { birthMs, nowMs, random, at } = life
  const latest = new Map<string, string>()
  for (let day = 0; day <= daysLived; day += 1) {
    const midnightMs = birthMs + day * dayMs
    if (day === daysLived - 3) {
      at(midnightMs + 7 * 60 * minuteMs)
      await paid(life, (await again(life.gateway, operator, pocket)).client, { amount: '10.00' })
    }
    const isWeekend = [0, 6].includes(new Date(midnightMs).getUTCDay())
    const count = isWeekend ? 3 + Math.floor(random() * 3) : 9 + Math.floor(random() * 9)
    for (let index = 0; index < count; index += 1) {
      const atMs = midnightMs + (7.5 + (12 * index) / count + random()) * 60 * minuteMs
      if (atMs < birthMs + 10 * 60 * minuteMs || atMs > nowMs - 50 * minuteMs) continue
      at(atMs)
      const [model, id] = await oneRequest(life, secrets, day === daysLived)
      latest.set(model, id)
    }
  }
  return latest
}

async function oneRequest(
  { gateway, random }: Life,
  secrets: readonly string[],
  isToday: boolean,
): Promise<readonly [model: string, id: string]> {
  const [model, outputTokens] = habit(random())
  const client = formatClients[Math.floor(random() * formatClients.length)]
  const key = secrets[Math.floor(random() ** 2 * secrets.length)]
  assert.ok(client !== undefined && key !== undefined)
  const words = 'A question that stands for what a program sends. '.repeat(20 + Math.floor(random() * 900))
  const tokens = Math.round(outputTokens * (0.4 + random() * 1.6))
  // Requests shown in detail run at real speed; the others only count in totals.
  const pace = isToday ? ' rate=2500 delay=180' : ''
  const text = `tokens=${tokens} thinking=180 events=30${pace} ${words}`
  const wantsStream = random() < 0.6
  const stream = wantsStream && (isToday || shownStreamed.has(model))
  const answer = await askAs(gateway.origin, client, { key, model, text, stream })
  // A stream that is truncated on purpose does not end properly.
  await answer.text().catch(() => '')
  const id = answer.headers.get('x-request-id') ?? ''
  // A failure is answered before it is settled, and the next event here is hours later.
  const { ledger } = gateway.gateway.services
  await eventually(
    'a receipt',
    () => ledger.receipt(parseId('req', id) ?? 0n),
    (receipt) => receipt !== undefined,
  )
  return [model, id]
}

function habit(point: number): readonly [model: ModelName, outputTokens: number] {
  let left = point * habits.reduce((sum, [, share]) => sum + share, 0)
  for (const [model, share, outputTokens] of habits) {
    left -= share
    if (left < 0) return [model, outputTokens]
  }
  return ['gpt-5.5', 100]
}

async function rejectedToday({ gateway, at, nowMs }: Life, { client }: Member, key: string): Promise<void> {
  const chat = clientOf('openai-chat')
  const asked: readonly (readonly [model: string, minutesAgo: number])[] = [
    ['gpt-5-turbo', 48],
    ['gpt-5-turbo', 47],
    ['claude-opus', 41],
    ['gpt-image-1', 12],
  ]
  for (const [model, minutesAgo] of asked) {
    at(nowMs - minutesAgo * minuteMs)
    const answer = await askAs(gateway.origin, chat, { key, model, text: 'Hello' })
    assert.equal(answer.status, 404, await answer.text())
  }
  await eventually(
    'every rejection in the sums',
    () => client.done('overview.show', {}),
    ({ today }) => today.rejected === asked.length,
  )
}

/** The activity of a busy day; returns the id of an invitation. */
async function administered(life: Life, { client }: Member, company: Company): Promise<string> {
  const { gateway } = life
  const { origin } = gateway
  for (const name of ['Edsger', 'Barbara']) await joined(origin, name)
  await client.done('markup.set', { markup: '5%' })
  await client.done('upstreams.put', {
    upstream: 'openai-second',
    provider: 'openai',
    credential: 'a-credential-of-no-use',
    weight: 1,
    disabled: true,
  })
  await client.done('models.price', {
    model: 'gpt-5.5',
    price: { input: '5.50', output: '33', effectiveFrom: new Date(Date.now() + 12 * dayMs).toISOString() },
  })
  await client.done('models.disable', { model: 'gpt-4' })
  const { code } = await client.done('code.create', { amount: '10', note: 'For the workshop', usesMax: 20 })
  await client.done('code.redeem', { code })
  await client.done('management-key.create', {
    name: 'Monthly report',
    scopes: ['usage:read', 'billing:read'],
  })
  const grace = await again(gateway, company.member)
  await paid(life, grace.client, { amount: '20.00', account: company.account })
  await paid(life, grace.client, { amount: '10.00', account: company.account, how: 'declined' }).catch(
    () => '',
  )
  return invited(grace, {
    email: 'joan@example.org',
    role: 'billing',
    organizationId: company.organizationId,
  })
}

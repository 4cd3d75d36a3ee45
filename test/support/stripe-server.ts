/**
 * A fake Stripe on loopback: enough of its API for the official library, a clickable checkout page,
 * and webhooks with real signatures, which a test can delay, repeat, reorder and forge.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { systemClock } from '../../src/base/clock.ts'
import { type Intent, publicSession, type Session, StripeBooks, type StripeEvent } from './stripe-objects.ts'
import { challengePage, gonePage, payPage } from './stripe-pages.ts'

interface StripeServerOptions {
  readonly secretKey: string
  readonly webhookSecret: string
  /** Where events are sent immediately; null: nowhere until `deliver` is called. */
  readonly webhookUrl?: string | null
  readonly port?: number
  readonly nowMs?: () => number
}

export interface Delivery {
  readonly status: number
  readonly body: string
}

/** How a forger, or a wrong clock, alters a delivery. */
export interface Forgery {
  readonly secret?: string
  readonly signedMs?: number
  /** undefined: the right one; null: none. */
  readonly signature?: string | null
  /** The body that is sent, when it differs from the signed one. */
  readonly body?: string
}

export interface StripeServer {
  readonly origin: string
  readonly books: StripeBooks
  /** The number of requests per route: `POST /v1/checkout/sessions`. */
  readonly asked: ReadonlyMap<string, number>
  /** Where events go from now on. */
  sendTo(webhookUrl: string | null): void
  /** `down`: every request gets 503; `lost`: it is processed and the connection breaks before the response. */
  trouble(kind: 'none' | 'down' | 'lost'): void
  /** Sends one event, whether it was sent before or not. */
  deliver(event: StripeEvent, forgery?: Forgery): Promise<Delivery>
  /** Resolves when every automatically sent event has its response. */
  settled(): Promise<readonly Delivery[]>
  close(): Promise<void>
}

export async function startStripeServer(options: StripeServerOptions): Promise<StripeServer> {
  const nowMs = options.nowMs ?? systemClock.wallMs
  const state: State = {
    options,
    webhookUrl: options.webhookUrl ?? null,
    trouble: 'none',
    asked: new Map(),
    answers: new Map(),
    sent: 0,
    deliveries: [],
    origin: '',
    books: new StripeBooks({
      livemode: options.secretKey.includes('_live_'),
      origin: () => state.origin,
      nowS: () => Math.floor(nowMs() / 1_000),
    }),
  }
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error))
    })
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  state.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const deliver: StripeServer['deliver'] = (event, forgery = {}) => {
    if (state.webhookUrl === null) throw new Error('nobody listens to events')
    return post(state.webhookUrl, signed(event, forgery, options.webhookSecret, nowMs()))
  }
  state.deliver = deliver
  return {
    origin: state.origin,
    books: state.books,
    asked: state.asked,
    sendTo(webhookUrl) {
      state.webhookUrl = webhookUrl
      state.sent = state.books.events.length
    },
    trouble(kind) {
      state.trouble = kind
    },
    deliver,
    settled: () => {
      flush(state)
      return Promise.all(state.deliveries.splice(0))
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

interface State {
  readonly options: StripeServerOptions
  readonly books: StripeBooks
  readonly asked: Map<string, number>
  /** By idempotency key. */
  readonly answers: Map<string, Answer & { readonly asked: string }>
  readonly deliveries: Promise<Delivery>[]
  origin: string
  webhookUrl: string | null
  trouble: 'none' | 'down' | 'lost'
  /** How many of the events were sent automatically. */
  sent: number
  deliver?: StripeServer['deliver']
}

/** Sends all unsent events in order, without waiting for responses. */
function flush(state: State): void {
  const { books, deliver, webhookUrl } = state
  if (webhookUrl === null || deliver === undefined) return
  for (const event of books.events.slice(state.sent)) {
    // A server that does not listen misses it, as in production.
    state.deliveries.push(deliver(event).catch((error: unknown) => ({ status: 0, body: String(error) })))
  }
  state.sent = books.events.length
}

interface Signed {
  readonly body: string
  readonly signature: string | null
}

function signed(event: StripeEvent, forgery: Forgery, secret: string, nowMs: number): Signed {
  const payload = JSON.stringify(event)
  const header = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: forgery.secret ?? secret,
    timestamp: Math.floor((forgery.signedMs ?? nowMs) / 1_000),
  })
  return {
    body: forgery.body ?? payload,
    signature: forgery.signature === undefined ? header : forgery.signature,
  }
}

function post(url: string, { body, signature }: Signed): Promise<Delivery> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      ...(signature === null ? {} : { 'stripe-signature': signature }),
    }
    const request = httpRequest(url, { method: 'POST', headers, agent: false }, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, body: text }), reject)
    })
    request.on('error', reject)
    request.end(body)
  })
}

async function textOf(stream: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', state.origin)
  const body = await textOf(request)
  if (url.pathname.startsWith('/pay/'))
    return showPage(state, request.method ?? 'GET', url.pathname, response)
  const route = routes.find(({ method, path }) => method === request.method && path.test(url.pathname))
  const name = `${request.method} ${url.pathname.replace(/\/(cs|pi|pm|cus)_[^/]+/, '/{id}')}`
  state.asked.set(name, (state.asked.get(name) ?? 0) + 1)
  if (request.headers.authorization !== `Bearer ${state.options.secretKey}`) {
    return sendJson(response, failure(401, 'invalid_request_error', 'Invalid API Key provided'))
  }
  if (state.trouble === 'down') return sendJson(response, failure(503, 'api_error', 'Stripe is down'))
  if (route === undefined) return sendJson(response, failure(404, 'invalid_request_error', `No ${name}`))
  const [, id = ''] = route.path.exec(url.pathname) ?? []
  const key = request.headers['idempotency-key']
  const earlier = typeof key === 'string' ? state.answers.get(key) : undefined
  if (earlier !== undefined && earlier.asked !== body) {
    return sendJson(response, failure(400, 'idempotency_error', 'This key came with other parameters before'))
  }
  const found =
    earlier ?? route.answer(state.books, { id, form: new URLSearchParams(body), query: url.searchParams })
  if (typeof key === 'string') state.answers.set(key, { ...found, asked: body })
  flush(state)
  if (state.trouble === 'lost') {
    response.destroy()
    return
  }
  sendJson(response, found)
}

function sendJson(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const failure = (
  status: number,
  type: string,
  message: string,
  more: Record<string, unknown> = {},
): Answer => ({
  status,
  body: { error: { type, message, ...more } },
})

interface Asked {
  readonly id: string
  readonly form: URLSearchParams
  readonly query: URLSearchParams
}

interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  readonly answer: (books: StripeBooks, asked: Asked) => Answer
}

const ok = (body: unknown): Answer => ({ status: 200, body })
const missing = (param: string, id: string): Answer =>
  failure(404, 'invalid_request_error', `No such ${param}: '${id}'`, { code: 'resource_missing', param })

const routes: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/v1\/customers$/,
    answer: (books, { form }) => ok({ object: 'customer', ...books.createCustomer(form.get('email')) }),
  },
  { method: 'POST', path: /^\/v1\/checkout\/sessions$/, answer: createSession },
  {
    method: 'GET',
    path: /^\/v1\/checkout\/sessions\/([^/]+)$/,
    answer(books, { id, query }) {
      const session = books.sessions.get(id)
      if (session === undefined) return missing('session', id)
      const isExpanded = expansions(query).includes('payment_intent')
      const { payment_intent: intent } = session
      const whole = intent === null ? null : shownIntent(books.intent(intent), query, 'payment_intent.')
      return ok({ ...(publicSession(session) as object), payment_intent: isExpanded ? whole : intent })
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/payment_intents\/([^/]+)$/,
    answer(books, { id, query }) {
      const intent = books.intents.get(id)
      return intent === undefined ? missing('payment_intent', id) : ok(shownIntent(intent, query, ''))
    },
  },
  { method: 'POST', path: /^\/v1\/payment_intents$/, answer: createIntent },
  {
    method: 'POST',
    path: /^\/v1\/payment_intents\/([^/]+)\/cancel$/,
    answer(books, { id }) {
      const canceled = books.cancel(id)
      if (canceled !== 'too late') return ok(canceled)
      const code = 'payment_intent_unexpected_state'
      return failure(400, 'invalid_request_error', 'It cannot be canceled.', { code })
    },
  },
  {
    method: 'POST',
    path: /^\/v1\/payment_methods\/([^/]+)\/detach$/,
    answer(books, { id }) {
      const isDetached = books.detach(id)
      return isDetached ? ok({ id, object: 'payment_method' }) : missing('payment_method', id)
    },
  },
  {
    method: 'GET',
    path: /^\/v1\/refunds$/,
    answer: ({ refunds }, { query }) => listOf([...refunds.values()], query),
  },
  { method: 'GET', path: /^\/v1\/events$/, answer: listEvents },
  {
    method: 'GET',
    path: /^\/v1\/disputes$/,
    answer: ({ disputes }, { query }) => listOf([...disputes.values()], query),
  },
]

function listOf(all: readonly { readonly payment_intent: string }[], query: URLSearchParams): Answer {
  const wanted = query.get('payment_intent')
  const found = all.filter(({ payment_intent: intent }) => intent === wanted)
  return ok({ object: 'list', data: found, has_more: false, url: '/v1' })
}

/** The latest first, a page at a time. */
function listEvents({ events }: StripeBooks, { query }: Asked): Answer {
  const types = [...query].filter(([name]) => name.startsWith('types[')).map(([, type]) => type)
  const since = Number(query.get('created[gte]'))
  const meant = events.toReversed().filter(({ type, created }) => types.includes(type) && created >= since)
  const after = query.get('starting_after')
  const from = after === null ? 0 : meant.findIndex(({ id }) => id === after) + 1
  if (after !== null && from === 0) return missing('starting_after', after)
  const to = from + Number(query.get('limit'))
  return ok({ object: 'list', data: meant.slice(from, to), has_more: to < meant.length, url: '/v1/events' })
}

const expansions = (query: URLSearchParams): readonly string[] =>
  [...query].filter(([name]) => name.startsWith('expand')).map(([, value]) => value)

/** Parts are ids unless they are expanded. */
function shownIntent(intent: Intent, query: URLSearchParams, prefix: string): unknown {
  const wanted = expansions(query)
  const shown = (part: 'latest_charge' | 'payment_method') =>
    wanted.includes(`${prefix}${part}`) ? intent[part] : (intent[part]?.id ?? null)
  return { ...intent, latest_charge: shown('latest_charge'), payment_method: shown('payment_method') }
}

function metadataOf(form: URLSearchParams, prefix: string): Record<string, string> {
  const found = [...form].flatMap(([name, value]) => {
    const inner = name.startsWith(`${prefix}[`) ? /^\[(\w+)\]$/.exec(name.slice(prefix.length)) : null
    return inner?.[1] === undefined ? [] : [[inner[1], value] as const]
  })
  return Object.fromEntries(found)
}

function createSession(books: StripeBooks, { form }: Asked): Answer {
  const customer = form.get('customer') ?? ''
  if (!books.customers.has(customer)) return missing('customer', customer)
  const lastsS = Number(form.get('expires_at')) - books.nowS()
  if (lastsS < 1_800 || lastsS > 86_400) {
    return failure(
      400,
      'invalid_request_error',
      'The `expires_at` timestamp must be 30 minutes to 24 hours away',
      {
        param: 'expires_at',
      },
    )
  }
  const session: Session = books.createSession({
    amount_total: Number(form.get('line_items[0][price_data][unit_amount]')),
    currency: form.get('line_items[0][price_data][currency]') ?? '',
    customer,
    client_reference_id: form.get('client_reference_id') ?? '',
    metadata: metadataOf(form, 'metadata'),
    success_url: form.get('success_url') ?? '',
    cancel_url: form.get('cancel_url') ?? '',
    expires_at: Number(form.get('expires_at')),
    ofPayment: {
      metadata: metadataOf(form, 'payment_intent_data[metadata]'),
      setupFutureUsage:
        form.get('payment_intent_data[setup_future_usage]') === 'off_session' ? 'off_session' : null,
    },
  })
  return ok(publicSession(session))
}

function createIntent(books: StripeBooks, { form }: Asked): Answer {
  const method = form.get('payment_method') ?? ''
  const customer = form.get('customer')
  if (books.methods.get(method)?.customer !== customer) return missing('payment_method', method)
  const intent = books.charge({
    amount: Number(form.get('amount')),
    currency: form.get('currency') ?? '',
    customer,
    metadata: metadataOf(form, 'metadata'),
    method,
  })
  const { last_payment_error: error } = intent
  if (error === null) return ok(intent)
  return failure(402, 'card_error', error.message, { code: error.code, payment_intent: intent })
}

function showPage(state: State, method: string, path: string, response: ServerResponse): void {
  const { books } = state
  const [, , id = '', action = ''] = path.split('/')
  const session = books.sessions.get(id)
  const html = (text: string): void => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text)
  }
  if (session === undefined || session.status !== 'open') return html(gonePage())
  if (method !== 'POST') return html(payPage(session, null))
  if (action === 'challenge') return html(challengePage(session))
  const isDeclined = action === 'declined'
  books.pay(id, isDeclined ? 'declined' : action === 'transfer' ? 'transfer' : 'card')
  flush(state)
  if (isDeclined) return html(payPage(session, 'Your card was declined.'))
  response.writeHead(303, { location: session.success_url }).end()
}

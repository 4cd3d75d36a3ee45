/**
 * Attackers that send the requests that are most expensive to read, one after another on keep-alive connections, as fast
 * as they are answered. None of them is ever paid for.
 */
import { Agent, request } from 'node:http'
import type { Attack, AttackTarget } from '../support/attacks.ts'

const countPath = '/v1/messages/count_tokens'
const chatPath = '/v1/chat/completions'

const repeated = (times: number, piece: (index: number) => string): string =>
  Array.from({ length: times }, (_none, index) => piece(index)).join()

/** By name: the members of the request other than its model. */
const contents = {
  '240,000 field names': () =>
    `"messages":[{"role":"user","content":"hello"}],${repeated(240_000, (index) => `"n${index}":1`)}`,
  '80,000 tiny messages': () => `"messages":[${repeated(80_000, () => '{"role":"user","content":"a"}')}]`,
  '31 MB of escapes': () => `"messages":[{"role":"user","content":"${'\\u0041'.repeat(31e6 / 6)}"}]`,
} as const

export interface ExpensiveRequest {
  readonly content: keyof typeof contents
  readonly path: string
}

/** The most expensive kinds for an account with a balance of 0 (chat is rejected before its body) and for one with too little credit. */
export const expensiveRequests: Readonly<Record<'empty' | 'poor', readonly ExpensiveRequest[]>> = {
  empty: [
    { content: '240,000 field names', path: countPath },
    { content: '240,000 field names', path: chatPath },
    { content: '80,000 tiny messages', path: countPath },
    { content: '31 MB of escapes', path: countPath },
  ],
  poor: [
    { content: '240,000 field names', path: countPath },
    { content: '240,000 field names', path: chatPath },
    { content: '80,000 tiny messages', path: chatPath },
    { content: '31 MB of escapes', path: chatPath },
  ],
}

export function bodyOf({ content }: ExpensiveRequest, model: string): Buffer {
  return Buffer.from(`{"model":"${model}",${contents[content]()}}`)
}

interface Sending {
  readonly port: number
  readonly key: string
  readonly agent: Agent
}

/** The response status, or the error code with which the connection ended. */
export function sendExpensive({ port, key, agent }: Sending, path: string, body: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const asking = request({ port, path, method: 'POST', host: '127.0.0.1', agent, headers })
    // A rejection may arrive before the body was sent: then the connection closes while the rest is being sent.
    asking.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    asking.on('response', (answer) => {
      const outcome = `status${answer.statusCode ?? 0}`
      answer.on('error', () => resolve(outcome))
      answer.on('end', () => resolve(outcome))
      answer.resume()
    })
    asking.end(body)
  })
}

/** Values: `key`, `connections`, `model`, and `account`: `empty` or `poor`. */
export async function begin({ port, values }: AttackTarget): Promise<Attack> {
  const { key, connections, account, model } = values
  const wanted = expensiveRequests[account === 'poor' ? 'poor' : 'empty']
  const bodies = wanted.map((one) => ({ path: one.path, body: bodyOf(one, String(model)) }))
  const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
  const counts: Record<string, number> = {}
  const begun = Promise.withResolvers<void>()
  let isOver = false

  /** Each connection starts with a different request. */
  async function sendAll(first: number): Promise<void> {
    for (let turn = first; !isOver; turn += 1) {
      const { path, body } = bodies[turn % bodies.length]!
      const outcome = await sendExpensive({ port, key: String(key), agent }, path, body)
      counts[outcome] = (counts[outcome] ?? 0) + 1
      begun.resolve()
    }
  }

  const loops = Array.from({ length: Number(connections) }, (_none, index) => sendAll(2 * index))
  await begun.promise
  return {
    counts: () => ({ ...counts }),
    async stop() {
      isOver = true
      agent.destroy()
      await Promise.all(loops)
    },
  }
}

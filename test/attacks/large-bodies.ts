/**
 * Attackers with two accounts and many addresses that send concurrently the requests that take most memory: bodies of one
 * to 31 MB to translate, compressed documents, and token counts. A fixed number, so that the attack ends.
 */
import { request } from 'node:http'
import type { Attack, AttackTarget } from '../support/attacks.ts'
import { pdfOf } from '../support/pdf.ts'

const megabyte = 1e6
const chatPath = '/v1/chat/completions'
const messagesPath = '/v1/messages'
const countPath = '/v1/messages/count_tokens'

const user = (content: unknown) => ({ role: 'user', content })
const words = (bytes: number): string => 'These are words of a large prompt. '.repeat(bytes / 35)

function documents(count: number): string {
  // Many pages packed together: short in the body, long once decompressed.
  const data = pdfOf(100_000, 'packed', 1).toString('base64')
  const source = { type: 'base64', media_type: 'application/pdf', data }
  const each = Math.max(1, Math.min(count, Math.floor((31 * megabyte) / data.length)))
  const parts = Array.from({ length: each }, () => ({ type: 'document', source }))
  return JSON.stringify([user([...parts, { type: 'text', text: 'hello' }])])
}

/** The model's name is of the upstream's format; the path decides whether the body is translated. */
const kinds = [
  {
    path: chatPath,
    model: 'messages-echo',
    messages: () => JSON.stringify(Array.from({ length: 40_000 }, () => user('a'))),
  },
  {
    path: chatPath,
    model: 'messages-echo',
    messages: () => JSON.stringify([user(words(31 * megabyte))]),
  },
  {
    path: messagesPath,
    model: 'chat-echo',
    messages: () => JSON.stringify([user(`ā${words(30 * megabyte)}`)]),
  },
  { path: messagesPath, model: 'messages-echo', messages: () => documents(60) },
  { path: countPath, model: 'messages-echo', messages: () => JSON.stringify([user(words(31 * megabyte))]) },
  { path: countPath, model: 'chat-echo', messages: () => JSON.stringify([user(words(8 * megabyte))]) },
] as const

interface Sending {
  readonly port: number
  readonly key: string
  readonly from: string
}

/** The status, or the error with which the connection ended. */
function send({ port, key, from }: Sending, path: string, body: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const asking = request({
      ...{ port, path, method: 'POST', host: '127.0.0.1', localAddress: from, agent: false, headers },
    })
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

/** Values: `keys`, separated by commas; `addresses`; `requests`, of each address, one after another. Resolves at its end. */
export async function begin({ port, values }: AttackTarget): Promise<Attack> {
  const keys = String(values.keys).split(',')
  const bodies = kinds.map(({ path, model, messages }) => ({
    path,
    body: Buffer.from(`{"model":"${model}","max_tokens":5,"messages":${messages()}}`),
  }))
  const counts: Record<string, number> = {}
  async function attack(address: number): Promise<void> {
    const key = keys[address % keys.length] ?? ''
    const sending = { port, key, from: `127.0.${1 + (address >> 7)}.${1 + (address & 127)}` }
    for (let turn = 0; turn < Number(values.requests); turn += 1) {
      const { path, body } = bodies[(address + turn) % bodies.length]!
      const outcome = await send(sending, path, body)
      counts[outcome] = (counts[outcome] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: Number(values.addresses) }, (_none, address) => attack(address)))
  return { counts: () => ({ ...counts }), stop: () => Promise.resolve() }
}

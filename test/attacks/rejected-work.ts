/** Attackers that send requests that are rejected, one after another on keep-alive connections, as fast as they are answered. */
import { Agent, request } from 'node:http'
import type { Attack, AttackTarget } from '../support/attacks.ts'

/** Read to its end before its model is found to be unknown; the approximate size in bytes. */
function bodyOf(bytes: number): string {
  const message = '{"role":"user","content":"a"}'
  const messages = Array.from({ length: Math.ceil(bytes / (message.length + 1)) }, () => message)
  return `{"model":"no-such-model","messages":[${messages.join()}]}`
}

/** `connections` concurrent clients, each sending bodies of `bytes` to `path`. Values: `key`, the credential to send. */
export async function begin({ port, values }: AttackTarget): Promise<Attack> {
  const { connections, bytes, path, key } = values
  const body = bodyOf(Number(bytes))
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  const counts: Record<string, number> = {}
  const count = (name: string): void => {
    counts[name] = (counts[name] ?? 0) + 1
  }
  const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
  let isOver = false
  const begun = Promise.withResolvers<void>()

  function once(): Promise<void> {
    return new Promise((resolve) => {
      const asking = request({ port, path: String(path), method: 'POST', host: '127.0.0.1', agent, headers })
      // A rejection may arrive before the body was sent: then the connection closes while the rest is being sent.
      asking.on('error', (error: NodeJS.ErrnoException) => {
        count(error.code ?? 'error')
        resolve()
      })
      asking.on('response', (answer) => {
        count(`status${answer.statusCode ?? 0}`)
        begun.resolve()
        answer.on('error', () => resolve())
        answer.on('end', resolve)
        answer.resume()
      })
      asking.end(body)
    })
  }

  async function goOn(): Promise<void> {
    while (!isOver) await once()
  }

  const loops = Array.from({ length: Number(connections) }, goOn)
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

/** A chat request whose head was accepted and whose body is sent later: `Expect: 100-continue` on a raw connection. */
import { connect } from 'node:net'
import { eventually } from './metered-gateway.ts'

interface WaitingUpload {
  /** Resolves when the server has asked for the body. */
  readonly asked: Promise<unknown>
  /** Sends the body, and reads to the end of the connection. */
  finish(): Promise<string>
}

export function waitingUpload(origin: string, key: string, model: string): WaitingUpload {
  const messages = [{ role: 'user', content: 'tokens=3' }]
  const body = JSON.stringify({ model, stream: true, max_tokens: 10, messages })
  const client = connect(Number(new URL(origin).port), '127.0.0.1')
  let answer = ''
  client.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\nconnection: close\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  return {
    asked: eventually(
      'the body is asked for',
      () => answer,
      (text) => text.includes('100 Continue'),
    ),
    async finish() {
      answer = ''
      client.write(body)
      await new Promise((resolve) => client.once('close', resolve))
      return answer
    },
  }
}

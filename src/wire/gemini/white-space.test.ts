/** White space in a part of its own, which Gemini sends in front of signed parts, stays in the text for clients of Messages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codecs, wireFormats } from '../../../test/support/wire-formats.ts'
import type { Frame } from '../translation/neutral.ts'
import { StreamTranslator, translateResponse } from '../translation/translate.ts'

const usage = wireFormats.gemini.toUsage({ fields: {}, servedOptions: [], unknown: [], outputShrank: false })
const frame: Frame = {
  requestId: 'req_1',
  model: 'm',
  createdSeconds: 1,
  responseOptions: { includeUsage: false, echo: [], tools: [], logprobs: false },
}
const signed = { thoughtSignature: 'c2ln' }
const call = { functionCall: { name: 'f', args: {} }, ...signed }
const thought = { text: 'hm', thought: true }

/** Blocks without any text are not sent: the API rejects them in the next turn. */
const cases: readonly [name: string, parts: readonly object[], blocks: readonly string[]][] = [
  ['a signed text', [{ text: '\n' }, { text: 'a', ...signed }], ['text \na']],
  ['a thought before it', [thought, { text: '\n' }, { text: 'a', ...signed }], ['thinking hm', 'text \na']],
  ['text around', [{ text: 'a' }, { text: '\n' }, { text: 'b', ...signed }, { text: 'c' }], ['text a\nbc']],
  ['a signed call', [{ text: 'a' }, { text: '\n' }, call], ['text a\n', 'tool_use']],
  ['a signature alone', [{ text: 'a' }, { text: '\n' }, { text: '', ...signed }], ['text a\n']],
  ['a signed text and a call', [{ text: '\n' }, { text: 'a', ...signed }, call], ['text \na', 'tool_use']],
  ['a call alone', [{ text: '\n' }, call], ['tool_use']],
]

interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
}
const told = ({ type, text, thinking }: Block) => [type, text ?? thinking].filter(Boolean).join(' ')
const event = (parts: readonly object[], finishReason?: string) =>
  Buffer.from(
    `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts }, finishReason }] })}\n\n`,
  )

for (const [name, parts, blocks] of cases) {
  test(`white space before ${name}`, () => {
    const body = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
    const neutral = translateResponse(codecs.gemini, Buffer.from(JSON.stringify(body)), usage, new Map())
    const whole = codecs.anthropic.encodeResponse(neutral, frame, { usage, cost: '0' })
    assert.deepEqual((JSON.parse(whole) as { content: Block[] }).content.map(told), blocks)

    const stream = new StreamTranslator(codecs.gemini, codecs.anthropic, {
      ...{ names: new Map(), emulation: undefined },
      ...{ frame, eventBytesMax: 1 << 20 },
    })
    let sent = ''
    for (const part of parts) sent += stream.push(event([part]))
    sent += stream.push(event([], 'STOP')) + stream.end()
    const built: { type: string; text: string }[] = []
    for (const line of sent.split('\n').filter((one) => one.startsWith('data:'))) {
      const { content_block: block, delta } = JSON.parse(line.slice(5)) as {
        content_block?: Block
        delta?: Omit<Block, 'type'>
      }
      if (block !== undefined) built.push({ type: block.type, text: '' })
      const last = built.at(-1)
      if (last !== undefined) last.text += delta?.text ?? delta?.thinking ?? ''
    }
    assert.deepEqual(built.map(told), blocks)
  })
}

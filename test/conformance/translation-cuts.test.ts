/**
 * Every recorded stream into every other format, stopped after each of its events and within each: what the caller has
 * by then has no success mark, and with the error frame that follows, the official library does not accept it as
 * a response.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClientError } from '../../src/wire/format.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { StreamTranslator } from '../../src/wire/translation/translate.ts'
import { libraries } from '../support/stream-libraries.ts'
import {
  beginningInto,
  eventBytesMax,
  type Format,
  formats,
  frame,
  othersThan,
  recordedStreams,
} from '../support/translation.ts'

/** What only a complete response contains, outside of what a model writes. */
const successMarks: Readonly<Record<ConversationFormat, RegExp>> = {
  'openai-chat': /^data: \[DONE\]|(?<!\\)"finish_reason":"/m,
  'openai-responses':
    /^event: response\.(?:completed|incomplete)$|(?<!\\)"type":"response\.(?:completed|incomplete)"/m,
  anthropic: /^event: message_(?:stop|delta)$|(?<!\\)"stop_reason":"/m,
  gemini: /(?<!\\)"finishReason":"/,
}

const truncated: ClientError = {
  code: 'upstream_truncated',
  category: 'server',
  status: 502,
  message: 'The upstream ended its stream before its end.',
  param: null,
  details: {},
  source: 'upstream',
  requestId: frame.requestId,
}

/** The ends of the events, blank lines included. */
function endsOf(bytes: Uint8Array): readonly number[] {
  const text = Buffer.from(bytes).toString('latin1')
  const ends = [...text.matchAll(/\r\n\r\n|\n\n/g)].map((match) => match.index + match[0].length)
  return ends.at(-1) === bytes.length ? ends : [...ends, bytes.length]
}

/** The libraries read this many prefixes of each stream, spread over it; all are searched for success marks. */
const readMax = 12

for (const from of formats) {
  for (const { name, response } of recordedStreams(from)) {
    test(`${from.name}/${name}: no prefix of it looks complete in another format`, async () => {
      const ends = endsOf(response)
      for (const to of othersThan(from)) {
        checkBeginnings(from, to, { response, ends })
        const every = Math.ceil(ends.length / readMax)
        // Of the last event only a part, since a whole stream is complete.
        const read = ends.slice(0, -1).filter((_, index) => index % every === 0)
        const last = ends.at(-2) ?? 0
        for (const end of [...read, last + Math.floor((response.length - last) / 2)]) {
          await checkRead(from, to, response.subarray(0, end))
        }
      }
    })
  }
}

interface Stream {
  readonly response: Uint8Array
  readonly ends: readonly number[]
}

function checkBeginnings(from: Format, to: Format, { response, ends }: Stream): void {
  const translator = new StreamTranslator(from.codec, to.codec, { frame, names: new Map(), eventBytesMax })
  let text = ''
  let at = 0
  for (const end of ends) {
    const middle = at + Math.floor((end - at) / 2)
    text += translator.push(response.subarray(at, middle))
    text += translator.push(response.subarray(middle, end))
    at = end
  }
  text += translator.end()
  assert.doesNotMatch(text, successMarks[to.name], `${to.name}: the last word waits`)
  assert.equal(text, beginningInto(from, to, [response]), `${to.name}: the same in any chunks`)
}

async function checkRead(from: Format, to: Format, bytes: Uint8Array): Promise<void> {
  const text = beginningInto(from, to, [bytes])
  assert.doesNotMatch(text, successMarks[to.name], `${to.name}: cut at ${bytes.length}`)
  const output = text + to.wire.errorFrame(truncated)
  assert.doesNotMatch(output, successMarks[to.name], `${to.name}: cut at ${bytes.length}, with its error`)
  await assert.rejects(
    libraries[to.name](output),
    `${to.name}: cut at ${bytes.length} is taken for an answer`,
  )
}

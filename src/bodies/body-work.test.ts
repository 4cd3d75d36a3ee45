/** Work on a body without decoding it has the same result as the format's own reader. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitDefaults } from '../config/config.ts'
import { readLimits } from '../gateway/phases/decode.ts'
import { upstreamCodecs } from '../wire/formats.ts'
import { carrierId, tagged, taggedBase64 } from '../wire/translation/reasoning-carriers.ts'
import { bodyWork } from './body-work.ts'

const limits = readLimits(limitDefaults)
const format = 'openai-chat'
const encrypted = { vendor: 'openai', data: 'opaque' } as const

/** A body with a text before one message with carriers, as a client sends them back. */
function bodyWith(text: string, { id, signature, google }: Record<'id' | 'signature' | 'google', string>) {
  const call = { id, type: 'function', function: { name: 'look', arguments: '{}' } }
  return Buffer.from(
    JSON.stringify({
      model: 'm',
      messages: [
        { role: 'user', content: text },
        {
          role: 'assistant',
          content: 'x',
          reasoning_details: [{ type: 'reasoning.encrypted', signature }],
          tool_calls: [{ ...call, extra_content: { google: { thought_signature: google } } }],
        },
      ],
    }),
  )
}

test('carriers are stripped wherever they are and whatever digits are before them', () => {
  const plain = { id: 'call', signature: 'x', google: 'x' }
  const marked = [
    { ...plain, id: carrierId('call', { encrypted, thoughts: [] }) },
    { ...plain, signature: tagged(encrypted) },
    { ...plain, google: taggedBase64(encrypted) },
  ]
  for (const digits of [0, 1, 62, 63, 64, 65, 1_000]) {
    for (const filler of ['1', ' 1.5', 'tg1', '世1']) {
      const text = filler.repeat(digits)
      assert.deepEqual(bodyWork.stripCarriers(bodyWith(text, plain), { format, limits }), [])
      for (const fields of marked) {
        const body = bodyWith(text, fields)
        const patches = bodyWork.stripCarriers(body, { format, limits })
        assert.notDeepEqual(patches, [], JSON.stringify(fields))
        assert.deepEqual(patches, upstreamCodecs[format].stripCarriers(body, limits))
      }
    }
  }
})

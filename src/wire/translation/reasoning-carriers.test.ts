/** Carriers return as they were sent, whatever a client does to an ID except for changing it; a damaged one is detected. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { costRatio } from '../../../test/support/cost-ratio.ts'
import type { EncryptedReasoning, ThinkingPart } from './neutral.ts'
import {
  carrierId,
  carrierIdCharactersMax,
  mayHoldCarrier,
  plainId,
  plainIdCharactersMax,
  type ReasoningCarrier,
  readId,
  readTag,
  readTagBase64,
  tagged,
  taggedBase64,
  thoughtIdCharactersMax,
} from './reasoning-carriers.ts'

const plainObjects = { noNullPrototype: true }
const vendors = fc.constantFrom('anthropic', 'openai', 'google')
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constant('\uFEFFbegins with a mark of bytes'),
)
const encryptedValues: fc.Arbitrary<EncryptedReasoning> = fc.record(
  { vendor: vendors, data: anyText },
  plainObjects,
)
const thoughts: fc.Arbitrary<ThinkingPart> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('thinking'),
      text: anyText,
      redacted: fc.constant(false),
      encrypted: fc.option(encryptedValues),
    },
    plainObjects,
  ),
  fc.record(
    { kind: fc.constant('thinking'), text: anyText, redacted: fc.constant(true), encrypted: encryptedValues },
    plainObjects,
  ),
)
const carriers: fc.Arbitrary<ReasoningCarrier> = fc
  .record(
    { encrypted: fc.option(encryptedValues), thoughts: fc.array(thoughts, { maxLength: 4 }) },
    plainObjects,
  )
  .filter((carrier) => carrier.encrypted !== null || carrier.thoughts.length > 0)
const ids = fc.stringMatching(/^[\w-]{1,32}$/)

const google: EncryptedReasoning = { vendor: 'google', data: 'CpwB+/==' }
const thought: ThinkingPart = {
  kind: 'thinking',
  text: 'Let me see.',
  redacted: false,
  encrypted: { vendor: 'anthropic', data: 'Eq' },
}

test('a mark comes back with its id', () => {
  fc.assert(
    fc.property(ids, carriers, (id, carrier) => {
      const marked = carrierId(id, carrier)
      assert.match(marked, /^[\w-]+$/)
      assert.deepEqual(readId(marked), { id, carrier })
      assert.equal(plainId(marked, 64), id)
    }),
  )
})

test('an id without a mark is left as it is, also where it has the letters of one', () => {
  const carrier = { encrypted: null, thoughts: [] }
  for (const id of ['call_1', '', 'a_tg1_b', 'toolu_01', '_tg1_', 'tg1.google.x', 'é']) {
    assert.deepEqual(readId(id), { id, carrier: null })
    assert.equal(carrierId(id, carrier), id)
  }
})

test('an id that holds what looks like a mark can be marked, and comes back', () => {
  const carrier: ReasoningCarrier = { encrypted: google, thoughts: [] }
  for (const id of ['a_tg1_b', 'a_tg1_W', 'a_tg1_Wxyz', '_tg1_W', 'a_tg1_W_tg1_W']) {
    assert.deepEqual(readId(carrierId(id, carrier)), { id, carrier }, id)
  }
})

test('whatever is cut off or changed in a mark, the id stays and the mark is null', () => {
  const id = 'call_abc'
  const marked = carrierId(id, { encrypted: google, thoughts: [thought] })
  const payloadAt = id.length + '_tg1_W'.length
  for (let length = payloadAt; length < marked.length; length += 1) {
    assert.deepEqual(readId(marked.slice(0, length)), { id, carrier: null }, `cut to ${length}`)
  }
  for (let at = payloadAt; at < marked.length; at += 1) {
    const other = marked[at] === 'a' ? 'b' : 'a'
    const changed = marked.slice(0, at) + other + marked.slice(at + 1)
    assert.deepEqual(readId(changed), { id, carrier: null }, `changed at ${at}`)
  }
  assert.deepEqual(readId(`${marked}x`), { id, carrier: null })
  assert.deepEqual(readId(marked.toLowerCase().replace('_tg1_w', '_tg1_W')), { id, carrier: null })
})

test('no bytes of an id can make reading it throw, or take long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (id, rest) => {
      const read = readId(`${id}_tg1_W${rest}`)
      assert.equal(`${id}_tg1_W${rest}`.startsWith(read.id), true)
    }),
  )
  assert.equal(readId('_tg1_W'.repeat(1_000_000)).carrier, null)
})

/** Marks that pass the check and say nonsense: the check is not a signature. */
test('a forged mark is read as none', () => {
  const forged = (value: unknown) => {
    const [, payload] = tagged({ vendor: 'google', data: JSON.stringify(value) }).split('google.')
    return readId(`id_tg1_${payload}`).carrier
  }
  assert.deepEqual(forged([[2, 'x'], []]), { encrypted: { vendor: 'google', data: 'x' }, thoughts: [] })
  assert.deepEqual(forged([[9, 'x'], []]), { encrypted: null, thoughts: [] })
  for (const value of [
    [],
    [null],
    [null, 1],
    [null, [1]],
    [null, [[null, 5, 0]]],
    [null, [[null, 'redacted', 1]]],
  ]) {
    assert.equal(forged(value), null, JSON.stringify(value))
  }
})

test('a marked id is never longer than its limit: the thoughts go first, then all of it', () => {
  const long = { vendor: 'google', data: 'x'.repeat(carrierIdCharactersMax) } as const
  const longThought = { ...thought, text: 'x'.repeat(thoughtIdCharactersMax) }
  assert.equal(carrierId('a', { encrypted: long, thoughts: [] }), 'a')
  assert.equal(carrierId('a', { encrypted: null, thoughts: [longThought] }), 'a')
  assert.deepEqual(readId(carrierId('a', { encrypted: google, thoughts: [longThought] })), {
    id: 'a',
    carrier: { encrypted: google, thoughts: [] },
  })
  fc.assert(
    fc.property(fc.nat(carrierIdCharactersMax), fc.nat(200), (characters, more) => {
      const encrypted: EncryptedReasoning = { vendor: 'google', data: 'x'.repeat(characters) }
      const marked = carrierId('call_1', { encrypted, thoughts: [{ ...thought, text: 'y'.repeat(more) }] })
      assert.ok(marked.length <= carrierIdCharactersMax)
      const { id, carrier } = readId(marked)
      assert.equal(id, 'call_1')
      // Base64 of three bytes is four letters.
      if (characters < 48_000) assert.deepEqual(carrier?.encrypted, encrypted)
    }),
  )
})

test('ids go upstream as they are where they can, else short, and always alike', () => {
  const rows: readonly [id: string, charactersMax: number, expected: string | null][] = [
    ['toolu_01A-b', 40, 'toolu_01A-b'],
    ['c'.repeat(40), 40, 'c'.repeat(40)],
    ['c'.repeat(41), 40, null],
    ['c'.repeat(41), 64, 'c'.repeat(41)],
    ['c'.repeat(65), 64, null],
    ['call.1', 64, null],
    ['call 1', 64, null],
    ['anruf-ä', 64, null],
    ['', 64, null],
    [carrierId('call_1', { encrypted: google, thoughts: [] }), 40, 'call_1'],
  ]
  for (const [id, charactersMax, expected] of rows) {
    const plain = plainId(id, charactersMax)
    assert.match(plain, /^[\w-]+$/)
    if (expected === null) assert.ok(plain.length <= plainIdCharactersMax && plain !== id, id)
    else assert.equal(plain, expected)
    assert.equal(plainId(id, charactersMax), plain)
    assert.equal(plainId(plain, charactersMax), plain)
  }
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 50 }), (all) => {
      // Neither a mark nor what was cut off one tells two ids apart.
      const bare = all.filter((id) => !id.includes('_tg1_W'))
      assert.equal(new Set(bare.map((id) => plainId(id, 40))).size, bare.length)
    }),
  )
})

test('tagged texts come back with their vendor, in both forms', () => {
  fc.assert(
    fc.property(encryptedValues, (encrypted) => {
      if (encrypted.data === '') return
      assert.deepEqual(readTag(tagged(encrypted)), { kind: 'encrypted', encrypted })
      const base64 = taggedBase64(encrypted)
      assert.deepEqual(readTagBase64(base64), { kind: 'encrypted', encrypted })
      // Libraries that keep bytes write them back without padding, or with the other two letters.
      assert.deepEqual(readTagBase64(base64.replace(/=+$/, '')), { kind: 'encrypted', encrypted })
      assert.deepEqual(readTagBase64(base64.replaceAll('+', '-').replaceAll('/', '_')), {
        kind: 'encrypted',
        encrypted,
      })
    }),
  )
})

test('a value without our carrier belongs to the vendor of the field, and a damaged one to no vendor', () => {
  const tag = tagged(google)
  const base64 = taggedBase64(google)
  const rows: readonly [text: string, kind: string, base64Kind: string][] = [
    ['', 'plain', 'plain'],
    ['EqoBCkgIARABGAIqQDU', 'plain', 'plain'],
    ['skip_thought_signature_validator', 'plain', 'plain'],
    ['tg1.', 'broken', 'plain'],
    ['tg1.mistral.abc', 'broken', 'plain'],
    ['tg1.google.', 'broken', 'plain'],
    ['tg1.google.####0000', 'broken', 'plain'],
    [tag.slice(0, -1), 'broken', 'plain'],
    [`${tag} `, 'broken', 'plain'],
    [base64.slice(0, -5), 'plain', 'broken'],
    ['dGcxLé', 'plain', 'broken'],
  ]
  for (const [text, kind, base64Kind] of rows) {
    assert.equal(readTag(text).kind, kind, text)
    assert.equal(readTagBase64(text).kind, base64Kind, text)
  }
})

test('every carrier is found in a body, in every position', () => {
  const encoder = new TextEncoder()
  const border = 64 * 1024
  assert.equal(mayHoldCarrier(encoder.encode('_tg1-tg1,dGcx_'.repeat(border))), false)
  fc.assert(
    fc.property(
      ids,
      encryptedValues,
      fc.integer({ min: -20, max: 20 }),
      fc.constantFrom('x', '世'),
      (id, encrypted, offset, filler) => {
        const before = filler.repeat((border + offset) / encoder.encode(filler).length)
        for (const text of [
          carrierId(id, { encrypted, thoughts: [] }),
          tagged(encrypted),
          taggedBase64(encrypted),
        ])
          assert.ok(mayHoldCarrier(encoder.encode(`${before}${text}${before}`)), text)
      },
    ),
  )
})

test('large payloads come back in linear time', () => {
  const round = (characters: number) => {
    const encrypted: EncryptedReasoning = { vendor: 'openai', data: 'Ā€😀x'.repeat(characters / 5) }
    for (let times = 0; times < 5; times += 1) {
      assert.deepEqual(readTag(tagged(encrypted)), { kind: 'encrypted', encrypted })
      assert.deepEqual(readTagBase64(taggedBase64(encrypted)), { kind: 'encrypted', encrypted })
    }
  }
  round(200_000)
  const ratio = costRatio(12, { small: () => round(200_000), large: () => round(800_000) })
  assert.ok(ratio < 12, `four times the payload took ${ratio.toFixed(1)} times the work`)
})

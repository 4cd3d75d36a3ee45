/** Marks come back as they were sent, through whatever a client does to an id short of changing it; a damaged one is noticed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type Mark,
  markedId,
  markedIdCharactersMax,
  mayHoldMark,
  plainId,
  readId,
  readTag,
  readTagBase64,
  shortIdCharactersMax,
  tagged,
  taggedBase64,
  thoughtIdCharactersMax,
} from './marks.ts'
import type { Seal, ThinkingPart } from './neutral.ts'

const plainObjects = { noNullPrototype: true }
const makers = fc.constantFrom('anthropic', 'openai', 'google')
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constant('\uFEFFbegins with a mark of bytes'),
)
const seals: fc.Arbitrary<Seal> = fc.record({ maker: makers, data: anyText }, plainObjects)
const thoughts: fc.Arbitrary<ThinkingPart> = fc.oneof(
  fc.record(
    { kind: fc.constant('thinking'), text: anyText, redacted: fc.constant(false), seal: fc.option(seals) },
    plainObjects,
  ),
  fc.record(
    { kind: fc.constant('thinking'), text: anyText, redacted: fc.constant(true), seal: seals },
    plainObjects,
  ),
)
const marks: fc.Arbitrary<Mark> = fc
  .record({ seal: fc.option(seals), thoughts: fc.array(thoughts, { maxLength: 4 }) }, plainObjects)
  .filter((mark) => mark.seal !== null || mark.thoughts.length > 0)
const ids = fc.stringMatching(/^[\w-]{1,32}$/)

const google: Seal = { maker: 'google', data: 'CpwB+/==' }
const thought: ThinkingPart = {
  kind: 'thinking',
  text: 'Let me see.',
  redacted: false,
  seal: { maker: 'anthropic', data: 'Eq' },
}

test('a mark comes back with its id', () => {
  fc.assert(
    fc.property(ids, marks, (id, mark) => {
      const marked = markedId(id, mark)
      assert.match(marked, /^[\w-]+$/)
      assert.deepEqual(readId(marked), { id, mark })
      assert.equal(plainId(marked, 64), id)
    }),
  )
})

test('an id without a mark is left as it is, also where it has the letters of one', () => {
  const mark = { seal: null, thoughts: [] }
  for (const id of ['call_1', '', 'a_tg1_b', 'toolu_01', '_tg1_', 'tg1.google.x', 'é']) {
    assert.deepEqual(readId(id), { id, mark: null })
    assert.equal(markedId(id, mark), id)
  }
})

test('an id that holds what looks like a mark can be marked, and comes back', () => {
  const mark: Mark = { seal: google, thoughts: [] }
  for (const id of ['a_tg1_b', 'a_tg1_W', 'a_tg1_Wxyz', '_tg1_W', 'a_tg1_W_tg1_W']) {
    assert.deepEqual(readId(markedId(id, mark)), { id, mark }, id)
  }
})

test('whatever is cut off or changed in a mark, the id stays and the mark is null', () => {
  const id = 'call_abc'
  const marked = markedId(id, { seal: google, thoughts: [thought] })
  const payloadAt = id.length + '_tg1_W'.length
  for (let length = payloadAt; length < marked.length; length += 1) {
    assert.deepEqual(readId(marked.slice(0, length)), { id, mark: null }, `cut to ${length}`)
  }
  for (let at = payloadAt; at < marked.length; at += 1) {
    const other = marked[at] === 'a' ? 'b' : 'a'
    const changed = marked.slice(0, at) + other + marked.slice(at + 1)
    assert.deepEqual(readId(changed), { id, mark: null }, `changed at ${at}`)
  }
  assert.deepEqual(readId(`${marked}x`), { id, mark: null })
  assert.deepEqual(readId(marked.toLowerCase().replace('_tg1_w', '_tg1_W')), { id, mark: null })
})

test('no bytes of an id can make reading it throw, or take long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (id, rest) => {
      const read = readId(`${id}_tg1_W${rest}`)
      assert.equal(`${id}_tg1_W${rest}`.startsWith(read.id), true)
    }),
  )
  assert.equal(readId('_tg1_W'.repeat(1_000_000)).mark, null)
})

/** Marks that pass the check and say nonsense: the check is no signature. */
test('a forged mark is read as none', () => {
  const forged = (value: unknown) => {
    const [, payload] = tagged({ maker: 'google', data: JSON.stringify(value) }).split('google.')
    return readId(`id_tg1_${payload}`).mark
  }
  assert.deepEqual(forged([[2, 'x'], []]), { seal: { maker: 'google', data: 'x' }, thoughts: [] })
  assert.deepEqual(forged([[9, 'x'], []]), { seal: null, thoughts: [] })
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
  const long = { maker: 'google', data: 'x'.repeat(markedIdCharactersMax) } as const
  const longThought = { ...thought, text: 'x'.repeat(thoughtIdCharactersMax) }
  assert.equal(markedId('a', { seal: long, thoughts: [] }), 'a')
  assert.equal(markedId('a', { seal: null, thoughts: [longThought] }), 'a')
  assert.deepEqual(readId(markedId('a', { seal: google, thoughts: [longThought] })), {
    id: 'a',
    mark: { seal: google, thoughts: [] },
  })
  fc.assert(
    fc.property(fc.nat(markedIdCharactersMax), fc.nat(200), (characters, more) => {
      const seal: Seal = { maker: 'google', data: 'x'.repeat(characters) }
      const marked = markedId('call_1', { seal, thoughts: [{ ...thought, text: 'y'.repeat(more) }] })
      assert.ok(marked.length <= markedIdCharactersMax)
      const { id, mark } = readId(marked)
      assert.equal(id, 'call_1')
      // Base64 of three bytes is four letters.
      if (characters < 48_000) assert.deepEqual(mark?.seal, seal)
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
    [markedId('call_1', { seal: google, thoughts: [] }), 40, 'call_1'],
  ]
  for (const [id, charactersMax, expected] of rows) {
    const plain = plainId(id, charactersMax)
    assert.match(plain, /^[\w-]+$/)
    if (expected === null) assert.ok(plain.length <= shortIdCharactersMax && plain !== id, id)
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

test('tagged texts come back with their maker, in both forms', () => {
  fc.assert(
    fc.property(seals, (seal) => {
      if (seal.data === '') return
      assert.deepEqual(readTag(tagged(seal)), { kind: 'seal', seal })
      const base64 = taggedBase64(seal)
      assert.deepEqual(readTagBase64(base64), { kind: 'seal', seal })
      // Libraries that keep bytes write them back without padding, or with the other two letters.
      assert.deepEqual(readTagBase64(base64.replace(/=+$/, '')), { kind: 'seal', seal })
      assert.deepEqual(readTagBase64(base64.replaceAll('+', '-').replaceAll('/', '_')), {
        kind: 'seal',
        seal,
      })
    }),
  )
})

test('what no mark of ours is belongs to the maker of the field, and what is damaged to nobody', () => {
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

test('every mark is found in a body, wherever it stands', () => {
  const encoder = new TextEncoder()
  const border = 64 * 1024
  assert.equal(mayHoldMark(encoder.encode('_tg1-tg1,dGcx_'.repeat(border))), false)
  fc.assert(
    fc.property(
      ids,
      seals,
      fc.integer({ min: -20, max: 20 }),
      fc.constantFrom('x', '世'),
      (id, seal, offset, filler) => {
        const before = filler.repeat((border + offset) / encoder.encode(filler).length)
        for (const text of [markedId(id, { seal, thoughts: [] }), tagged(seal), taggedBase64(seal)])
          assert.ok(mayHoldMark(encoder.encode(`${before}${text}${before}`)), text)
      },
    ),
  )
})

test('large payloads come back in linear time', () => {
  const round = (characters: number) => {
    const seal: Seal = { maker: 'openai', data: 'Ā€😀x'.repeat(characters / 5) }
    const before = process.cpuUsage()
    for (let times = 0; times < 5; times += 1) {
      assert.deepEqual(readTag(tagged(seal)), { kind: 'seal', seal })
      assert.deepEqual(readTagBase64(taggedBase64(seal)), { kind: 'seal', seal })
    }
    return process.cpuUsage(before).user
  }
  round(200_000)
  const small = Math.min(round(200_000), round(200_000), round(200_000))
  const large = Math.min(round(800_000), round(800_000), round(800_000))
  assert.ok(large / small < 12, `four times the payload took ${(large / small).toFixed(1)} times the work`)
})

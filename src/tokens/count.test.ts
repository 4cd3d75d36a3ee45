/** The counter: correct, in time or not at all, bounded, and linear on hostile text. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { costRatioOfAll } from '../../test/support/cost-ratio.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { type Clock, systemClock } from '../base/clock.ts'
import { limitDefaults } from '../config/config.ts'
import { threadEntries } from '../server/thread-entries.ts'
import { type CountLimits, openCounter, scaled } from './count.ts'

const open: ReturnType<typeof openCounter>[] = []
after(() => Promise.all(open.map((counter) => counter.close())))

function counterOf(changed: Partial<CountLimits> = {}, clock: Clock = systemClock) {
  const counter = openCounter({
    clock,
    limits: { ...limitDefaults, ...changed },
    entry: threadEntries.counter,
  })
  open.push(counter)
  return counter
}

const prose = 'The gate keeper counts what passes, and writes it down in 2 books. '
/** Whose budget of time no busy machine uses up. */
const shared = counterOf({ countMs: 600_000 })

const texts: readonly [what: string, text: string][] = [
  ['nothing', ''],
  ['a word', 'tollgate'],
  ['prose of many runs', prose.repeat(500)],
  ['JSON', JSON.stringify({ messages: Array(300).fill({ role: 'user', content: prose }) })],
  ['names of special tokens', '<|endoftext|><|im_start|>system'],
]

for (const [what, text] of texts) {
  test(`counts exactly: ${what}`, async () => {
    assert.equal(await shared.count(text), countTokens(text, { disallowedSpecial: new Set() }))
  })
}

test('concurrently counted texts each get their own count', async () => {
  const wanted = [1, 50, 3, 20].map((times) => prose.repeat(times))
  const counts = await Promise.all(wanted.map((text) => shared.count(text)))
  assert.deepEqual(
    counts,
    wanted.map((text) => countTokens(text)),
  )
})

test('a short text does not wait for a long one that came before', async () => {
  const order: string[] = []
  const long = shared.count(prose.repeat(20_000)).then(() => order.push('long'))
  await shared.count('short').then(() => order.push('short'))
  await long
  assert.deepEqual(order, ['short', 'long'])
})

test('what is too long, too many or too much together is not counted', async () => {
  assert.equal(await counterOf({ countBytesMax: 5 }).count('éééé'), undefined)
  const narrow = counterOf({ countQueueMax: 1, countMs: 600_000 })
  const first = narrow.count('one')
  assert.equal(await narrow.count('two'), undefined)
  assert.equal(await first, 1)
  assert.equal(await narrow.count('two'), 1)
  const light = counterOf({ countQueuedBytesMax: 10, countMs: 600_000 })
  const heavy = light.count('x'.repeat(10))
  assert.equal(await light.count('y'), undefined)
  assert.notEqual(await heavy, undefined)
})

test('a late count is discarded, and the next text is counted', async () => {
  const clock = manualClock()
  const counter = counterOf({ countMs: 1_000 }, clock)
  const late = counter.count(prose.repeat(5_000))
  clock.advance(1_000)
  assert.equal(await late, undefined)
  assert.equal(await counter.count('tollgate'), countTokens('tollgate'))
  assert.equal(clock.pending(), 1, 'the end of a thread that has nothing to do')
  clock.advance(60_000)
  assert.equal(clock.pending(), 0)
  assert.equal(await counter.count('tollgate'), countTokens('tollgate'), 'in a new thread')
})

const ask = { account: 1n, tokensMax: Number.MAX_SAFE_INTEGER }

test('what is out of time is bounded by what was counted and the bytes of the rest', async () => {
  const clock = manualClock()
  const counter = counterOf({ countMs: 1_000 }, clock)
  const text = prose.repeat(5_000)
  const tokens = countTokens(text)
  const late = counter.bound({ ...ask, text })
  // The thread takes turns: what came after the first slices of the long text shows that these are counted.
  while ((await counter.count('tollgate')) === undefined);
  clock.advance(1_000)
  const bound = await late
  assert.equal(bound.source, 'bounded')
  assert.ok(bound.tokens >= tokens && bound.tokens < text.length, `${bound.tokens} of ${tokens}`)
})

test('a text without room in the queue is bounded by its bytes immediately', async () => {
  assert.deepEqual(await counterOf({ countBytesMax: 5 }).bound({ ...ask, text: 'éééé' }), {
    tokens: 8,
    source: 'bounded',
  })
  // Starting a thread takes longer than a count may, where the machine is busy.
  const counter = counterOf({ countQueuedBytesPerAccountMax: 10 }, manualClock())
  const first = counter.bound({ ...ask, text: 'x'.repeat(10) })
  assert.equal((await counter.bound({ ...ask, text: 'y' })).source, 'bounded')
  assert.equal((await counter.bound({ ...ask, account: 2n, text: 'y' })).source, 'counted')
  assert.equal((await first).source, 'counted')
})

test('bytes are counted as their text is, and counting stops where no more is needed', async () => {
  const text = prose.repeat(5_000)
  const bytes = (): Uint8Array => new TextEncoder().encode(text)
  const whole = await shared.bound({ ...ask, text: bytes() })
  assert.deepEqual(whole, { tokens: countTokens(text), source: 'counted' })
  const { tokens } = await shared.bound({ ...ask, text: bytes(), tokensMax: 1_000 })
  assert.ok(tokens >= 1_000 && tokens < whole.tokens / 2, `${tokens} of ${whole.tokens}`)
})

test("an account's long texts do not hold up another account's", async () => {
  const order: string[] = []
  const long = Array.from({ length: 20 }, () =>
    shared.bound({ ...ask, text: prose.repeat(2_000) }).then(() => order.push('long')),
  )
  await shared.bound({ ...ask, account: 2n, text: prose.repeat(500) }).then(() => order.push('other'))
  await Promise.all(long)
  // The thread may begin before the last text reaches it, so some of the long ones may come first.
  assert.ok(order.indexOf('other') < order.length / 2, order.join())
})

test('a closed counter counts nothing and rejects pending counts', async () => {
  const counter = counterOf()
  const waiting = counter.count(prose)
  await counter.close()
  assert.equal(await waiting, undefined)
  assert.equal(await counter.count(prose), undefined)
})

for (const [what, alphabet] of [
  ['one letter', 'a'],
  ['letters without an end', 'qwertyuiopasdfghjklzxcvbnm'],
  ['blanks', ' \t'],
] as const) {
  test(`four times the text takes about four times the work: ${what}`, async () => {
    // A linear congruential sequence: the same hostile text every time.
    let state = 7
    const hostile = (length: number) => {
      let text = ''
      for (let at = 0; at < length; at += 1) {
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        text += alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)]
      }
      return text
    }
    const counted = async (text: string) => assert.notEqual(await shared.count(text), undefined)
    await counted(hostile(1_000))
    const [small, large] = [hostile(50_000), hostile(200_000)]
    const work = { small: () => counted(small), large: () => counted(large), floorUs: 5_000 }
    const ratio = await costRatioOfAll(12, work)
    assert.ok(ratio < 12, `${ratio.toFixed(1)} times the work`)
  })
}

test('scaling for another maker rounds up', () => {
  assert.equal(scaled(100, { numerator: 135, denominator: 100 }), 135)
  assert.equal(scaled(101, { numerator: 135, denominator: 100 }), 137)
  assert.equal(scaled(0, { numerator: 135, denominator: 100 }), 0)
})

/** Which upstream is called first, and what moves one behind the others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { manualClock } from '../../test/support/manual-clock.ts'
import type { UpstreamFailure } from './connector.ts'
import { openHealth, orderUpstreams, stickyHash } from './health.ts'

const limits = {
  cooldownMsMax: 60_000,
  failuresBeforeEjection: 5,
  ejectionMs: 30_000,
  ejectionMsMax: 300_000,
}

function candidate(name: string, weight = 1, priority = 1) {
  return { upstream: { name }, priority, weight }
}

function failure(more: Partial<UpstreamFailure> = {}): UpstreamFailure {
  return {
    code: 'upstream_error',
    retry: 'elsewhere',
    status: null,
    message: '',
    retryAfterMs: null,
    cooldownMs: 1_000,
    concerns: 'host',
    otherModelMay: null,
    operator: false,
    ...more,
  }
}

function names(candidates: readonly { readonly upstream: { readonly name: string } }[]): string {
  return candidates.map(({ upstream }) => upstream.name).join('')
}

const three = [candidate('a'), candidate('b'), candidate('c')]

test('an upstream that cools down is asked after the others, and then again in its place', () => {
  const clock = manualClock()
  const health = openHealth({ limits, clock })
  const sticky = Array.from({ length: 100 }, (_, at) => at).find(
    (at) =>
      names(orderUpstreams(three, { health: health.snapshot(), sticky: at, nowMs: clock.monoMs() })) ===
      'abc',
  )!
  const order = (): string =>
    names(orderUpstreams(three, { health: health.snapshot(), sticky, nowMs: clock.monoMs() }))
  health.failed('a', failure({ cooldownMs: 5_000 }))
  assert.equal(order(), 'bca')
  health.failed('b', failure({ cooldownMs: 2_000 }))
  assert.equal(order(), 'cba')
  clock.advance(2_000)
  assert.equal(order(), 'bca')
  clock.advance(3_000)
  assert.equal(order(), 'abc')
})

test('a cooldown is capped, and a success ends it', () => {
  const clock = manualClock()
  const health = openHealth({ limits, clock })
  health.failed('a', failure({ cooldownMs: 10_000_000 }))
  assert.equal(health.snapshot().get('a')?.asideUntilMs, 60_000)
  health.served('a')
  assert.equal(health.snapshot().size, 0)
})

test('failures in a row set an upstream aside for longer each time, up to a limit', () => {
  const clock = manualClock()
  const health = openHealth({ limits, clock })
  const aside: number[] = []
  for (let count = 0; count < 10; count += 1) {
    health.failed('a', failure({ cooldownMs: 0 }))
    aside.push(health.snapshot().get('a')!.asideUntilMs)
  }
  assert.deepEqual(aside, [0, 0, 0, 0, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000])
})

test('a rejection of the caller’s request shows an upstream that works; one of our credential does not', () => {
  const health = openHealth({ limits, clock: manualClock() })
  health.failed('a', failure())
  health.failed('a', failure({ retry: 'never', cooldownMs: 0 }))
  assert.equal(health.snapshot().size, 0)
  health.failed('a', failure({ operator: true, cooldownMs: 60_000 }))
  assert.equal(health.snapshot().get('a')?.asideUntilMs, 60_000)
})

test('nothing is ever left out, whatever failed', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(7), fc.nat(100_000))),
      fc.nat(),
      (upstreams, failures, sticky) => {
        const clock = manualClock()
        const health = openHealth({ limits, clock })
        for (const [at, cooldownMs] of failures) {
          health.failed(upstreams[at % upstreams.length]!, failure({ cooldownMs }))
        }
        const candidates = upstreams.map((name, at) => candidate(name, at % 3))
        const ordered = orderUpstreams(candidates, {
          health: health.snapshot(),
          sticky,
          nowMs: clock.monoMs(),
        })
        assert.equal(ordered.length, candidates.length)
        assert.equal(new Set(ordered).size, candidates.length)
        const aside = ordered.map(({ upstream }) => health.snapshot().get(upstream.name)?.asideUntilMs ?? 0)
        assert.deepEqual(
          aside,
          aside.toSorted((one, other) => one - other),
        )
      },
    ),
  )
})

test('a group precedes the next while one of its offers is healthy', () => {
  const clock = manualClock()
  const health = openHealth({ limits, clock })
  const grouped = [candidate('z', 5, 2), candidate('a', 1, 1), candidate('y', 0, 2), candidate('b', 0, 1)]
  const order = (): string =>
    names(orderUpstreams(grouped, { health: health.snapshot(), sticky: 1, nowMs: clock.monoMs() }))
  assert.equal(order(), 'abzy')
  health.failed('a', failure({ cooldownMs: 5_000 }))
  assert.equal(order(), 'bzya')
  clock.advance(5_000)
  assert.equal(order(), 'abzy')
})

test('a rate limit of one model leaves the others of its upstream in place; a rejected credential does not', () => {
  const clock = manualClock()
  const health = openHealth({ limits, clock })
  const at = (upstream: string, upstreamModel: string) => ({
    ...candidate(upstream),
    offer: { upstreamModel },
  })
  const first = (model: string): string => {
    const candidates = [at('a', model), { ...at('b', model), priority: 2 }]
    return names(orderUpstreams(candidates, { health: health.snapshot(), sticky: 1, nowMs: clock.monoMs() }))
  }
  health.failed('a', failure({ concerns: 'model', cooldownMs: 5_000 }), 'large')
  assert.deepEqual([first('large'), first('small')], ['ba', 'ab'])
  assert.equal(health.report('a').state, 'cooling')
  health.failed('a', failure({ concerns: 'credential', operator: true, cooldownMs: 5_000 }), 'large')
  assert.deepEqual([first('large'), first('small')], ['ba', 'ba'])
  clock.advance(5_000)
  assert.deepEqual([first('large'), first('small')], ['ab', 'ab'])
})

test('failures of several models in a row set their upstream aside', () => {
  const clock = manualClock()
  const health = openHealth({ limits, clock })
  const asideMs = () => health.snapshot().get('a')?.asideUntilMs ?? 0
  for (let count = 1; count < limits.failuresBeforeEjection; count += 1)
    health.failed('a', failure(), `m${count}`)
  assert.equal(asideMs(), 0)
  health.failed('a', failure(), 'another')
  assert.equal(asideMs(), limits.ejectionMs)
  health.forget('a')
  assert.equal(health.snapshot().size, 0)
})

test('operators read of an upstream how it does, in numbers and in a code', () => {
  const clock = manualClock()
  const health = openHealth({ limits, clock })
  const quiet = { failing: false, failingModel: null, lastFailure: null }
  const unused = { state: 'unused', untilMs: null, requests: 0, failures: 0, ...quiet }
  assert.deepEqual(health.report('a'), unused)
  health.served('a')
  // The caller's mistake shows an upstream that works.
  health.failed('a', failure({ retry: 'never' }))
  assert.deepEqual(health.report('a'), { ...unused, state: 'healthy', requests: 2 })
  health.failed('a', failure({ code: 'upstream_timeout', cooldownMs: 2_000 }))
  const cooling = {
    state: 'cooling',
    untilMs: clock.wallMs() + 2_000,
    requests: 3,
    failures: 1,
    failing: false,
    failingModel: null,
    lastFailure: { code: 'upstream_timeout', operator: false, concerns: 'host', status: null },
  }
  assert.deepEqual(health.report('a'), cooling)
  clock.advance(2_000)
  assert.deepEqual(health.report('a'), { ...cooling, state: 'failing', untilMs: null })
  for (let count = 1; count < limits.failuresBeforeEjection; count += 1) health.failed('a', failure())
  assert.deepEqual([health.report('a').state, health.report('a').failures], ['ejected', 5])
  health.forget('a')
  assert.deepEqual(health.report('a'), unused)
  assert.equal(health.snapshot().size, 0)
})

test('an upstream fails until the same model serves there again, however long it was set aside', () => {
  const clock = manualClock()
  const health = openHealth({ limits, clock })
  const request = 'POST https://host.example/v1/responses'
  const answer = { status: 404, request, message: 'Not Found' }
  health.failed('a', { ...failure({ operator: true, concerns: 'model' }), answer }, 'one')
  clock.advance(3_600_000)
  health.served('a', 'two')
  const { state, failing, failingModel, lastFailure } = health.report('a')
  assert.deepEqual([state, failing, failingModel], ['failing', true, 'one'])
  assert.deepEqual(
    [lastFailure?.status, lastFailure?.request, lastFailure?.message],
    [404, request, 'Not Found'],
  )
  // The report names a model only if exactly one fails.
  health.failed('a', failure({ operator: true, concerns: 'model' }), 'two')
  assert.equal(health.report('a').failingModel, null)
  health.served('a', 'two')
  assert.equal(health.report('a').failingModel, 'one')
  health.failed('a', failure({ operator: true, concerns: 'credential' }), 'one')
  assert.deepEqual([health.report('a').failing, health.report('a').failingModel], [true, null])
  health.served('a', 'one')
  assert.deepEqual([health.report('a').failing, health.report('a').failingModel], [false, null])
})

test('each upstream is first in proportion to its weight, and weight 0 is only a replacement', () => {
  const health = openHealth({ limits, clock: manualClock() }).snapshot()
  const weighted = [candidate('z', 0), candidate('a', 3), candidate('b', 1), candidate('y', 0)]
  const first: Record<string, number> = {}
  const total = 4_000
  for (let count = 0; count < total; count += 1) {
    const ordered = orderUpstreams(weighted, {
      health,
      sticky: stickyHash(BigInt(count), Buffer.from('x')),
      nowMs: 0,
    })
    first[ordered[0]!.upstream.name] = (first[ordered[0]!.upstream.name] ?? 0) + 1
    assert.equal(names(ordered.slice(2)), 'zy')
  }
  assert.deepEqual(Object.keys(first).sort(), ['a', 'b'])
  assert.ok(Math.abs(first.a! / total - 0.75) < 0.04, JSON.stringify(first))
})

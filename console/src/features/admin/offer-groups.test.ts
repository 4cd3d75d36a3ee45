/** Moves of offers between groups, and the input to save them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  areSame,
  askedOffers,
  changed,
  type Groups,
  moved,
  offerMistakes,
  shareOf,
  stepTarget,
  type Target,
  withOffer,
  without,
} from './offer-groups.ts'

/** `a,b|c`: two groups. */
function groups(text: string): Groups {
  return text.split('|').map((group) =>
    group.split(',').map((name) => {
      return { id: name, upstream: name, upstreamModel: 'm', weight: '1', cost: null }
    }),
  )
}

const text = (list: Groups): string => list.map((group) => group.map(({ id }) => id).join()).join('|')

const moves: readonly (readonly [from: string, id: string, target: Target, to: string])[] = [
  ['a|b|c', 'c', { kind: 'group', at: 0 }, 'a,c|b'],
  ['a,b|c', 'a', { kind: 'group', at: 1 }, 'b|c,a'],
  ['a,b|c', 'a', { kind: 'group', at: 0 }, 'a,b|c'],
  ['a,b|c', 'c', { kind: 'new group', before: 0 }, 'c|a,b'],
  ['a,b|c', 'b', { kind: 'new group', before: 1 }, 'a|b|c'],
  ['a,b|c', 'b', { kind: 'new group', before: 2 }, 'a|c|b'],
  ['a|b', 'a', { kind: 'new group', before: 0 }, 'a|b'],
  ['a|b', 'absent', { kind: 'group', at: 0 }, 'a|b'],
]
for (const [from, id, target, to] of moves) {
  test(`${id} of ${from} to ${JSON.stringify(target)} is ${to}`, () => {
    assert.equal(text(moved(groups(from), id, target)), to)
  })
}

const steps: readonly (readonly [from: string, id: string, step: 'up' | 'down', to: string | undefined])[] = [
  ['a|b', 'b', 'up', 'a,b'],
  ['a,b', 'b', 'up', 'b|a'],
  ['a,b', 'a', 'down', 'b|a'],
  ['a|b', 'a', 'up', undefined],
  ['a|b', 'b', 'down', undefined],
  ['a', 'a', 'down', undefined],
]
for (const [from, id, step, to] of steps) {
  test(`${id} of ${from} one step ${step} is ${to ?? 'nowhere'}`, () => {
    const list = groups(from)
    const target = stepTarget(list, id, step)
    assert.equal(target === undefined ? undefined : text(moved(list, id, target)), to)
  })
}

test('every offer can reach every group by steps, and none gets lost', () => {
  let list = groups('a,b|c,d')
  for (let times = 0; times < 6; times += 1) {
    const target = stepTarget(list, 'd', 'up')
    if (target !== undefined) list = moved(list, 'd', target)
    assert.deepEqual(
      list
        .flat()
        .map(({ id }) => id)
        .sort(),
      ['a', 'b', 'c', 'd'],
    )
  }
  assert.equal(text(list), 'd|a,b|c')
})

test('weights and duplicates are checked, shares follow the weights', () => {
  const list = withOffer(changed(groups('a,b'), 'b', { weight: '3' }), { upstream: 'a', upstreamModel: 'm' })
  assert.deepEqual([...offerMistakes(list)], [['new a m', 'This offer is listed twice.']])
  for (const weight of ['', '-1', '1.5', '1001', 'x'])
    assert.ok(offerMistakes(changed(groups('a,b'), 'a', { weight })).has('a'), weight)
  const [group = []] = changed(groups('a,b'), 'b', { weight: '3' })
  assert.deepEqual(
    group.map((offer) => shareOf(group, offer)),
    [0.25, 0.75],
  )
  assert.equal(shareOf(group.slice(1), group[1] ?? assert.fail('it is there')), null)
})

test('what is asked has the groups as numbers, and what is the same is not a change', () => {
  const cost = { input: '1', output: '2' }
  const list = changed(groups('a|b'), 'b', { cost })
  assert.deepEqual(askedOffers(list), [
    { upstream: 'a', upstreamModel: 'm', priority: 1, weight: 1, cost: null },
    { upstream: 'b', upstreamModel: 'm', priority: 2, weight: 1, cost },
  ])
  assert.ok(areSame(groups('a|b'), changed(list, 'b', { cost: null })))
  assert.equal(text(without(groups('a|b'), 'a')), 'b')
})

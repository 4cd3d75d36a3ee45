/** A bounded map keeps what was used last, and never more than its bound. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentMap } from './recent-map.ts'

test('what is used stays, what is not used is forgotten, and the bound holds', () => {
  const map = new RecentMap<number, string>(6)
  for (let key = 0; key < 100; key += 1) {
    map.set(key, `value ${key}`)
    assert.equal(map.get(0), 'value 0', 'an entry in use stays')
    assert.ok(map.values().length <= 6)
  }
  assert.equal(map.get(99), 'value 99')
  assert.equal(map.get(98), 'value 98')
  assert.equal(map.get(50), undefined)
})

test('the newest value counts in both generations, and a deleted entry is in neither', () => {
  const map = new RecentMap<string, number>(4)
  map.set('a', 1)
  map.set('b', 1)
  map.set('c', 1)
  map.set('a', 2)
  assert.equal(map.get('a'), 2)
  assert.deepEqual([...map.values()].sort(), [1, 1, 2])
  map.delete('a')
  assert.equal(map.get('a'), undefined)
  assert.deepEqual(map.values(), [1, 1])
})

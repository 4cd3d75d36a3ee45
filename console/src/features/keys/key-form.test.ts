/** The draft of a key becomes the input of its operation; unreadable values are reported at their field. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../../contract/operations.ts'
import { changesTo, emptyKeyForm, formOfKey, type KeyForm, readKeyForm } from './key-form.ts'
import { type Key, keyState } from './key-state.ts'

const now = Date.parse('2026-11-21T07:30:00Z')
const form = (part: Partial<KeyForm>): KeyForm => ({ ...emptyKeyForm('personal'), name: 'ci', ...part })
const key: Key = {
  id: 'key_0000000000001',
  account: 'acct_0000000000001',
  name: 'ci',
  label: 'start of it',
  builtIn: false,
  created: '2026-11-01T00:00:00.000Z',
  expires: '2026-12-24T10:11:12.000Z',
  revoked: null,
  disabled: false,
  budget: { amount: '10.00', window: 'month' },
  models: ['a', 'b'],
  requiredTags: ['eu', 'no-training'],
  fallbacks: ['b-model', 'a-model'],
  limits: { requestsPerMinute: 60, tokensPerMinute: null, concurrent: 2 },
  onShortBalance: 'reject',
  showBalance: false,
  showCost: false,
  automaticCaching: 'never',
  managed: [],
  createdBy: null,
  lastUsed: null,
  spent: '0.00',
  spentInWindow: '0.00',
  replacedBy: null,
}

test('a name alone makes a key without limits', () => {
  const result = readKeyForm(form({}), now, undefined)
  assert.ok(result.kind === 'wishes')
  assert.deepEqual(result.wishes, {
    name: 'ci',
    expires: null,
    budget: null,
    models: null,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
    onShortBalance: 'lower',
    showBalance: true,
    showCost: false,
    automaticCaching: 'conversations',
    fallbacks: null,
    requiredTags: null,
  })
  assert.ok(operations['key.create'].input.safeParse(result.wishes).success)
})

test('what a key may do survives its form to the second', () => {
  const result = readKeyForm(formOfKey(key), now, key)
  assert.ok(result.kind === 'wishes')
  const { name, expires, budget, models, limits, onShortBalance, showBalance, showCost } = key
  const { automaticCaching, fallbacks, requiredTags } = key
  assert.deepEqual(result.wishes, {
    ...{ name, expires, budget, models, limits, onShortBalance, showBalance, showCost },
    ...{ automaticCaching, fallbacks, requiredTags },
  })
})

for (const [name, part, changes] of [
  ['nothing', {}, {}],
  ['the name', { name: 'other' }, { name: 'other' }],
  ['one limit', { concurrent: '' }, { limits: { concurrent: null } }],
  ['the window', { window: 'day' }, { budget: { amount: '10.00', window: 'day' } }],
  ['the models', { models: [] }, { models: null }],
  ['the expiry', { expiry: 'never' }, { expires: null }],
  ['the order of fallbacks', { fallbacks: ['a-model', 'b-model'] }, { fallbacks: ['a-model', 'b-model'] }],
  ['the tags', { requiredTags: ' us ,, no-training,' }, { requiredTags: ['us', 'no-training'] }],
  ['the tags away', { requiredTags: ' , ' }, { requiredTags: null }],
] as const) {
  test(`editing ${name} sends nothing else`, () => {
    const result = readKeyForm({ ...formOfKey(key), ...part }, now, key)
    assert.ok(result.kind === 'wishes')
    assert.deepEqual(changesTo(key, result.wishes), changes)
    assert.ok(operations['key.update'].input.safeParse({ key: key.id, ...changes }).success)
  })
}

for (const [field, part] of [
  ['name', { name: '  ' }],
  ['name', { name: 'x'.repeat(101) }],
  ['date', { expiry: 'date', date: '2026-11-19' }],
  ['date', { expiry: 'date', date: '' }],
  ['budget', { budget: 'ten' }],
  ['budget', { budget: '0.00' }],
  ['requestsPerMinute', { requestsPerMinute: '0' }],
  ['tokensPerMinute', { tokensPerMinute: '1.5' }],
  ['concurrent', { concurrent: '9999999999' }],
  ['requiredTags', { requiredTags: 'eu, no training' }],
  ['requiredTags', { requiredTags: Array.from({ length: 21 }, (_, index) => `t${index}`).join() }],
] as const) {
  test(`${JSON.stringify(part).slice(0, 60)} is reported at ${field}`, () => {
    const result = readKeyForm(form(part), now, undefined)
    assert.ok(result.kind === 'problems')
    assert.deepEqual(Object.keys(result.problems), [field])
  })
}

for (const [kind, works, part] of [
  ['active', true, {}],
  ['expiring', true, { expires: '2026-11-22T00:00:00.000Z' }],
  ['expired', false, { expires: '2026-11-21T07:30:00.000Z', disabled: true }],
  ['revoked', false, { revoked: '2026-11-20T00:00:00.000Z', expires: '2026-11-01T00:00:00.000Z' }],
  ['disabled', false, { disabled: true }],
  ['budget_used', false, { spentInWindow: '10.00' }],
  ['active', true, { spentInWindow: '9.999999999' }],
  ['replaced', true, { replacedBy: 'key_0000000000002' }],
] as const) {
  test(`a key with ${JSON.stringify(part)} is ${kind}`, () => {
    const state = keyState({ ...key, ...part }, now)
    assert.deepEqual([state.kind, state.works], [kind, works])
  })
}

/** Admission as a table: two rows, a request, and the result last; each cap alone, in order, and the output rule. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { unspent } from '../../limits/budget.ts'
import { emptyWindow, type RateWindow, takeFrom, taken } from '../../limits/window.ts'
import type { AdmissionRequest } from '../types.ts'
import { type Decision, decide, type KeyUsage, type Payer } from './admission.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)
const minute = nowMs / 60_000
const half = { numerator: 1n, denominator: 2n }
const none = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }

const payer: Payer = {
  posted: 100_000n,
  held: 0n,
  openHolds: 0,
  running: 0,
  suspendedMs: null,
  restrictedMs: null,
  window: emptyWindow,
}
const keyUsage: KeyUsage = { held: 0n, openHolds: 0, running: 0, spend: unspent, window: emptyWindow }

/** Input 10,000; one token of output 10; so 100,000 pays for 9,000 tokens at full balance and 4,500 by share. */
const input: AdmissionRequest = {
  id: 1n,
  account: 2n,
  key: 3n,
  nowMs,
  inputAmount: 10_000n,
  inputTokens: 500,
  outputTokenAmount: 10n,
  outputWanted: 100,
  outputFloor: 100,
  onShortBalance: 'lower',
  patience: 'none',
  needsUnrestrictedAccount: false,
  accountLimits: none,
  keyLimits: none,
  keyBudget: null,
  priceVersion: 1n,
  model: 'a-model',
  format: 'anthropic',
  streamed: false,
}

interface Case {
  readonly payer?: Partial<Payer>
  readonly keyUsage?: Partial<KeyUsage>
  readonly input?: Partial<AdmissionRequest>
}

function run(given: Case): Decision {
  return decide(
    { ...payer, ...given.payer },
    { ...keyUsage, ...given.keyUsage },
    { ...input, ...given.input },
    half,
  )
}

/** The answer in a few words: what is taken, or who says no and why. */
function words(decision: Decision): string {
  switch (decision.kind) {
    case 'take':
      return `${decision.outputLimit} for ${decision.amount}`
    case 'rate':
      return `${decision.scope} ${decision.limitKind} ${decision.limit}, wait ${decision.retryAfterMs}`
    case 'insufficient_funds':
      return `${decision.scope} needs ${decision.required} has ${decision.available} holds ${decision.held}/${decision.openHolds} affords ${decision.affordableOutput}`
    default:
      return decision.kind
  }
}

const wide = { outputWanted: 20_000, outputFloor: 1_024 }

/** A window after `requests` requests, a second apart, the last one at `lastMs`; the first reserved the tokens. */
function took(requests: number, tokens: number, lastMs: number = nowMs): RateWindow {
  let window = emptyWindow
  for (let left = requests; left > 0; left -= 1) {
    window = takeFrom(window, left === requests ? tokens : 0, lastMs - (left - 1) * 1_000)
  }
  return window
}

const busy = took(5, 9_500)
const perMinute = { ...none, requestsPerMinute: 5, tokensPerMinute: 10_000 }
const all = { requestsPerMinute: 5, tokensPerMinute: 10_000, concurrent: 1 }

const table: readonly [text: string, given: Case, answer: string][] = [
  ['nothing in the way', {}, '100 for 11000'],
  ['exactly enough', { payer: { posted: 11_000n } }, '100 for 11000'],
  ['one too little', { payer: { posted: 10_999n } }, 'account needs 11000 has 10999 holds 0/0 affords 99'],
  ['no money', { payer: { posted: 0n } }, 'account needs 11000 has 0 holds 0/0 affords 0'],
  ['less than no money', { payer: { posted: -5n } }, 'account needs 11000 has -5 holds 0/0 affords 0'],
  [
    'below zero even what is free of charge is rejected',
    { payer: { posted: -5n }, input: { inputAmount: 0n, outputTokenAmount: 0n } },
    'account needs 0 has -5 holds 0/0 affords 0',
  ],
  [
    'free of charge with nothing',
    { payer: { posted: 0n }, input: { inputAmount: 0n, outputTokenAmount: 0n } },
    '100 for 0',
  ],

  [
    'suspended comes first',
    { payer: { suspendedMs: 1, posted: 0n, restrictedMs: 1 }, input: { needsUnrestrictedAccount: true } },
    'suspended',
  ],
  [
    'restricted comes before rates',
    {
      payer: { restrictedMs: 1, window: busy },
      input: { needsUnrestrictedAccount: true, accountLimits: all },
    },
    'restricted',
  ],
  ['restricted and not using it', { payer: { restrictedMs: 1 } }, '100 for 11000'],
  [
    'the account has no request left',
    { payer: { window: busy }, input: { accountLimits: all, keyLimits: all } },
    'account requests 5, wait 56000',
  ],
  [
    'the key has no request left',
    { keyUsage: { window: busy }, input: { accountLimits: all, keyLimits: all } },
    'key requests 5, wait 56000',
  ],
  [
    'requests come before tokens, whosoever they are',
    {
      payer: { window: took(1, 9_500) },
      keyUsage: { window: busy },
      input: { accountLimits: perMinute, keyLimits: perMinute },
    },
    'key requests 5, wait 56000',
  ],
  [
    'no tokens left',
    { payer: { window: took(1, 9_500) }, input: { accountLimits: perMinute } },
    'account tokens 10000, wait 60000',
  ],
  [
    'tokens come before concurrency',
    { payer: { window: took(1, 9_500), running: 9 }, input: { accountLimits: all } },
    'account tokens 10000, wait 60000',
  ],
  [
    'the last tokens',
    { payer: { window: took(1, 9_400) }, input: { accountLimits: perMinute } },
    '100 for 11000',
  ],
  [
    'more tokens than ever fit',
    { input: { inputTokens: 20_000, accountLimits: perMinute } },
    'account tokens 10000, wait 60000',
  ],
  [
    'one too many at once',
    { payer: { running: 1 }, input: { accountLimits: all, keyLimits: all } },
    'account concurrent 1, wait 1000',
  ],
  [
    'one too many of the key',
    { keyUsage: { running: 1 }, input: { accountLimits: all, keyLimits: all } },
    'key concurrent 1, wait 1000',
  ],
  [
    'concurrency comes before money',
    { payer: { running: 1, posted: 0n }, input: { accountLimits: all } },
    'account concurrent 1, wait 1000',
  ],
  [
    'holds whose concurrency is released do not count as running',
    { payer: { openHolds: 5, held: 50n, running: 0 }, input: { accountLimits: all } },
    '100 for 11000',
  ],

  ['a budget that pays', { input: { keyBudget: { amount: 11_000n, window: 'day' } } }, '100 for 11000'],
  [
    'a budget that does not',
    { input: { keyBudget: { amount: 10_999n, window: 'day' } } },
    'key needs 11000 has 10999 holds 0/0 affords 99',
  ],
  [
    'the budget is named before the balance',
    { payer: { posted: 0n }, input: { keyBudget: { amount: 1n, window: 'day' } } },
    'key needs 11000 has 1 holds 0/0 affords 0',
  ],
  [
    'what was spent counts',
    {
      keyUsage: { spend: { ...unspent, spent: 5_000n, day: minute / 1_440 } },
      input: { keyBudget: { amount: 15_000n, window: 'total' } },
    },
    'key needs 11000 has 10000 holds 0/0 affords 0',
  ],
  [
    'what was spent yesterday does not',
    {
      keyUsage: { spend: { ...unspent, spent: 5_000n, day: minute / 1_440 - 1 } },
      input: { keyBudget: { amount: 15_000n, window: 'day' } },
    },
    '100 for 11000',
  ],
  [
    'what is held counts',
    { keyUsage: { held: 4_001n, openHolds: 1 }, input: { keyBudget: { amount: 15_000n, window: 'day' } } },
    'key needs 11000 has 10999 holds 4001/1 affords 99',
  ],
  [
    'a budget that was lowered below what was spent has nothing, not less',
    {
      keyUsage: { spend: { ...unspent, spent: 500n } },
      input: { keyBudget: { amount: 400n, window: 'total' } },
    },
    'key needs 11000 has 0 holds 0/0 affords 0',
  ],

  ['half of what is left goes to output', { input: wide }, '4500 for 55000'],
  ['all that is wanted when half pays for it', { input: { ...wide, outputWanted: 4_500 } }, '4500 for 55000'],
  ['one more is one too many', { input: { ...wide, outputWanted: 4_501 } }, '4500 for 55000'],
  ['the floor when half is less', { payer: { posted: 25_000n }, input: wide }, '1024 for 20240'],
  ['the floor may use all', { payer: { posted: 20_240n }, input: wide }, '1024 for 20240'],
  [
    'below the floor',
    { payer: { posted: 20_239n }, input: wide },
    'account needs 20240 has 20239 holds 0/0 affords 1023',
  ],
  [
    'asking for what was named affordable passes',
    { payer: { posted: 20_239n }, input: { outputWanted: 1_023, outputFloor: 1_023 } },
    '1023 for 20230',
  ],
  [
    'the tighter pocket decides',
    { input: { ...wide, keyBudget: { amount: 50_000n, window: 'month' } } },
    '2000 for 30000',
  ],
  [
    'a floor above what is wanted is what is wanted',
    { input: { outputWanted: 5, outputFloor: 1_024 } },
    '5 for 10050',
  ],

  [
    'all or nothing: all',
    { input: { ...wide, outputWanted: 9_000, onShortBalance: 'reject' } },
    '9000 for 100000',
  ],
  [
    'all or nothing: nothing',
    { input: { ...wide, outputWanted: 9_001, onShortBalance: 'reject' } },
    'account needs 100010 has 100000 holds 0/0 affords 9000',
  ],

  [
    'before counting: all of it within the shareable half',
    { input: { ...wide, outputWanted: 4_000, onShortBalance: 'count' } },
    '4000 for 50000',
  ],
  [
    'before counting: more than half is worth a closer look',
    { input: { ...wide, outputWanted: 4_001, onShortBalance: 'count' } },
    'account needs 50010 has 100000 holds 0/0 affords 4001',
  ],

  [
    'waits where a hold stands in the way',
    { payer: { posted: 11_000n, held: 1n, openHolds: 1 }, input: { patience: 'wait' } },
    'wait',
  ],
  [
    'rejects at once where nothing is held',
    { payer: { posted: 10_999n }, input: { patience: 'wait' } },
    'account needs 11000 has 10999 holds 0/0 affords 99',
  ],
  [
    'rejects at once where all that is held would not do',
    { payer: { posted: 10_999n, held: 9n, openHolds: 1 }, input: { patience: 'wait' } },
    'account needs 11000 has 10990 holds 9/1 affords 99',
  ],
  [
    'waits rather than lower',
    { payer: { held: 20_000n, openHolds: 2 }, input: { ...wide, patience: 'wait' } },
    'wait',
  ],
  ['lowers at once where nothing is held', { input: { ...wide, patience: 'wait' } }, '4500 for 55000'],
  [
    'lowers at once where the budget and not the balance is what is short',
    {
      payer: { held: 20_000n, openHolds: 2 },
      input: { ...wide, patience: 'wait', keyBudget: { amount: 30_000n, window: 'day' } },
    },
    '1024 for 20240',
  ],
  [
    'waits for the budget',
    {
      keyUsage: { held: 5_000n, openHolds: 1 },
      input: { patience: 'wait', keyBudget: { amount: 11_000n, window: 'day' } },
    },
    'wait',
  ],
  ['without patience it lowers', { payer: { held: 20_000n, openHolds: 2 }, input: wide }, '3500 for 45000'],
  [
    'a rate limit is not a reason to wait for balance',
    { payer: { running: 1, held: 100_000n, openHolds: 1 }, input: { patience: 'wait', accountLimits: all } },
    'account concurrent 1, wait 1000',
  ],
]
for (const [text, given, answer] of table) test(text, () => assert.equal(words(run(given)), answer))

test('what is taken goes into both windows, and the headers state the tighter limit', () => {
  const decision = run({
    payer: { window: took(4, 700, nowMs - 20_000) },
    keyUsage: { window: took(1, 50, nowMs - 10_000) },
    input: {
      accountLimits: { ...none, requestsPerMinute: 60 },
      keyLimits: { ...none, requestsPerMinute: 10, tokensPerMinute: 1_000 },
    },
  })
  assert.equal(decision.kind, 'take')
  assert.ok(decision.kind === 'take')
  assert.equal(decision.tokens, 600)
  const amounts = (window: RateWindow) => [taken(window, 'requests'), taken(window, 'tokens')]
  assert.deepEqual([decision.accountWindow, decision.keyWindow].map(amounts), [
    [5, 1_300],
    [2, 650],
  ])
  assert.deepEqual(decision.rates, {
    requests: { limit: 10, remaining: 8, resetMs: 60_000 },
    tokens: { limit: 1_000, remaining: 350, resetMs: 60_000 },
  })
})

const amount = fc.bigInt(-1_000n, 1_000_000n)
const positive = fc.bigInt(0n, 1_000_000n)
const count = fc.integer({ min: 0, max: 5_000 })
const anyRows = fc.record({ posted: amount, held: positive, spent: positive, keyHeld: positive })
const anyAsk = fc.record({
  inputAmount: positive,
  outputTokenAmount: fc.bigInt(0n, 500n),
  outputWanted: count,
  outputFloor: count,
  onShortBalance: fc.constantFrom('lower', 'reject', 'count'),
  patience: fc.constantFrom('wait', 'none'),
  keyBudget: fc.option(fc.record({ amount: positive, window: fc.constant('total' as const) })),
})

test('nothing is ever taken that is not there, and never more or less output than the rule allows', () => {
  fc.assert(
    fc.property(anyRows, anyAsk, ({ posted, held, spent, keyHeld }, asked) => {
      const given = { ...input, ...asked }
      const rows = {
        payer: { ...payer, posted, held, openHolds: 1 },
        keyUsage: { ...keyUsage, held: keyHeld, spend: { ...unspent, spent } },
      }
      const decision = decide(rows.payer, rows.keyUsage, given, half)
      const budget = given.keyBudget === null ? null : given.keyBudget.amount - spent - keyHeld
      if (decision.kind === 'take') {
        assert.ok(decision.amount <= posted - held)
        assert.ok(budget === null || decision.amount === 0n || decision.amount <= budget)
        assert.equal(
          decision.amount,
          given.inputAmount + BigInt(decision.outputLimit) * given.outputTokenAmount,
        )
        assert.ok(decision.outputLimit <= given.outputWanted)
        assert.ok(decision.outputLimit >= Math.min(given.outputFloor, given.outputWanted))
        if (given.onShortBalance !== 'lower') assert.equal(decision.outputLimit, given.outputWanted)
      }
      // Before counting, no rejection is reported.
      if (
        decision.kind === 'insufficient_funds' &&
        given.onShortBalance !== 'count' &&
        decision.affordableOutput > 0
      ) {
        const lower = { ...given, outputWanted: decision.affordableOutput, patience: 'none' as const }
        const again = decide(rows.payer, rows.keyUsage, { ...lower, outputFloor: 8_192 }, half)
        assert.ok(
          again.kind === 'take' && again.outputLimit === decision.affordableOutput,
          'what is named affordable passes',
        )
        const more = {
          ...lower,
          outputWanted: decision.affordableOutput + 1,
          onShortBalance: 'reject' as const,
        }
        assert.equal(
          decide(rows.payer, rows.keyUsage, more, half).kind,
          'insufficient_funds',
          'one more does not',
        )
      }
      if (decision.kind === 'wait') {
        const freed = { ...rows.payer, held: 0n, openHolds: 0 }
        const later = decide(freed, { ...rows.keyUsage, held: 0n }, given, half)
        const now = decide(rows.payer, rows.keyUsage, { ...given, patience: 'none' }, half)
        assert.ok(later.kind === 'take' && (now.kind !== 'take' || later.outputLimit > now.outputLimit))
      }
    }),
    { numRuns: 5_000 },
  )
})

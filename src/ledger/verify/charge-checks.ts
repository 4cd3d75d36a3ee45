/**
 * Recomputes what each receipt charges from its usage and its price, as if there were no other code that does: what the
 * usage costs, what of it the hold covers, and what the upstream charges by its offer's cost or its list price. Only reads.
 */
import { type Meter, meterNames, meters } from '../../../contract/meters.ts'
import { integer, number, rowOf, text, textOrNull } from '../../store/sqlite/columns.ts'
import type { Database } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import type { Check } from './check.ts'

type Amounts = Readonly<Record<string, bigint | null>>
interface Tier {
  readonly aboveInputTokens: number
  readonly rates: Amounts
}

/** The body of a price version: nano-USD for a million tokens, for a use of a fee; factors of options. */
interface Price {
  readonly rates: Amounts
  readonly tiers: readonly Tier[]
  readonly listRates: Amounts
  readonly listTiers: readonly Tier[]
  readonly options: Readonly<Record<string, { readonly numerator: bigint; readonly denominator: bigint }>>
  readonly fees: Amounts
}

const accountRow = rowOf({ account: integer('account') })
const priceRow = rowOf({ body: text('body') })

const receiptRow = rowOf({
  id: integer('r.id'),
  account: integer('r.account'),
  price: integer('r.price_version'),
  hold: integer('r.hold'),
  charged: integer('r.charged'),
  writtenOff: integer('r.written_off'),
  upstreamCost: integer('r.upstream_cost'),
  endReason: text('r.end_reason'),
  source: text('r.usage_source'),
  implausible: textOrNull('r.implausible'),
  isOwnKey: number('r.own_key'),
  ownKeyFee: textOrNull('r.own_key_fee'),
  offerCost: textOrNull('r.offer_cost'),
  fees: text('r.fees'),
  ranAt: text('r.ran_at'),
  /** Attempts before the one that served. */
  failed: number("(SELECT count(*) FROM json_each(r.attempts) WHERE value ->> 'failure' IS NOT NULL)"),
  tokens: text(`json_array(${meterNames.map((name) => `r.${meters[name].column}`).join(', ')})`),
})
type Receipt = ReturnType<ReturnType<typeof prepareReceipts>['all']>[number]

const prepareReceipts = (database: Database) =>
  prepareRows(database, receiptRow, `SELECT ${receiptRow.names} FROM receipt r ORDER BY r.id`)

export const chargeChecks: Check = {
  *lines(database) {
    const prices = pricesIn(database)
    const refunded = refundedAccounts(database)
    for (const receipt of prepareReceipts(database).each()) {
      const price = prices(receipt.price)
      if (price === undefined)
        yield `receipt ${receipt.id}: its price version ${receipt.price} does not exist`
      else yield* contradictions(receipt, price, refunded)
    }
  },
}

/** The ends at which the customer pays for all of the usage. */
const paid: ReadonlySet<string> = new Set(['complete', 'client_abort'])

function* contradictions(receipt: Receipt, price: Price, refunded: ReadonlySet<bigint>): Iterable<string> {
  const { id, hold, charged, writtenOff, upstreamCost, endReason, source, failed } = receipt
  const list = costAt(receipt, price, [price.listRates, price.listTiers])
  const isComplete = endReason === 'complete'
  // The receipt of a truncated response may have only the part that was relayed.
  const atOffer = receipt.offerCost === null ? null : ratesIn(receipt.offerCost)
  const upstream = atOffer === null ? list : costAt(receipt, price, [atOffer, []])
  const isRight =
    failed === 0
      ? upstreamCost === upstream || (!isComplete && (upstreamCost > upstream || upstreamCost === 0n))
      : upstreamCost >= upstream || !isComplete
  if (!isRight) {
    const at = atOffer === null ? 'at list price' : 'at its offer'
    yield `receipt ${id}: states an upstream cost of ${upstreamCost}, its usage costs ${upstream} ${at}`
  }
  if ((receipt.isOwnKey === 1) !== (receipt.ownKeyFee !== null))
    yield `receipt ${id}: states a fee of ${receipt.ownKeyFee} for an own key, and own_key = ${receipt.isOwnKey}`
  const cost =
    receipt.ownKeyFee === null
      ? costAt(receipt, price, [price.rates, price.tiers])
      : shareOf(list, receipt.ownKeyFee)
  const due = smaller(cost, hold)
  const isLess = charged < due && paid.has(endReason) && !refunded.has(receipt.account)
  if (charged > due || isLess) {
    yield `receipt ${id}: charges ${charged}, its usage costs ${cost} of a hold of ${hold}`
  }
  if (!isComplete || failed > 0) return
  const total = charged + writtenOff
  // A report that is not believed may be written off beyond what is counted in its place.
  const isAbove = total > cost && receipt.implausible === null
  if (total < due || isAbove || (source === 'reported' && total !== cost))
    yield `receipt ${id}: charges ${charged} and writes off ${writtenOff}, its usage costs ${cost}`
}

/** The cost of an offer, whose cache counts as input; nothing if the text is no cost. */
function ratesIn(cost: string): Amounts {
  const [, input, output] = /^(\d+)\/(\d+)$/.exec(cost) ?? []
  return input === undefined || output === undefined ? {} : { input: BigInt(input), output: BigInt(output) }
}

/** A fraction of an amount, rounded up; 0 if the text is not a fraction. */
function shareOf(amount: bigint, fraction: string): bigint {
  const [, numerator, denominator] = /^(\d+)\/([1-9]\d*)$/.exec(fraction) ?? []
  if (numerator === undefined || denominator === undefined) return 0n
  const divisor = BigInt(denominator)
  return (amount * BigInt(numerator) + divisor - 1n) / divisor
}

function smaller(one: bigint, other: bigint): bigint {
  if (one < other) return one
  return other
}

/** A refund may take money that a request holds, whose cost is then written off. */
function refundedAccounts(database: Database): ReadonlySet<bigint> {
  const select = prepareRows(
    database,
    accountRow,
    `SELECT DISTINCT ${accountRow.names} FROM entry WHERE kind = 'refund'`,
  )
  return new Set(select.all().map(({ account }) => account))
}

/** Every price that a receipt names, read once. */
function pricesIn(database: Database): (id: bigint) => Price | undefined {
  const select = prepareRows(database, priceRow, `SELECT ${priceRow.names} FROM price_version WHERE id = ?`)
  const known = new Map<bigint, Price | undefined>()
  return (id) => {
    if (!known.has(id)) {
      const found = select.one(id)
      known.set(id, found === undefined ? undefined : priceIn(found.body))
    }
    return known.get(id)
  }
}

/** Amounts are texts in it. */
function priceIn(body: string): Price {
  return JSON.parse(body, (_, value: unknown) => (typeof value === 'string' ? BigInt(value) : value)) as Price
}

const perRate = 1_000_000n

/** Tokens at the rates of the tier that all of the input reaches, times the options that applied, plus fees; rounded up. */
function costAt(
  { tokens, fees, ranAt }: Receipt,
  { options, fees: feesOf }: Price,
  [base, tiers]: readonly [Amounts, readonly Tier[]],
): bigint {
  const counts = JSON.parse(tokens) as readonly number[]
  const countOf = new Map(meterNames.map((name, index) => [name, counts[index] ?? 0]))
  const input = meterNames.reduce(
    (sum, name) => sum + (meters[name].direction === 'input' ? (countOf.get(name) ?? 0) : 0),
    0,
  )
  const rates = tiers.findLast(({ aboveInputTokens }) => input > aboveInputTokens)?.rates ?? base
  const rateOf = (name: Meter): bigint => rates[meters[name].rate] ?? rates[meters[name].direction] ?? 0n
  let amount = meterNames.reduce((sum, name) => sum + BigInt(countOf.get(name) ?? 0) * rateOf(name), 0n)
  let divisor = perRate
  for (const option of new Set(JSON.parse(ranAt) as readonly string[])) {
    const factor = Object.hasOwn(options, option) ? options[option] : undefined
    amount *= factor?.numerator ?? 1n
    divisor *= factor?.denominator ?? 1n
  }
  for (const [name, uses] of Object.entries(JSON.parse(fees) as Readonly<Record<string, number>>)) {
    const fee = Object.hasOwn(feesOf, name) ? (feesOf[name] ?? 0n) : 0n
    amount += BigInt(uses) * fee * divisor
  }
  return (amount + divisor - 1n) / divisor
}

/** A receipt as the control plane shows it. */
import { tokensOf } from '../../../contract/meters.ts'
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import { formatId } from '../../base/ids.ts'
import { type ShownUpstreams, shownUpstreams } from '../../catalog/customer-view.ts'
import type { Attempt, ReceiptRow } from '../../ledger/types.ts'
import type { Actor } from '../actor.ts'
import type { ControlDeps } from '../control-deps.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'

type ReceiptOutput = OperationOutput<'requests.list'>[number]

/** A receipt as the actor sees it. */
export type ShownReceipt = Omit<ReceiptRow, keyof ShownUpstreams<Attempt>> & ShownUpstreams<Attempt>

/** Receipts with the names of those who asked; each person is looked up once. */
export async function receiptOutputs(
  deps: Pick<ControlDeps, 'identity' | 'customerView'>,
  rows: readonly ReceiptRow[],
  actor: Actor,
): Promise<ReceiptOutput[]> {
  const names = await findPersonNames(deps, rows)
  return rows.map((row) => receiptOutput(receiptFor(actor, deps, row), names))
}

/** Administrators see upstreams by name; others see what the operator shows to customers. */
export function receiptFor(
  actor: Actor,
  { customerView }: Pick<ControlDeps, 'customerView'>,
  row: ReceiptRow,
): ShownReceipt {
  const isOperator = actor.kind === 'local' || (actor.kind === 'person' && actor.person.operator)
  if (isOperator) return row
  const attempts = row.attempts.map(({ evidence: _forAdministrators, ...attempt }) => attempt)
  return { ...row, ...shownUpstreams(customerView, { ...row, attempts }) }
}

type PersonNames = ReadonlyMap<string, string>

/** Of the people who asked and are still here. */
export async function findPersonNames(
  { identity }: Pick<ControlDeps, 'identity'>,
  rows: readonly ReceiptRow[],
): Promise<PersonNames> {
  const people = new Set(rows.flatMap(({ person }) => (person === null ? [] : [person])))
  const found = await Promise.all([...people].map((person) => identity.findPerson(person)))
  return new Map(found.flatMap((person) => (person === undefined ? [] : [[person.id, person.name]])))
}

function receiptOutput(row: ShownReceipt, names: PersonNames): ReceiptOutput {
  return {
    id: formatId('req', row.id),
    account: formatId('acct', row.account),
    key: formatId('key', row.key),
    member: row.person === null ? null : { id: row.person, name: names.get(row.person) ?? null },
    model: row.model,
    dialect: row.dialect,
    streamed: row.streamed,
    provider: row.provider,
    upstream: row.upstream,
    upstreamModel: row.upstreamModel,
    upstreamRequestId: row.upstreamRequestId,
    status: row.status,
    endReason: row.endReason,
    error: row.errorCode,
    usage: {
      ...tokensOf(row),
      fees: { ...row.fees },
    },
    usageSource: row.usageSource,
    ranAt: [...row.ranAt],
    unpricedUsage: row.unpricedUsage,
    implausible: row.implausible === null ? null : { ...row.implausible },
    price: formatId('prc', row.priceVersion),
    held: formatUsd(row.hold),
    inputBound: row.inputBound,
    background: row.background,
    charged: formatUsd(row.charged),
    writtenOff: formatUsd(row.writtenOff),
    upstreamCost: row.upstreamCost === null ? null : formatUsd(row.upstreamCost),
    ownKey: row.ownKey,
    outputLimit: row.outputLimit,
    outputLowered: row.outputLowered,
    settled: row.settledLate ? 'late' : 'in_time',
    started: isoTime(row.startedMs),
    firstByte: isoTimeOrNull(row.firstByteMs),
    ended: isoTime(row.endedMs),
    attempts: row.attempts.map(attemptOutput),
  }
}

function attemptOutput(attempt: ShownReceipt['attempts'][number]): ReceiptOutput['attempts'][number] {
  return {
    upstream: attempt.upstream,
    status: attempt.status,
    failure: attempt.failure,
    request: attempt.evidence?.request ?? null,
    message: attempt.evidence?.message ?? null,
    started: isoTime(attempt.startedMs),
    firstByte: isoTimeOrNull(attempt.firstByteMs),
    ended: isoTime(attempt.endedMs),
  }
}

/** The list of migrations in their order. A migration that was released is never changed again. */
import type { Meter } from '../../../contract/meters.ts'
import { schema } from './0001-schema.ts'
import { receiptRetention } from './0002-receipt-retention.ts'
import { offerStatistics } from './0003-offer-statistics.ts'
import { rowJournal } from './0004-row-journal.ts'
import { receiptList } from './0005-receipt-list.ts'
import { alertsOff } from './0006-alerts-off.ts'
import { oneOwner } from './0007-one-owner.ts'
import { offerCost } from './0008-offer-cost.ts'
import { format } from './0009-format.ts'
import type { Migration } from './migration.ts'

export type { Migration } from './migration.ts'

/** The migration that made the receipt's column for each class of tokens: a new class needs a migration. */
const meterColumns: Readonly<Record<Meter, Migration>> = {
  inputUncached: schema,
  cacheRead: schema,
  cacheWrite5m: schema,
  cacheWrite1h: schema,
  inputAudio: schema,
  output: schema,
  outputAudio: schema,
}

export const migrations: readonly Migration[] = [
  ...new Set([
    schema,
    receiptRetention,
    offerStatistics,
    rowJournal,
    receiptList,
    alertsOff,
    oneOwner,
    offerCost,
    format,
    ...Object.values(meterColumns),
  ]),
].sort((one, other) => one.number - other.number)

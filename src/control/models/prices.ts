/** `models.prices`: all prices of a model: those that were, the present one, those that are to come. */
import { formatUsd } from '../../../contract/usd.ts'
import { formatId } from '../../base/ids.ts'
import { isoTime } from '../iso-time.ts'
import { verb } from '../verb.ts'
import { assertChanged } from './changed.ts'

export const listPrices = verb('models.prices', async ({ catalog }, { model }) => {
  const { models, unsold } = catalog.snapshot
  const rows = await catalog.prices(model)
  if (rows.length === 0 && !models.has(model) && !unsold.has(model)) {
    assertChanged({ kind: 'unknown_model', nearest: [] }, model)
  }
  return rows.map((row) => ({
    id: formatId('prc', row.id),
    effectiveFrom: isoTime(row.effectiveFromMs),
    input: formatUsd(row.input),
    output: formatUsd(row.output),
    source: row.source,
  }))
})

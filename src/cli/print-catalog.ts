/** The comparison with a price list as text: what changes, what is new, gone or unclear. Pure. */
import { meters } from '../../contract/meters.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import { tableOf } from './table-text.ts'

type Check = OperationOutput<'catalog.check'>
type Row = Check['rows'][number]
type Applied = OperationOutput<'catalog.update'>['models']

const shortLabels = new Map<string, string>(
  Object.values(meters).map(({ rate, shortLabel }) => [rate, shortLabel]),
)

const titles: readonly (readonly [change: Row['change'], title: string])[] = [
  ['changed', 'Changed prices'],
  ['new', 'New'],
  ['gone', 'Not in the list (nothing is applied)'],
  ['unclear', 'Not usable'],
]

/** `applied` null: nothing was asked for. */
export function catalogText(check: Check, applied: Applied | null): string {
  const parts = titles.flatMap(([change, title]) => {
    const rows = check.rows.filter((row) => row.change === change)
    return rows.length === 0 ? [] : [`${title} (${rows.length}):\n${rowsText(change, rows)}`]
  })
  const { format, unchanged, leftOut } = check
  const summary = `${format}: ${unchanged} unchanged, ${leftOut} left out (providers without an upstream, no text model).\n`
  return `${[...parts, summary].join('\n')}${applied === null ? hint(check) : appliedText(applied)}`
}

const goneTable = tableOf<Row>(null, { MODEL: 'model' })
const unclearTable = tableOf<Row>(null, { MODEL: 'model', REASON: ({ reason }) => reason ?? '' })
const changesTable = tableOf<Row['changes'][number] & Pick<Row, 'model' | 'reason'>>(null, {
  MODEL: 'model',
  PRICE: rateLabel,
  '>FROM': ({ from }) => from ?? '-',
  '>TO': ({ to }) => to ?? '-',
  '>CHANGE': ({ percent }) => percent ?? '',
  NOTE: ({ reason }) => (reason === null ? '' : `! ${reason}`),
})

function rowsText(change: Row['change'], rows: readonly Row[]): string {
  if (change === 'gone') return goneTable(rows)
  if (change === 'unclear') return unclearTable(rows)
  // The first line of a model names it.
  return changesTable(
    rows.flatMap(({ model, reason, changes }) =>
      changes.map((row, place) => ({
        ...row,
        ...(place === 0 ? { model, reason } : { model: '', reason: null }),
      })),
    ),
  )
}

function rateLabel({ rate, aboveInputTokens }: Row['changes'][number]): string {
  const label = shortLabels.get(rate) ?? rate
  return aboveInputTokens === null ? label : `${label} > ${aboveInputTokens}`
}

function hint({ rows }: Check): string {
  const usable = rows.filter(({ price }) => price !== null)
  if (usable.length === 0) return ''
  const marked = usable.some(({ reason }) => reason !== null)
  const note = marked ? ' Rows marked with ! are applied only by name.' : ''
  return `Nothing was applied. Use --apply for all, or --only MODEL,… for some.${note}\n`
}

function appliedText(applied: Applied): string {
  if (applied.length === 0) return 'Nothing to apply.\n'
  const off = applied.filter(({ sold }) => !sold)
  const notes = off.map(({ model, reason }) => `${model} is not enabled: ${reason ?? ''}\n`)
  return `Applied: ${applied.length}.\n${notes.join('')}`
}

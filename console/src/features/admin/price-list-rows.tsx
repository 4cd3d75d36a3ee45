/** The rows of a compared price list by kind, with what changes in each, to be chosen. */
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Select } from '@/components/select'
import {
  type CatalogCheck,
  type CatalogRow,
  changeText,
  type RowKind,
  rowKinds,
  withKind,
} from './price-list-choice.ts'

export interface PriceListRowsProps {
  readonly check: CatalogCheck
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

export function PriceListRows({ check, chosen, onChange }: PriceListRowsProps): JSX.Element {
  const { format, rows, unchanged } = check
  const kinds = (Object.keys(rowKinds) as RowKind[]).map(
    (kind) => [kind, rows.filter(({ change }) => change === kind)] as const,
  )
  const [wanted, setWanted] = useState<RowKind>()
  const [kind, shown] = kinds.find(([name, { length }]) =>
    wanted === undefined ? length > 0 : name === wanted,
  ) ??
    kinds[0] ?? ['changed', []]
  const usable = shown.filter(({ price }) => price !== null)
  return (
    <>
      <p className="text-ink-soft">
        {format}: {unchanged} {unchanged === 1 ? 'price is' : 'prices are'} the same.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Rows to show"
          value={kind}
          onChange={(event) => setWanted(event.target.value as RowKind)}
          className="w-52"
        >
          {kinds.map(([name, { length }]) => (
            <option key={name} value={name}>
              {rowKinds[name]} ({length})
            </option>
          ))}
        </Select>
        {usable.length === 0 ? null : (
          <>
            <Button size="small" onClick={() => onChange(withKind(chosen, shown, true))}>
              Select all
            </Button>
            <Button size="small" onClick={() => onChange(withKind(chosen, shown, false))}>
              Select none
            </Button>
          </>
        )}
      </div>
      {shown.length === 0 ? (
        <p className="text-ink-soft">No rows.</p>
      ) : (
        <ul
          aria-label={rowKinds[kind]}
          className="flex max-h-[45vh] flex-col overflow-y-auto border-y border-line"
        >
          {shown.map((row) => (
            <li key={row.model} className="border-b border-line py-1 last:border-b-0">
              <ListedRow row={row} chosen={chosen} onChange={onChange} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function ListedRow({
  row,
  chosen,
  onChange,
}: Pick<PriceListRowsProps, 'chosen' | 'onChange'> & { readonly row: CatalogRow }): JSX.Element {
  const { model, price, reason, changes } = row
  const name = <span className="font-mono text-[0.8125rem] break-all">{model}</span>
  if (price === null) {
    return (
      <div className="py-1">
        {name}
        {reason === null ? null : <p className="text-sm text-ink-soft">{sentence(reason)}</p>}
      </div>
    )
  }
  const toggle = (isChosen: boolean): void => {
    const names = new Set(chosen)
    if (isChosen) names.add(model)
    else names.delete(model)
    onChange(names)
  }
  return (
    <Checkbox
      label={
        <>
          {name} {reason === null ? null : <Badge tone="warn">Check</Badge>}
        </>
      }
      hint={
        <>
          {changes.map((change) => (
            <span key={`${change.rate} ${change.aboveInputTokens ?? ''}`} className="tabular block">
              {changeText(change)}
            </span>
          ))}
          {reason === null ? null : <span className="block text-warn">{sentence(reason)}</span>}
        </>
      }
      checked={chosen.has(model)}
      onChange={toggle}
    />
  )
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

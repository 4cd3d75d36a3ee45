/** Usage by group as a table, with a link to each group alone. */
import type { JSX } from 'react'
import { moneyColumn } from '@/components/money-column'
import { type Column, Table } from '@/components/table'
import { count, shortCount } from '@/lib/format'
import type { Search } from '@/lib/search'
import { permilleOf } from './amount.ts'
import { Name } from './name.tsx'
import type { Stack, SumsOfGroup } from './usage-stack.ts'
import type { Group } from './use-usage-search.ts'

const heads: Readonly<Record<Group, string>> = { none: '', model: 'Model', key: 'Key', member: 'Member' }

export interface GroupTableProps {
  readonly group: Group
  readonly stack: Stack
  readonly onChange: (changes: Search) => void
}

export function GroupTable({ group, stack, onChange }: GroupTableProps): JSX.Element {
  return (
    <div className="border-t border-line">
      <Table
        caption={`Usage by ${group === 'none' ? 'total' : group}`}
        rows={stack.all}
        keyOf={(row) => String(row.group)}
        columns={[nameColumn(group, onChange), ...sumColumns(stack)]}
      />
    </div>
  )
}

function nameColumn(group: Group, onChange: GroupTableProps['onChange']): Column<SumsOfGroup> {
  const canNarrow = group === 'model' || group === 'key'
  return {
    id: 'name',
    header: group === 'none' ? <span className="sr-only">Total</span> : heads[group],
    cell: (row) => {
      const { group: id } = row
      if (group === 'none') return 'All requests'
      if (id === null)
        return <span className="text-ink-soft">{group === 'member' ? 'Server setup' : 'None'}</span>
      if (typeof id === 'symbol' || id === '' || !canNarrow) return <Name>{row.label}</Name>
      return (
        <button
          type="button"
          className="font-medium underline decoration-line-strong underline-offset-3 hover:decoration-ink"
          onClick={() => onChange({ [group]: id, group: undefined })}
        >
          <Name>{row.label}</Name>
          <span className="sr-only">: show only this</span>
        </button>
      )
    },
  }
}

function sumColumns(stack: Stack): readonly Column<SumsOfGroup>[] {
  const bad = (value: number) => <span className={value === 0 ? 'text-ink-soft' : ''}>{count(value)}</span>
  const short = (value: number) => <span title={count(value)}>{shortCount(value)}</span>
  return [
    {
      id: 'requests',
      header: 'Requests',
      align: 'right',
      wide: true,
      cell: (row) => count(row.requests + row.rejected),
    },
    { id: 'errors', header: 'Failed', align: 'right', wide: true, cell: (row) => bad(row.errors) },
    { id: 'rejected', header: 'Rejected', align: 'right', wide: true, cell: (row) => bad(row.rejected) },
    { id: 'in', header: 'Tokens in', align: 'right', wide: true, cell: (row) => short(row.tokensIn) },
    { id: 'out', header: 'Tokens out', align: 'right', wide: true, cell: (row) => short(row.tokensOut) },
    {
      id: 'share',
      header: 'Share',
      align: 'right',
      wide: true,
      cell: (row) => {
        const permille = permilleOf(row.charged, stack.totals.charged)
        return <span className={permille === 0 ? 'text-ink-soft' : ''}>{Math.round(permille / 10)}%</span>
      },
    },
    moneyColumn({
      id: 'charged',
      header: 'Spend',
      amount: (row) => row.charged,
    }),
  ]
}

/** The ledger of the account: every entry with the balance after it, latest first. */

import { type JSX, useState } from 'react'
import { AnchorButton, Button } from '@/components/button'
import { Card } from '@/components/card'
import { Download } from '@/components/icons'
import { moneyColumn } from '@/components/money-column'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import { useAccount } from '@/lib/account'
import { addressOf } from '@/lib/api'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { RequestLink } from '../requests/request-link.tsx'
import { Moment } from '../usage/moment.tsx'
import { type Entry, entryKindLabels, entryKinds, entryWords, noteOf } from './billing-words.ts'

const pageSize = 25

export function Entries(): JSX.Element {
  const account = useAccount()
  const setSearch = useSetSearch()
  const search = useSearch()
  const kind = entryKinds.find((one) => one === search.kind)
  const [pages, setPages] = useState<readonly string[]>([])
  const before = pages.at(-1)
  const filter = { account: account.id, ...(kind === undefined ? {} : { kind }) }
  const entries = useOperation(
    'entries.list',
    { ...filter, limit: pageSize, ...(before === undefined ? {} : { before }) },
    { keep: true },
  )
  const last = entries.data?.at(-1)
  const hasOlder = entries.data?.length === pageSize && last !== undefined
  return (
    <Card
      title="Ledger"
      description="Every credit and charge, exact to a billionth of a dollar."
      flush
      actions={
        <>
          <Select
            aria-label="Type"
            className="w-44"
            value={kind ?? ''}
            onChange={(event) => {
              setPages([])
              setSearch({ kind: event.target.value || undefined })
            }}
          >
            <option value="">All types</option>
            {entryKinds.map((one) => (
              <option key={one} value={one}>
                {entryKindLabels[one]}
              </option>
            ))}
          </Select>
          <AnchorButton href={addressOf('entries.csv', filter)} download>
            <Download aria-hidden="true" />
            CSV
          </AnchorButton>
        </>
      }
    >
      {entries.error !== null ? (
        <Problem className="m-5 mt-0" problem={entries.error} onRetry={() => void entries.refetch()} />
      ) : (
        <EntriesTable entries={entries.data} isFiltered={kind !== undefined} />
      )}
      {before !== undefined || hasOlder ? (
        <nav aria-label="Ledger pages" className="flex justify-end gap-2 border-t border-line px-5 py-3">
          <Button size="small" disabled={before === undefined} onClick={() => setPages(pages.slice(0, -1))}>
            Newer
          </Button>
          <Button
            size="small"
            disabled={!hasOlder}
            onClick={() => (last === undefined ? undefined : setPages([...pages, last.id]))}
          >
            Older
          </Button>
        </nav>
      ) : null}
    </Card>
  )
}

interface EntriesTableProps {
  readonly entries: readonly Entry[] | undefined
  readonly isFiltered: boolean
}

function EntriesTable({ entries, isFiltered }: EntriesTableProps): JSX.Element {
  const emptyWords = isFiltered ? 'No entries of this type.' : 'No entries yet.'
  return (
    <Table
      caption="Ledger entries, latest first"
      rows={entries}
      keyOf={({ id }) => id}
      expected={8}
      empty={<p className="flex h-24 items-center px-5 text-ink-soft">{emptyWords}</p>}
      columns={[
        { id: 'at', header: 'Time (UTC)', wide: true, cell: (row) => <When at={row.at} dated /> },
        {
          id: 'what',
          header: 'Description',
          cell: (row) => (
            <>
              {row.request === null ? (
                entryWords(row)
              ) : (
                <RequestLink inRow id={row.request}>
                  {entryWords(row)}{' '}
                  <span className="font-mono text-xs text-ink-soft max-sm:hidden">{row.request}</span>
                </RequestLink>
              )}
              <OnPhone>
                <span className="block text-sm text-ink-soft">
                  <Moment at={row.at} />
                </span>
              </OnPhone>
            </>
          ),
        },
        // Most entries are requests, which have none.
        ...(entries?.some((row) => noteOf(row) !== '') === true ? [noteColumn] : []),
        moneyColumn<Entry>({
          id: 'amount',
          header: 'Amount',
          amount: (row) => row.amount,
          kind: 'exact',
          signed: true,
        }),
        moneyColumn<Entry>({
          id: 'balance',
          header: 'Balance',
          wide: true,
          amount: (row) => row.balanceAfter,
          kind: 'exact',
        }),
      ]}
    />
  )
}

const noteColumn: Column<Entry> = {
  id: 'note',
  header: 'Note',
  wide: true,
  className: 'max-w-72 truncate text-ink-soft',
  cell: (row) => <bdi title={noteOf(row)}>{noteOf(row)}</bdi>,
}

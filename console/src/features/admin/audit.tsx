/** The audit log: who changed what, when, from where, and the result. */

import { operations } from 'virtual:operations'
import { Fragment, type JSX, useState } from 'react'
import { Badge, type Tone } from '@/components/badge'
import { AnchorButton, Button } from '@/components/button'
import { Card } from '@/components/card'
import { Code } from '@/components/code'
import { Combobox } from '@/components/combobox'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Download, ScrollText } from '@/components/icons'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import { addressOf, type OperationOutput } from '@/lib/api'
import { changeName } from '@/lib/change-names'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { SearchField } from '../pricing/search-field.tsx'
import { AccountLink, Pager } from './section.tsx'

type AuditEntry = OperationOutput<'audit.list'>[number]
const pageRows = 50

/** Background operations of a signed-in console, which no person requests explicitly. */
const unasked = ['account.open', 'account.take-over', 'account.starting-credit']

/** Operations that are recorded, by method. */
const changing = [
  ...Object.entries(operations)
    .filter(([, [method]]) => method !== 'GET')
    .map(([name]) => name),
  ...unasked,
].sort((one, other) => changeName(one).localeCompare(changeName(other), 'en'))

export function Audit(): JSX.Element {
  const { before, operation, q: account } = useSearch()
  const setSearch = useSetSearch()
  const [shown, setShown] = useState<AuditEntry>()
  const isAccount = account !== undefined && /^acct_[0-9a-z]{13}$/.test(account)
  const filter = { ...(operation === undefined ? {} : { operation }), ...(isAccount ? { account } : {}) }
  const entries = useOperation(
    'audit.list',
    { ...filter, limit: pageRows, ...(before === undefined ? {} : { before }) },
    { keep: true },
  )
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <SearchField label="Account ID (acct_…)" />
        <Combobox
          aria-label="Operation"
          searchLabel="Search operations"
          groups={[
            {
              heading: '',
              options: [
                { value: '', label: 'All operations' },
                ...changing.map((name) => ({ value: name, label: changeName(name), keywords: name })),
              ],
            },
          ]}
          value={operation ?? ''}
          onChange={(name) => setSearch({ operation: name || undefined, before: undefined })}
          className="w-56"
        />
        <AnchorButton href={addressOf('audit.csv', filter)} download>
          <Download aria-hidden="true" />
          CSV
        </AnchorButton>
      </div>
      {entries.isError ? (
        <Problem problem={entries.error} onRetry={() => void entries.refetch()} />
      ) : (
        <Card flush>
          <Table
            caption="Audit log"
            columns={columnsOf(setShown)}
            rows={entries.data}
            keyOf={({ id }) => id}
            expected={10}
            empty={<Empty icon={<ScrollText />} title="No changes" text="Every change is recorded here." />}
          />
          <Pager
            name="before"
            next={entries.data?.length === pageRows ? entries.data.at(-1)?.id : undefined}
            label="Audit log pages"
          />
        </Card>
      )}
      {shown === undefined ? null : <Details entry={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

function columnsOf(onShow: (entry: AuditEntry) => void): readonly Column<AuditEntry>[] {
  return [
    { id: 'at', header: 'Time (UTC)', wide: true, cell: ({ at }) => <When at={at} dated /> },
    { id: 'actor', header: 'Actor', wide: true, cell: ({ actor }) => actor },
    {
      id: 'operation',
      header: 'Action',
      cell: ({ operation, subject, actor, at, outcome }) => (
        <>
          <span title={operation}>{changeName(operation)}</span>
          <bdi className="block max-w-56 truncate text-sm text-ink-soft" title={subject}>
            {subject}
          </bdi>
          <OnPhone>
            <span className="block max-w-56 truncate text-sm text-ink-soft">{actor}</span>
            <span className="block text-sm text-ink-soft">
              <When at={at} dated />
              {outcome === 'done' ? '' : `, ${outcome.replaceAll('_', ' ')}`}
            </span>
          </OnPhone>
        </>
      ),
    },
    {
      id: 'account',
      header: 'Account',
      wide: true,
      cell: ({ account, accountName }) =>
        account === null ? (
          ''
        ) : (
          <span title={account}>
            <AccountLink id={account}>{accountName ?? account}</AccountLink>
          </span>
        ),
    },
    { id: 'outcome', header: 'Result', wide: true, cell: ({ outcome }) => <Outcome outcome={outcome} /> },
    {
      id: 'details',
      header: <span className="sr-only">Details</span>,
      align: 'right',
      cell: (entry) => (
        <Button variant="ghost" size="small" data-opens-row="" onClick={() => onShow(entry)}>
          Details
        </Button>
      ),
    },
  ]
}

function Outcome({ outcome }: { readonly outcome: string }): JSX.Element {
  const tones: Readonly<Record<string, Tone>> = { done: 'good', started: 'warn' }
  const words: Readonly<Record<string, string>> = { done: 'Succeeded', started: 'Incomplete' }
  return <Badge tone={tones[outcome] ?? 'bad'}>{words[outcome] ?? outcome}</Badge>
}

function Details({
  entry,
  onClose,
}: {
  readonly entry: AuditEntry
  readonly onClose: () => void
}): JSX.Element {
  const rows: readonly (readonly [string, JSX.Element | string])[] = [
    ['Time', <When key="when" at={entry.at} exact />],
    ['Operation', entry.operation],
    ['Actor', entry.actor],
    ['Source', entry.address ?? 'this machine'],
    ['Result', entry.outcome],
  ]
  return (
    <Dialog open onOpenChange={onClose} title={changeName(entry.operation)}>
      <dl className="mb-4 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
        {rows.map(([name, value]) => (
          <Fragment key={name}>
            <dt className="text-ink-soft">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </Fragment>
        ))}
      </dl>
      <Code code={JSON.stringify(entry.input, null, 2)} language="Input, without secrets" wrap />
    </Dialog>
  )
}

/** The activity of the account. */
import { useInfiniteQuery } from '@tanstack/react-query'
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { History } from '@/components/icons'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { When } from '@/components/when'
import { useAccount } from '@/lib/account'
import { type ApiError, call, type OperationOutput } from '@/lib/api'
import { changeName } from '@/lib/change-names'
import { useKeyNames } from '../keys/use-names.ts'

type Row = OperationOutput<'audit.own'>[number]
const pageRows = 50

export function ActivityTab(): JSX.Element {
  const { id } = useAccount()
  const keyNames = useKeyNames()
  const audit = useInfiniteQuery<
    readonly Row[],
    ApiError,
    readonly Row[],
    readonly string[],
    string | undefined
  >({
    queryKey: ['audit.own', id],
    queryFn: ({ pageParam }) =>
      call('audit.own', {
        account: id,
        limit: pageRows,
        ...(pageParam === undefined ? {} : { before: pageParam }),
      }),
    initialPageParam: undefined,
    getNextPageParam: (last) => (last.length < pageRows ? undefined : last.at(-1)?.id),
    select: ({ pages }) => pages.flat(),
  })
  return (
    <Card flush title="Activity" description="Every change in this account.">
      {audit.error !== null ? (
        <Problem problem={audit.error} onRetry={() => void audit.refetch()} className="mx-5 mb-5" />
      ) : (
        <Table
          caption="Activity"
          rows={audit.data}
          keyOf={({ id }) => id}
          columns={columnsOf(keyNames)}
          empty={<Empty icon={<History />} title="No changes yet" />}
        />
      )}
      {audit.hasNextPage ? (
        <div className="flex justify-center border-t border-line p-3">
          <Button size="small" pending={audit.isFetchingNextPage} onClick={() => void audit.fetchNextPage()}>
            Show earlier changes
          </Button>
        </div>
      ) : null}
    </Card>
  )
}

const columnsOf = (keyNames: ReadonlyMap<string, string>): readonly Column<Row>[] => [
  { id: 'at', header: 'Time (UTC)', wide: true, cell: ({ at }) => <When at={at} dated /> },
  { id: 'actor', header: 'Actor', wide: true, cell: ({ actor }) => actor },
  {
    id: 'operation',
    header: 'Action',
    cell: ({ operation, subject, actor, at }) => (
      <>
        <span title={operation}>{changeName(operation)}</span>
        <bdi className="block max-w-80 truncate text-sm text-ink-soft max-sm:max-w-44" title={subject}>
          {withKeyNames(subject, keyNames)}
        </bdi>
        <OnPhone>
          <span className="block max-w-44 truncate text-sm text-ink-soft">{actor}</span>
          <When at={at} dated className="block text-sm text-ink-soft" />
        </OnPhone>
      </>
    ),
  },
  {
    id: 'outcome',
    header: 'Result',
    cell: ({ outcome }) => (
      <Badge tone={outcome === 'done' ? 'good' : 'warn'}>
        {outcome === 'done' ? 'Succeeded' : outcome.replaceAll('_', ' ')}
      </Badge>
    ),
  },
]

/** Keys are recorded by their ID. */
function withKeyNames(subject: string, keyNames: ReadonlyMap<string, string>): string {
  return subject.replace(/key_[0-9a-z]{13}/, (key) => keyNames.get(key) ?? key)
}

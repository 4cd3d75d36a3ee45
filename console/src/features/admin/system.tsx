/** The state of the installation, what needs action, and the ledger check. */
import { useQuery } from '@tanstack/react-query'
import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { CircleCheck, TriangleAlert } from '@/components/icons'
import { Money } from '@/components/money'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { Stat } from '@/components/stat'
import { When } from '@/components/when'
import { type ApiError, call, type OperationOutput } from '@/lib/api'
import { bytes, count, duration } from '@/lib/format'
import { useOperation } from '@/lib/operations'

type State = OperationOutput<'system.show'>
type Verified = OperationOutput<'ledger.verify'>
const everyMs = 5_000
const platformNames: Readonly<Record<string, string>> = {
  revenue: 'Usage revenue',
  promo: 'Credits granted',
  clearing: 'Payments received',
  write_offs: 'Written off',
  refunds: 'Refunded',
}

export function System(): JSX.Element {
  const system = useOperation('system.show', {}, { everyMs })
  if (system.isError) return <Problem problem={system.error} onRetry={() => void system.refetch()} />
  return (
    <>
      {system.data?.warnings.map((warning) => (
        <Banner key={warning} tone="warn" title="Action needed:">
          {warning}
        </Banner>
      ))}
      <div className="grid grid-cols-2 gap-3 sm:gap-4 xl:grid-cols-4">
        <Stat
          label="Running requests"
          value={shownOf(system.data, ({ running }) => count(running))}
          hint={system.data?.draining === true ? 'Shutting down' : 'Right now'}
        />
        <Stat label="Accounts" value={shownOf(system.data, ({ accounts }) => count(accounts))} />
        <Stat label="Memory" value={shownOf(system.data, ({ memoryBytes }) => bytes(memoryBytes))} />
        <Stat
          label="Event loop delay"
          value={shownOf(system.data, ({ eventLoopDelayMs }) => duration(eventLoopDelayMs))}
        />
      </div>
      <div className="grid gap-6 lg:grid-cols-2">
        <Card title="Installation">
          {system.data === undefined ? <Skeleton className="h-56" /> : <Facts state={system.data} />}
        </Card>
        <Card
          title="Operator ledger"
          description="Your side of the books: the counterpart of every entry in a customer's ledger."
        >
          {system.data === undefined ? (
            <Skeleton className="h-40" />
          ) : (
            <Pairs
              rows={Object.entries(system.data.platform).map(([name, amount]) => [
                platformNames[name] ?? name,
                <Money key={name} amount={amount} column="exact" />,
              ])}
            />
          )}
        </Card>
      </div>
      <Verify ledger={system.data?.ledger} />
    </>
  )
}

function shownOf(state: State | undefined, read: (state: State) => ReactNode): ReactNode {
  return state === undefined ? <Skeleton className="h-8 w-20" /> : read(state)
}

const databaseNames: Readonly<Record<State['database']['kind'], string>> = {
  sqlite: 'SQLite',
  postgresql: 'PostgreSQL',
}

const signupNames: Readonly<Record<State['signup'], string>> = {
  open: 'Open',
  invite: 'By invitation',
  closed: 'Closed',
}

function Facts({ state }: { readonly state: State }): JSX.Element {
  const { database } = state
  const size = database.bytes === null ? '' : `, ${bytes(database.bytes)}`
  return (
    <Pairs
      rows={[
        ['Version', `${state.version}, on Node ${state.node}`],
        ['Started', <When key="since" at={state.startedAt} />],
        [
          'Address',
          <span key="address" className="break-all">
            {state.address}
          </span>,
        ],
        ['Database', `${databaseNames[database.kind]}${size}`],
        ['Sign-up', signupNames[state.signup]],
        ['Email', state.mail ? 'Configured' : 'Not configured'],
        ['Payments', state.payments === 'stripe' ? 'Stripe' : 'Manual credit and codes'],
      ]}
    />
  )
}

function Pairs({ rows }: { readonly rows: readonly (readonly [string, ReactNode])[] }): JSX.Element {
  return (
    <dl>
      {rows.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-6 border-b border-line py-2 last:border-0">
          <dt className="text-ink-soft">{name}</dt>
          <dd className="tabular min-w-0 text-right">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The state of the ledger without a full check. */
function Checked({ ledger }: { readonly ledger: State['ledger'] }): JSX.Element {
  const { checked, contradictions, verified } = ledger
  return (
    <div className="mb-4">
      <Pairs
        rows={[
          [
            'Last continuous check',
            <span key="checked" className="flex items-center justify-end gap-2">
              {checked === null ? 'First pass in progress' : <When at={checked} />}
              {contradictions === 0 ? null : <Badge tone="bad">{count(contradictions)} contradictions</Badge>}
            </span>,
          ],
          ['Last full check', verified === null ? 'Never' : <When key="verified" at={verified} />],
        ]}
      />
    </div>
  )
}

/** Runs on request only: it reads the whole ledger. */
function Verify({ ledger }: { readonly ledger: State['ledger'] | undefined }): JSX.Element {
  const verified = useQuery<Verified, ApiError>({
    queryKey: ['ledger.verify'],
    queryFn: () => call('ledger.verify'),
    enabled: false,
    retry: false,
  })
  return (
    <Card
      title="Ledger"
      description="Recomputes every balance and reservation from the entries and compares. Requests keep running."
      actions={
        <Button pending={verified.isFetching} onClick={() => void verified.refetch()}>
          Run full check
        </Button>
      }
    >
      {ledger === undefined ? <Skeleton className="mb-4 h-12" /> : <Checked ledger={ledger} />}
      <div aria-live="polite" className="min-h-6">
        {verified.isFetching ? (
          <div className="flex flex-col gap-2">
            <p className="text-ink-soft">Reading every entry…</p>
            <span aria-hidden="true" className="h-1 w-full animate-pulse rounded-full bg-accent" />
          </div>
        ) : verified.isError ? (
          <Problem problem={verified.error} onRetry={() => void verified.refetch()} />
        ) : verified.data === undefined ? (
          <p className="text-ink-soft">Not run yet on this page.</p>
        ) : (
          <Outcome verified={verified.data} />
        )}
      </div>
    </Card>
  )
}

function Outcome({ verified }: { readonly verified: Verified }): JSX.Element {
  const { ok, accounts, entries, openHolds, drift } = verified
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-center gap-2">
        {ok ? (
          <CircleCheck aria-hidden="true" className="size-5 text-good" />
        ) : (
          <TriangleAlert aria-hidden="true" className="size-5 text-bad" />
        )}
        <span className="font-medium">
          {ok ? 'All balances are correct.' : 'The ledger is inconsistent.'}
        </span>
        <Badge tone={ok ? 'good' : 'bad'}>
          {count(accounts)} accounts, {count(entries)} entries, {count(openHolds)} open reservations
        </Badge>
      </p>
      {drift.length === 0 ? null : (
        <ul className="list-disc space-y-1 pl-5">
          {drift.map((line) => (
            <li key={line} className="break-words">
              {line}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

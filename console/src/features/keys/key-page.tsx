/** An API key: settings, spend, requests and rejected requests. */
import { Link, useParams } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { ArrowLeft, KeyRound } from '@/components/icons'
import { Money } from '@/components/money'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { useNow, When } from '@/components/when'
import { useAccount } from '@/lib/account'
import { count } from '@/lib/format'
import { useOperation } from '@/lib/operations'
import { RequestsTable } from '../requests/requests-table.tsx'
import { useRequestRows } from '../requests/use-request-rows.ts'
import { Fact } from '../usage/fact.tsx'
import { Moment } from '../usage/moment.tsx'
import { Name } from '../usage/name.tsx'
import { BudgetUse } from './budget.tsx'
import { CreatedBy } from './created-by.tsx'
import { KeyActions } from './key-actions.tsx'
import { cachingWords } from './key-form.ts'
import { KeySpend } from './key-spend.tsx'
import { type Key, keyState } from './key-state.ts'
import { RejectedRequestsOfKey } from './rejected-requests.tsx'
import { useMemberNames } from './use-names.ts'

const back = (
  <Link to="/console/keys" className="inline-flex items-center gap-1.5 text-ink-soft hover:text-ink">
    <ArrowLeft aria-hidden="true" className="size-4" />
    API keys
  </Link>
)

export function KeyPage(): JSX.Element {
  const { key: id } = useParams({ from: '/frame/console/keys/$key' })
  const account = useAccount()
  const keys = useOperation('key.list', { account: account.id })
  const key = keys.data?.find((one) => one.id === id)
  if (key !== undefined) return <Shown apiKey={key} />
  return (
    <Page
      title="API key"
      description={
        keys.data === undefined && keys.error === null ? <Skeleton className="my-0.5 h-5 w-48" /> : undefined
      }
      back={back}
    >
      {keys.error !== null ? (
        <Problem problem={keys.error} onRetry={() => void keys.refetch()} />
      ) : keys.data === undefined ? (
        <>
          <Skeleton className="h-52 rounded-xl" />
          <Skeleton className="h-84 rounded-xl" />
          <Skeleton className="h-64 rounded-xl" />
        </>
      ) : (
        <Card>
          <Empty
            icon={<KeyRound />}
            title="API key not found"
            text="It may belong to another account. You can switch accounts in the sidebar."
            action={<LinkButton to="/console/keys">All keys</LinkButton>}
          />
        </Card>
      )}
    </Page>
  )
}

function Shown({ apiKey }: { readonly apiKey: Key }): JSX.Element {
  const account = useAccount()
  const state = keyState(apiKey, useNow())
  const filter = { account: account.id, key: apiKey.id }
  const { page, error, retry } = useRequestRows({ filter, size: 10 })
  return (
    <Page
      title={apiKey.name}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <bdi className="min-w-0 break-words">{apiKey.name}</bdi>
          <Badge tone={state.tone}>{state.label}</Badge>
        </span>
      }
      description={<code className="font-mono text-[0.8125rem]">{apiKey.label}</code>}
      back={back}
      actions={<KeyActions apiKey={apiKey} />}
    >
      <Facts apiKey={apiKey} />
      <KeySpend apiKey={apiKey.id} />
      <Card
        title="Recent requests"
        flush
        actions={
          <LinkButton size="small" to="/console/requests" search={{ key: apiKey.id }}>
            All requests
          </LinkButton>
        }
      >
        {error !== null ? (
          <Problem className="m-5 mt-0" problem={error} onRetry={retry} />
        ) : (
          <RequestsTable
            caption="Recent requests of this key"
            rows={page?.rows}
            expected={3}
            empty={
              <Empty
                title="No requests yet"
                text="The Connect page shows how to set up a client with this key."
                action={<LinkButton to="/console/connect">Connect a client</LinkButton>}
              />
            }
          />
        )}
      </Card>
      <RejectedRequestsOfKey apiKey={apiKey.id} />
    </Page>
  )
}

function Facts({ apiKey }: { readonly apiKey: Key }): JSX.Element {
  const memberNames = useMemberNames()
  const { limits, models, expires, replacedBy } = apiKey
  const limited = [
    limits.requestsPerMinute === null ? '' : `${count(limits.requestsPerMinute)} requests per minute`,
    limits.tokensPerMinute === null ? '' : `${count(limits.tokensPerMinute)} tokens per minute`,
    limits.concurrent === null ? '' : `${count(limits.concurrent)} concurrent requests`,
  ].filter((text) => text !== '')
  return (
    <Card>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-4 lg:grid-cols-4">
        <Fact label="Total spend">
          <Money amount={apiKey.spent} form="exact" />
        </Fact>
        <Fact label="Budget">
          <BudgetUse {...apiKey} />
        </Fact>
        <Fact label="Last used">{apiKey.lastUsed === null ? 'Never' : <When at={apiKey.lastUsed} />}</Fact>
        <Fact label="Expires">{expires === null ? 'Never' : <Moment at={expires} />}</Fact>
        <Fact label="Models">
          {models === null
            ? 'All models'
            : models.map((model) => (
                <Name key={model} className="block font-mono text-[0.8125rem]">
                  {model}
                </Name>
              ))}
        </Fact>
        <Fact label="Limits">
          {limited.length === 0
            ? 'Account limits'
            : limited.map((text) => (
                <span key={text} className="block">
                  {text}
                </span>
              ))}
        </Fact>
        <Fact label="On low balance">
          {apiKey.onShortBalance === 'lower' ? 'Lower the output limit' : 'Reject'}
        </Fact>
        <Fact label="Balance visible">{apiKey.showBalance ? 'Yes' : 'No'}</Fact>
        <Fact label="Cost in responses">{apiKey.showCost ? 'Yes' : 'No'}</Fact>
        {apiKey.fallbacks !== null && <Fact label="Fallback models">{apiKey.fallbacks.join(', ')}</Fact>}
        {apiKey.requiredTags !== null && (
          <Fact label="Required tags of upstreams">{apiKey.requiredTags.join(', ')}</Fact>
        )}
        <Fact label="Claude prompt caching">{cachingWords[apiKey.automaticCaching]}</Fact>
        <Fact label="Created">
          <Moment at={apiKey.created} />
        </Fact>
        <Fact label="Created by">
          <CreatedBy apiKey={apiKey} memberNames={memberNames} />
        </Fact>
        {apiKey.revoked === null ? null : (
          <Fact label="Revoked">
            <Moment at={apiKey.revoked} />
          </Fact>
        )}
        {replacedBy === null ? null : (
          <Fact label="Replaced by">
            <Link
              to="/console/keys/$key"
              params={{ key: replacedBy }}
              className="underline underline-offset-3"
            >
              the new key
            </Link>
          </Fact>
        )}
      </dl>
    </Card>
  )
}

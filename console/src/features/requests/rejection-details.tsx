/** A rejected request: its error with the whole message, time, key and model. */
import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import { LinkButton } from '@/components/button'
import { Card } from '@/components/card'
import { CopyId } from '@/components/copy-id'
import { Page } from '@/components/page'
import { payersOnly, useMayPay } from '../billing/use-may-pay.ts'
import { useKeyNames } from '../keys/use-names.ts'
import { Fact } from '../usage/fact.tsx'
import { Moment } from '../usage/moment.tsx'
import { Name } from '../usage/name.tsx'
import { ErrorLink } from './badges.tsx'
import type { Rejection } from './request-rows.ts'

export interface RejectionDetailsProps {
  readonly rejection: Rejection
  readonly back: ReactNode
}

export function RejectionDetails({ rejection, back }: RejectionDetailsProps): JSX.Element {
  const keyNames = useKeyNames()
  const mayPay = useMayPay()
  const isShortOfCredit = rejection.code === 'insufficient_balance'
  const name = rejection.model ?? 'Unknown model'
  return (
    <Page
      title={`Request to ${name}`}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <bdi className="min-w-0 break-words">{name}</bdi>
          <Badge tone="warn">Rejected</Badge>
        </span>
      }
      description={
        <span className="flex min-w-0 items-center gap-1.5">
          Request ID <CopyId text={rejection.request} what="request ID" />
        </span>
      }
      back={back}
    >
      <Banner
        tone="warn"
        title={`Rejected with ${rejection.status}. Not charged.`}
        action={
          isShortOfCredit && mayPay ? (
            <LinkButton to="/console/billing" size="small">
              Add credit
            </LinkButton>
          ) : undefined
        }
      >
        <bdi className="block break-words whitespace-pre-line">{rejection.message}</bdi>
        {isShortOfCredit && !mayPay ? <span className="block">{payersOnly}</span> : null}
      </Banner>
      <Card title="Details" description="The request was rejected before it reached a provider.">
        <dl className="grid gap-x-8 gap-y-4 sm:grid-cols-2 lg:grid-cols-3">
          <Fact label="Error code">
            <ErrorLink code={rejection.code} />
          </Fact>
          <Fact label="HTTP status">
            <Badge tone="bad">{rejection.status}</Badge>
          </Fact>
          <Fact label="Time">
            <Moment at={rejection.at} />
          </Fact>
          <Fact label="Model">
            {rejection.model === null ? (
              <span className="text-ink-soft">Not read before the request was rejected</span>
            ) : (
              <Name className="font-mono text-[0.8125rem]">{rejection.model}</Name>
            )}
          </Fact>
          <Fact label="Key">
            <Link
              to="/console/keys/$key"
              params={{ key: rejection.key }}
              className="font-medium underline decoration-line-strong underline-offset-3"
            >
              <Name>{keyNames.get(rejection.key) ?? rejection.key}</Name>
            </Link>
          </Fact>
        </dl>
      </Card>
    </Page>
  )
}

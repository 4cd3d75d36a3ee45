/**
 * Shows the result after the payment page (`?top-up=…`, with `left` where it was not paid), until the amount is
 * usable. It shows the state of the top-up and ignores the state in the URL.
 */

import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { AnchorButton, Button, LinkButton } from '@/components/button'
import { X } from '@/components/icons'
import { Money } from '@/components/money'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { isUnderWay, type TopUp, topUpWords } from './billing-words.ts'

/** Polling in addition to the live event, for late confirmations. */
const askEveryMs = 3_000

export function PaymentResult(): JSX.Element | null {
  const id = useSearch()['top-up']
  return /^top_\w{13}$/.test(id ?? '') && id !== undefined ? <Outcome id={id} /> : null
}

function Outcome({ id }: { readonly id: string }): JSX.Element {
  const setSearch = useSetSearch()
  const hasLeft = useSearch().left === 'page'
  const topUp = useTopUp(id)
  const close = (
    <Button
      variant="ghost"
      size="icon"
      aria-label="Dismiss message"
      onClick={() => setSearch({ 'top-up': undefined, left: undefined })}
    >
      <X aria-hidden="true" />
    </Button>
  )
  if (topUp.error !== null) return <Problem problem={topUp.error} onRetry={() => void topUp.refetch()} />
  if (topUp.data === undefined) return <Skeleton className="h-16 rounded-lg" />
  const { state, amount, problem, payUrl } = topUp.data
  if (state === 'paid') {
    return (
      <Banner
        tone="good"
        title={
          <>
            <Money amount={amount} form="cents" /> paid.
          </>
        }
        action={
          <>
            <LinkButton size="small" to="/console/billing/invoices/$invoice" params={{ invoice: id }}>
              View receipt
            </LinkButton>
            {close}
          </>
        }
      >
        It's in your balance now.
      </Banner>
    )
  }
  const goOn = payUrl === null ? null : <AnchorButton href={payUrl}>Continue to payment</AnchorButton>
  if (state === 'open') {
    return (
      <Banner
        title={hasLeft ? 'You were not charged.' : 'Waiting for payment confirmation…'}
        action={
          <>
            {goOn}
            {close}
          </>
        }
      >
        {hasLeft
          ? 'You left the payment page before paying. It stays open until it expires.'
          : 'If you paid, this updates within seconds. If not, you can continue.'}
      </Banner>
    )
  }
  return (
    <Banner
      tone={toneOf(state)}
      title={`${topUpWords[state].label}.`}
      action={
        <>
          {goOn}
          {close}
        </>
      }
    >
      {problem ?? topUpWords[state].sentence}
    </Banner>
  )
}

function toneOf(state: TopUp['state']): 'info' | 'warn' | 'bad' {
  if (state === 'failed' || state === 'disputed') return 'bad'
  return state === 'processing' ? 'info' : 'warn'
}

function useTopUp(id: string) {
  const shown = useOperation('top-up.show', { topUp: id })
  const isOpen = shown.data === undefined || isUnderWay(shown.data.state)
  // The same query, repeated while the state may still change.
  useOperation('top-up.show', { topUp: id }, { enabled: isOpen, everyMs: askEveryMs })
  return shown
}

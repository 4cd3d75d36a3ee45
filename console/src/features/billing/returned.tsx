/**
 * Somebody came back from the payment page (`?top-up=…`, with `left` where it was not paid): what became of it, until the
 * amount is usable. What is told is how the top-up stands, wherever the address says that they come from.
 */

import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { AnchorButton, Button } from '@/components/button'
import { X } from '@/components/icons'
import { Money } from '@/components/money'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import { isUnderWay, type TopUp, topUpWords } from './billing-words.ts'

/** Beside the live event, for payments whose news come late. */
const askEveryMs = 3_000

export function Returned(): JSX.Element | null {
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
      aria-label="Close this message"
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
        title={
          <>
            <Money amount={amount} form="round" /> paid.
          </>
        }
        action={close}
      >
        It is in the balance and usable now.
      </Banner>
    )
  }
  const goOn = payUrl === null ? null : <AnchorButton href={payUrl}>Go on paying</AnchorButton>
  if (state === 'open') {
    return (
      <Banner
        title={hasLeft ? 'Nothing was charged.' : 'Waiting for the payment to be confirmed…'}
        action={
          <>
            {goOn}
            {close}
          </>
        }
      >
        {hasLeft
          ? 'You left the payment page before it was paid. It waits there until it expires.'
          : 'If you have paid, this changes by itself within seconds. If you have not, you can go on.'}
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
  // The same answer, asked for again and again while it may still change.
  useOperation('top-up.show', { topUp: id }, { enabled: isOpen, everyMs: askEveryMs })
  return shown
}

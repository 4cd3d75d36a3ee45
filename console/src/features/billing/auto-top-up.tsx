/** Automatic top-ups: threshold, amount, saved card, and why they are paused. */

import { type JSX, type ReactNode, useState } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Field } from '@/components/field'
import { CreditCard } from '@/components/icons'
import { Input } from '@/components/input'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { useAccount } from '@/lib/account'
import { centsUsd, compareUsd } from '@/lib/format'
import { useChange } from '@/lib/operations'
import { typedAmount, typedPayment } from '../usage/amount.ts'
import type { Billing } from './billing-words.ts'
import { payersOnly, useMayPay } from './use-may-pay.ts'

export function AutoTopUp({ billing }: { readonly billing: Billing }): JSX.Element | null {
  const mayPay = useMayPay()
  const { payments, autoTopUp, autoTopUpProblem, autoTopUpWaits, savedMethod } = billing
  if (payments.kind !== 'stripe') return null
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Automatic top-up{' '}
          <Badge tone={autoTopUp === null ? 'neutral' : 'good'}>{autoTopUp === null ? 'Off' : 'On'}</Badge>
        </span>
      }
      description="Adds credit before the balance runs out, so long-running work isn't interrupted."
    >
      <div className="flex flex-col gap-4">
        {autoTopUpProblem === null ? null : (
          <Banner tone="bad" title="Automatic top-ups are paused.">
            {autoTopUpProblem} To resume, top up once and save the card.
          </Banner>
        )}
        {autoTopUpWaits === null ? null : <TopUpsWait until={autoTopUpWaits} />}
        {savedMethod === null ? (
          <p className="text-ink-soft">
            Requires a saved card. Top up once with “Save card for automatic top-ups” checked, then turn it on
            here.
          </p>
        ) : (
          <SavedMethod name={savedMethod} mayPay={mayPay} />
        )}
        {!mayPay ? (
          <p className="text-ink-soft">{payersOnly}</p>
        ) : savedMethod === null ? null : (
          <Amounts
            key={JSON.stringify(autoTopUp)}
            autoTopUp={autoTopUp}
            minimum={payments.minimum}
            maximum={payments.maximum}
          />
        )}
      </div>
    </Card>
  )
}

/** The daily limit was reached and the balance is low again. */
export function TopUpsWait({
  until,
  action,
}: {
  readonly until: string
  readonly action?: ReactNode
}): JSX.Element {
  return (
    <Banner tone="warn" title="Automatic top-ups are paused." action={action}>
      The limit for 24 hours was reached. The next one can run after <When at={until} exact />. Until then,
      add credit manually.
    </Banner>
  )
}

function SavedMethod({ name, mayPay }: { readonly name: string; readonly mayPay: boolean }): JSX.Element {
  const account = useAccount()
  const [isAsking, setAsking] = useState(false)
  const forget = useChange('method.forget', {
    changes: ['billing'],
    onDone: () => {
      toast.good('Saved card removed.')
      setAsking(false)
    },
  })
  return (
    <div className="flex flex-wrap items-center gap-3 rounded-lg border border-line px-4 py-2">
      <CreditCard aria-hidden="true" className="size-4 text-ink-soft" />
      <span className="min-w-0 flex-1 truncate">{name}</span>
      {mayPay ? (
        <Button size="small" variant="ghost" onClick={() => setAsking(true)}>
          Remove
        </Button>
      ) : null}
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setAsking}
        title="Remove the saved card?"
        action="Remove card"
        pending={forget.isPending}
        onConfirm={() => forget.mutate({ account: account.id })}
      >
        <p>This also turns off automatic top-ups. To turn them on again, top up and save a card.</p>
      </ConfirmDialog>
    </div>
  )
}

interface AmountsProps {
  readonly autoTopUp: Billing['autoTopUp']
  readonly minimum: string
  readonly maximum: string
}

function Amounts({ autoTopUp, minimum, maximum }: AmountsProps): JSX.Element {
  const account = useAccount()
  const [below, setBelow] = useState(autoTopUp?.below ?? '5.00')
  const [amount, setAmount] = useState(autoTopUp?.amount ?? '25.00')
  const [errors, setErrors] = useState<{ below?: string; amount?: string }>({})
  const update = useChange('billing.update', {
    changes: ['billing'],
    onDone: (billing) =>
      toast.good(billing.autoTopUp === null ? 'Automatic top-ups are off.' : 'Automatic top-ups are on.'),
  })
  const save = (): void => {
    const [belowAmount, topUpAmount] = [typedAmount(below), typedPayment(amount)]
    const isBelowBad = belowAmount === undefined || !/[1-9]/.test(belowAmount)
    const isAmountBad =
      topUpAmount === undefined ||
      compareUsd(topUpAmount, minimum) < 0 ||
      compareUsd(topUpAmount, maximum) > 0
    setErrors({
      ...(isBelowBad ? { below: 'Enter an amount such as 5.' } : {}),
      ...(isAmountBad ? { amount: `From ${centsUsd(minimum)} to ${centsUsd(maximum)}.` } : {}),
    })
    if (isBelowBad || isAmountBad || update.isPending) return
    update.mutate({ account: account.id, autoTopUp: { below: belowAmount, amount: topUpAmount } })
  }
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="When balance falls below" error={errors.below}>
          <Input inputMode="decimal" value={below} onChange={(event) => setBelow(event.target.value)} />
        </Field>
        <Field label="Top up by" error={errors.amount}>
          <Input inputMode="decimal" value={amount} onChange={(event) => setAmount(event.target.value)} />
        </Field>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={update.isPending}>
          {autoTopUp === null ? 'Turn on' : 'Save'}
        </Button>
        {autoTopUp === null ? null : (
          <Button
            disabled={update.isPending}
            onClick={() => update.mutate({ account: account.id, autoTopUp: null })}
          >
            Turn off
          </Button>
        )}
      </div>
    </form>
  )
}

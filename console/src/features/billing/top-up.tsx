/** Adds credit on Stripe's payment page, or says how it is done where Stripe is not set up. */

import { Link } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Checkbox } from '@/components/checkbox'
import { CopyId } from '@/components/copy-id'
import { Field } from '@/components/field'
import { ExternalLink } from '@/components/icons'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { toast } from '@/components/toaster'
import { useAccount, useMe } from '@/lib/account'
import type { ApiError } from '@/lib/api'
import { centsUsd, compareUsd } from '@/lib/format'
import { useChange } from '@/lib/operations'
import { GiveCredit } from '../admin/give-credit.tsx'
import { typedPayment } from '../usage/amount.ts'
import { amountPresets, type Billing } from './billing-words.ts'
import { payersOnly, useMayPay } from './use-may-pay.ts'

type Payments = Billing['payments']
type Stripe = Extract<Payments, { kind: 'stripe' }>
type Operator = Extract<Payments, { kind: 'operator' }>

export function TopUp({ payments }: { readonly payments: Payments }): JSX.Element {
  const mayPay = useMayPay()
  if (payments.kind === 'operator') return <ByOperator contact={payments.contact} />
  return (
    <Card
      title={
        <span className="flex items-center gap-2">
          Top up {payments.test ? <Badge tone="warn">Test mode: no real money</Badge> : null}
        </span>
      }
      description="Paid with Stripe and available as soon as the payment is confirmed."
    >
      {mayPay ? <ByStripe {...payments} /> : <p className="text-ink-soft">{payersOnly}</p>}
    </Card>
  )
}

function ByOperator({ contact }: Pick<Operator, 'contact'>): JSX.Element {
  const { operator } = useMe().person
  const account = useAccount()
  if (operator) {
    return (
      <Card title="Top up" description="No payment provider is set up on this server.">
        <p className="text-ink-soft">
          As an administrator you can add credit to this account,{' '}
          <Link
            to="/console/admin/$section"
            params={{ section: 'codes' }}
            search={{}}
            className="text-accent underline underline-offset-2"
          >
            create codes
          </Link>
          , or{' '}
          <a href="/docs/operate/payments#with-stripe" className="text-accent underline underline-offset-2">
            connect Stripe
          </a>{' '}
          so that customers pay by card.
        </p>
        <div className="mt-3">
          <GiveCredit account={account.id} name={account.name} />
        </div>
      </Card>
    )
  }
  return (
    <Card title="Top up" description="No payment provider is set up on this server.">
      <p>An administrator can add credit or give you a code to redeem below.</p>
      <WhomToAsk contact={contact} />
    </Card>
  )
}

/** How credit is asked for: the operator's contact, and the ID of the account to mention. */
export function WhomToAsk({ contact }: Pick<Operator, 'contact'>): JSX.Element {
  const account = useAccount()
  return (
    <div>
      {contact === null ? null : (
        <>
          <p>Contact:</p>
          <p className="my-3 rounded-lg border border-line bg-sunken px-4 py-3 break-words whitespace-pre-line">
            <bdi>{contact}</bdi>
          </p>
        </>
      )}
      <p className="text-ink-soft">Mention this account:</p>
      <p className="mt-1">
        <CopyId text={account.id} what="account ID" />
      </p>
    </div>
  )
}

function ByStripe({ minimum, maximum }: Stripe): JSX.Element {
  const account = useAccount()
  const presets = amountPresets(minimum, maximum)
  const [text, setText] = useState(presets[1] ?? presets[0] ?? minimum)
  const [saveMethod, setSaveMethod] = useState(false)
  const [error, setError] = useState<string>()
  const [problem, setProblem] = useState<ApiError>()
  const create = useChange('top-up.create', {
    onProblem: setProblem,
    onDone: ({ payUrl }) => {
      if (payUrl === null) toast.problem("The payment page didn't open. Check your top-ups below.")
      else window.location.assign(payUrl)
    },
  })
  const submit = (): void => {
    const amount = typedPayment(text)
    const isAllowed =
      amount !== undefined && compareUsd(amount, minimum) >= 0 && compareUsd(amount, maximum) <= 0
    setError(
      isAllowed
        ? undefined
        : `Enter an amount in whole cents from ${centsUsd(minimum)} to ${centsUsd(maximum)}.`,
    )
    if (!isAllowed || amount === undefined || create.isPending) return
    setProblem(undefined)
    create.mutate({ account: account.id, amount, saveMethod })
  }
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {problem === undefined ? null : <Problem problem={problem} />}
      <fieldset className="grid grid-cols-3 gap-2 sm:flex sm:flex-wrap">
        <legend className="sr-only">Preset amounts</legend>
        {presets.map((preset) => (
          <Button
            key={preset}
            aria-pressed={text === preset}
            className={text === preset ? 'border-accent bg-accent-soft' : ''}
            onClick={() => setText(preset)}
          >
            {centsUsd(preset).replace('.00', '')}
          </Button>
        ))}
      </fieldset>
      <Field label="Amount in USD" hint={`From ${centsUsd(minimum)} to ${centsUsd(maximum)}.`} error={error}>
        <Input
          inputMode="decimal"
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoComplete="off"
        />
      </Field>
      <Checkbox
        label="Save card for automatic top-ups"
        hint="Stripe stores it; this server never sees its number."
        checked={saveMethod}
        onChange={setSaveMethod}
      />
      <Button type="submit" variant="primary" className="self-start" pending={create.isPending}>
        Pay with Stripe
        <ExternalLink aria-hidden="true" />
      </Button>
    </form>
  )
}

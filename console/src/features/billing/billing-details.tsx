/** Name and address on statements and payment receipts. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Field } from '@/components/field'
import { Textarea } from '@/components/textarea'
import { toast } from '@/components/toaster'
import { useAccount } from '@/lib/account'
import { useChange } from '@/lib/operations'
import { payersOnly, useMayPay } from './use-may-pay.ts'

export function BillingDetails({ invoiceTo }: { readonly invoiceTo: string }): JSX.Element {
  const account = useAccount()
  const mayPay = useMayPay()
  const [text, setText] = useState(invoiceTo)
  const update = useChange('billing.update', { changes: ['billing'], onDone: () => toast.good('Saved.') })
  return (
    <Card title="Billing details" description="Shown on statements and payment receipts.">
      <form
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!update.isPending) update.mutate({ account: account.id, invoiceTo: text })
        }}
      >
        <Field
          label="Name and address"
          optional
          hint={mayPay ? 'Include your tax ID if you need it there.' : payersOnly}
          className="w-full max-w-md"
        >
          <Textarea
            rows={4}
            maxLength={1_000}
            dir="auto"
            value={text}
            disabled={!mayPay}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        {mayPay ? (
          <Button type="submit" pending={update.isPending} disabled={text.trim() === invoiceTo}>
            Save
          </Button>
        ) : null}
      </form>
    </Card>
  )
}

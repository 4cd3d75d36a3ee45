/** The button with which operators add credit to an account, and its dialog. */

import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Field } from '@/components/field'
import { Coins } from '@/components/icons'
import { Input, Textarea } from '@/components/input'
import { toast } from '@/components/toaster'
import { useChange } from '@/lib/operations'
import { randomSuffix } from '@/lib/random-suffix'
import { usd } from '@/lib/usd'
import { errorAt, FormDialog } from './form-dialog.tsx'

export interface GiveCreditProps {
  /** The account's ID. */
  readonly account: string
  readonly name: string
  readonly variant?: 'primary' | 'secondary'
}

export function GiveCredit({ account, name, variant = 'secondary' }: GiveCreditProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [amount, setAmount] = useState('')
  const [reference, setReference] = useState(newReference)
  const [note, setNote] = useState('')
  const isNegative = /^\s*[-−]/.test(amount)
  const credit = useChange('credit', {
    changes: ['balance', 'account', 'billing'],
    onProblem: () => undefined,
    onDone({ created, balance }) {
      setOpen(false)
      setAmount('')
      setReference(newReference())
      setNote('')
      if (created) toast.good(`Credited ${usd(amount)}. New balance: ${usd(balance)}.`)
      else toast.problem('This reference was already credited. Nothing changed.')
    },
  })
  return (
    <>
      <Button variant={variant} onClick={() => setOpen(true)}>
        <Coins aria-hidden="true" />
        Add credit
      </Button>
      <FormDialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Add credit"
        description={`Added to the balance of ${name} immediately. The entry can't be edited or deleted.`}
        action="Add credit"
        pending={credit.isPending}
        disabled={isNegative}
        problem={credit.error}
        fields={['amount', 'reference', 'note']}
        onSubmit={() => credit.mutate({ account, amount: amount.trim(), reference, note: note.trim() })}
      >
        <Field
          label="Amount in USD"
          {...(isNegative ? { error: 'The amount must be positive.' } : errorAt(credit.error, 'amount'))}
        >
          <Input
            inputMode="decimal"
            placeholder="25.00"
            value={amount}
            onChange={(event) => setAmount(event.target.value)}
          />
        </Field>
        <Field
          label="Reference"
          hint="A unique ID for this credit, such as an invoice number. The same reference is credited only once."
          {...errorAt(credit.error, 'reference')}
        >
          <Input value={reference} onChange={(event) => setReference(event.target.value)} />
        </Field>
        <Field
          label="Reason"
          optional
          hint="Shown to the account in its ledger."
          {...errorAt(credit.error, 'note')}
        >
          <Textarea value={note} onChange={(event) => setNote(event.target.value)} />
        </Field>
      </FormDialog>
    </>
  )
}

/** Default number for a credit without its own, such as an invoice number. */
function newReference(): string {
  return `manual-${randomSuffix()}`
}

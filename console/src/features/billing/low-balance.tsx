/** The warning before the balance runs out, in days at the present rate: five dollars are much for one and little for another. */
import type { JSX } from 'react'
import { Card } from '@/components/card'
import { Field } from '@/components/field'
import { Select } from '@/components/select'
import { toast } from '@/components/toaster'
import { useAccount } from '@/lib/account'
import { useChange, useOperation } from '@/lib/operations'
import { payersOnly, useMayPay } from './use-may-pay.ts'

const choices = [1, 3, 7, 14, 30]

export function LowBalance({ alertDays }: { readonly alertDays: number | null }): JSX.Element {
  const account = useAccount()
  const mayPay = useMayPay()
  const sendsMail = useOperation('installation.show').data?.mail
  const update = useChange('billing.update', {
    changes: ['billing'],
    onDone: (billing) => toast.good(billing.alertDays === null ? 'No warning will be sent.' : 'Saved.'),
  })
  const offered =
    alertDays === null || choices.includes(alertDays)
      ? choices
      : [...choices, alertDays].toSorted((a, b) => a - b)
  return (
    <Card title="Low balance">
      <Field
        label="Warn when the balance lasts for less than"
        hint={
          sendsMail === false
            ? 'At the rate of the last seven days. This server sends no mail, so the warning stands on the overview alone.'
            : mayPay
              ? 'At the rate of the last seven days. The warning comes by mail, once each time, and stands on the overview.'
              : payersOnly
        }
      >
        <Select
          value={alertDays ?? ''}
          disabled={!mayPay || update.isPending}
          onChange={(event) =>
            update.mutate({
              account: account.id,
              alertDays: event.target.value === '' ? null : Number(event.target.value),
            })
          }
        >
          <option value="">No warning</option>
          {offered.map((days) => (
            <option key={days} value={days}>
              {days === 1 ? '1 day' : `${days} days`}
            </option>
          ))}
        </Select>
      </Field>
    </Card>
  )
}

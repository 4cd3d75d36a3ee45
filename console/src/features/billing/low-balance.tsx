/** The low-balance warning, in days of runway: five dollars are much for one account and little for another. */
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
    onDone: (billing) =>
      toast.good(billing.alertDays === null ? 'Low-balance warning turned off.' : 'Saved.'),
  })
  const offered =
    alertDays === null || choices.includes(alertDays)
      ? choices
      : [...choices, alertDays].toSorted((a, b) => a - b)
  return (
    <Card title="Low-balance warning">
      <Field
        label="Warn when runway is below"
        hint={
          sendsMail === false
            ? "Based on your 7-day average spend. This server can't send email, so the warning appears only on the Overview page."
            : mayPay
              ? 'Based on your 7-day average spend. We email you once each time and show the warning on the Overview page.'
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
          <option value="">Never</option>
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

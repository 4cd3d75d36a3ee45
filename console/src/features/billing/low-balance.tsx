/** The low-balance warning, in days of runway: five dollars are much for one account and little for another. */
import type { JSX } from 'react'
import { Card } from '@/components/card'
import { Field } from '@/components/field'
import { Select } from '@/components/select'
import { toast } from '@/components/toaster'
import { useAccount } from '@/lib/account'
import { useChange, useOperation } from '@/lib/operations'
import { lowBalanceDays } from '../../../../contract/low-balance.ts'
import { daysWords } from './billing-words.ts'
import { payersOnly, useMayPay } from './use-may-pay.ts'

const choices = [1, 3, 7, 14, 30]
const base = 'Based on your 7-day average spend.'

export function LowBalance({ alertDays }: { readonly alertDays: number | null }): JSX.Element {
  const account = useAccount()
  const mayPay = useMayPay()
  const sendsMail = useOperation('installation.show').data?.mail
  const update = useChange('billing.update', {
    changes: ['billing'],
    onDone: (billing) => toast.good(savedWords(billing.alertDays)),
  })
  const all = [
    ...new Set([...choices, ...(alertDays === null || alertDays === 0 ? [] : [alertDays])]),
  ].toSorted((a, b) => a - b)
  // Without email the default says the same.
  const offered = all.filter((days) => sendsMail !== false || days !== lowBalanceDays || days === alertDays)
  return (
    <Card title="Low-balance warning">
      <Field label="Warn when runway is below" hint={mayPay ? hintOf(alertDays, sendsMail) : payersOnly}>
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
          <option value="">
            {daysWords(lowBalanceDays)} ({sendsMail === false ? 'default' : 'default, without email'})
          </option>
          {offered.map((days) => (
            <option key={days} value={days}>
              {daysWords(days)}
            </option>
          ))}
          <option value="0">Never</option>
        </Select>
      </Field>
    </Card>
  )
}

function savedWords(alertDays: number | null): string {
  if (alertDays === 0) return 'Low-balance warning turned off.'
  return alertDays === null ? 'Low-balance emails turned off.' : 'Saved.'
}

function hintOf(alertDays: number | null, sendsMail: boolean | undefined): string {
  if (alertDays === 0) return 'You are not warned. Requests are rejected when the balance is empty.'
  if (sendsMail === false)
    return `${base} This server can't send email, so the warning appears only on the Overview page.`
  return `${base} The warning appears on the Overview page${alertDays === null ? '.' : ', and we email you once each time.'}`
}

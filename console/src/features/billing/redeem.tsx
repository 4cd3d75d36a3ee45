/** Redeems a code for credit. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { toast } from '@/components/toaster'
import { useAccount } from '@/lib/account'
import { centsUsd, usd } from '@/lib/format'
import { useChange } from '@/lib/operations'
import { payersOnly, useMayPay } from './use-may-pay.ts'

export function Redeem(): JSX.Element {
  const account = useAccount()
  const mayPay = useMayPay()
  const [code, setCode] = useState('')
  const [error, setError] = useState<string>()
  const redeem = useChange('code.redeem', {
    changes: ['balance', 'billing'],
    onProblem: ({ message }) => setError(message),
    onDone: ({ amount, balance }) => {
      toast.good(`${centsUsd(amount)} added. New balance: ${usd(balance)}.`)
      setCode('')
    },
  })
  return (
    <Card title="Redeem a code">
      {mayPay ? (
        <form
          noValidate
          className="flex flex-col gap-3 sm:flex-row sm:items-start"
          onSubmit={(event) => {
            event.preventDefault()
            if (redeem.isPending) return
            setError(code.trim() === '' ? 'Enter a code to add its credit.' : undefined)
            if (code.trim() !== '') redeem.mutate({ account: account.id, code: code.trim() })
          }}
        >
          <Field
            label={<span className="sr-only">Code</span>}
            error={error}
            className="flex-1 gap-0 [&>p]:mt-1.5"
          >
            <Input
              value={code}
              onChange={(event) => setCode(event.target.value)}
              placeholder="Code"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              maxLength={100}
              className="font-mono"
            />
          </Field>
          <Button type="submit" pending={redeem.isPending}>
            Redeem
          </Button>
        </form>
      ) : (
        <p className="text-ink-soft">{payersOnly}</p>
      )}
    </Card>
  )
}

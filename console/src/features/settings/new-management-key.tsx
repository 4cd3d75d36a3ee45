/** Creates a management key: name, scopes, expiry; then the key, shown once. */
import { type JSX, useState } from 'react'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Code } from '@/components/code'
import { Dialog, DialogActions } from '@/components/dialog'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { useAccount } from '@/lib/account'
import type { ApiError, OperationAsk } from '@/lib/api'
import { useChange } from '@/lib/operations'

type Scope = OperationAsk<'management-key.create'>['scopes'][number]

const scopes: readonly (readonly [scope: Scope, words: string])[] = [
  ['account:read', 'View the account, balance and members'],
  ['keys:read', 'List API keys'],
  ['keys:write', 'Create, edit and revoke API keys'],
  ['usage:read', 'Read usage, receipts and rejected requests'],
  ['requests:stop', 'Stop running requests'],
  ['billing:read', 'Read the ledger, top-ups and invoices'],
]

const lives = [
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['', 'Never'],
] as const

const dayMs = 86_400_000

export function NewManagementKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [key, setKey] = useState<string | undefined>(undefined)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      held={key !== undefined}
      title={key === undefined ? 'Create management key' : 'Your management key'}
      size="small"
    >
      {key === undefined ? (
        <KeyForm onMade={setKey} onClose={onClose} />
      ) : (
        <div className="flex flex-col gap-4">
          <Banner tone="warn" title="It is shown only once.">
            Copy it now and store it like a password.
          </Banner>
          <Code code={key} language="Management key" what="the management key" wrap />
          <DialogActions>
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </DialogActions>
        </div>
      )}
    </Dialog>
  )
}

interface KeyFormProps {
  readonly onMade: (key: string) => void
  readonly onClose: () => void
}

function KeyForm({ onMade, onClose }: KeyFormProps): JSX.Element {
  const account = useAccount()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly Scope[]>(['usage:read'])
  const [days, setDays] = useState<string>('90')
  const [problem, setProblem] = useState<ApiError | undefined>(undefined)
  const create = useChange('management-key.create', {
    changes: ['keys'],
    onDone: ({ key }) => onMade(key),
    onProblem: setProblem,
  })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        if (create.isPending) return
        setProblem(undefined)
        create.mutate({
          account: account.id,
          name: name.trim(),
          scopes: [...chosen],
          expires: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
        })
      }}
    >
      {problem === undefined ? null : <Problem problem={problem} />}
      <Field label="Name" hint="What uses it, such as “Billing export”.">
        <Input
          required
          autoFocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <fieldset>
        <legend className="mb-1 font-medium">Scopes</legend>
        {scopes.map(([scope, words]) => (
          <Checkbox
            key={scope}
            label={words}
            hint={<code className="font-mono">{scope}</code>}
            checked={chosen.includes(scope)}
            onChange={(isOn) =>
              setChosen(isOn ? [...chosen, scope] : chosen.filter((other) => other !== scope))
            }
          />
        ))}
      </fieldset>
      <Field label="Expires">
        <Select value={days} onChange={(event) => setDays(event.target.value)}>
          {lives.map(([value, label]) => (
            <option key={label} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" variant="primary" pending={create.isPending} disabled={chosen.length === 0}>
          Create key
        </Button>
      </DialogActions>
    </form>
  )
}

/** Stores a provider key: which provider, the key, and how it is used. The server tests it before it saves it. */
import { type JSX, useState } from 'react'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import { toast } from '@/components/toaster'
import { useAccount } from '@/lib/account'
import type { ApiError } from '@/lib/api'
import { useChange } from '@/lib/operations'
import { errorAt, FormDialog } from '../admin/form-dialog.tsx'
import { type KeyUse, uses } from './provider-key-words.ts'

export interface ProviderKeyDialogProps {
  /** Providers to choose from. */
  readonly providers: readonly { readonly provider: string; readonly name: string; readonly models: number }[]
  readonly replaced?: { readonly use: KeyUse; readonly url: string }
  readonly onClose: () => void
}

export function ProviderKeyDialog({ providers, replaced, onClose }: ProviderKeyDialogProps): JSX.Element {
  const { id } = useAccount()
  const [provider, setProvider] = useState(providers[0]?.provider ?? '')
  const [credential, setCredential] = useState('')
  const [use, setUse] = useState<KeyUse>(replaced?.use ?? 'first')
  const [problem, setProblem] = useState<ApiError | null>(null)
  const chosen = providers.find((one) => one.provider === provider)
  const put = useChange('provider-keys.put', {
    changes: ['provider-keys'],
    onProblem: setProblem,
    onDone({ name }) {
      onClose()
      toast.good(`Key for ${name} saved.`)
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      size="small"
      title={replaced === undefined ? 'Add provider key' : `Replace the key for ${chosen?.name ?? provider}`}
      description="It is tested at the provider, then stored encrypted. It is never shown again."
      action="Save key"
      pending={put.isPending}
      disabled={provider === ''}
      problem={problem}
      fields={['credential']}
      onSubmit={() => {
        setProblem(null)
        put.mutate({ account: id, provider, use, credential: credential.trim() })
      }}
    >
      {replaced === undefined ? (
        <Field
          label="Provider"
          hint={
            chosen?.models === 1
              ? 'It serves one of the models here.'
              : `It serves ${chosen?.models ?? 0} of the models here.`
          }
        >
          <Select value={provider} onChange={(event) => setProvider(event.target.value)}>
            {providers.map(({ provider: value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      ) : null}
      <Field
        label="API key"
        hint="Created in the provider's dashboard. It is sent to this provider only."
        {...errorAt(problem, 'credential')}
      >
        <Input
          type="password"
          required
          autoComplete="off"
          minLength={8}
          value={credential}
          onChange={(event) => setCredential(event.target.value)}
        />
      </Field>
      <Field label="Use" hint={uses.find(([value]) => value === use)?.[2]}>
        <Select value={use} onChange={(event) => setUse(event.target.value as KeyUse)}>
          {uses.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
    </FormDialog>
  )
}

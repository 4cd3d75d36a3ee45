/** The fields of an upstream. */
import type { JSX } from 'react'
import { Checkbox } from '@/components/checkbox'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import type { ApiError } from '@/lib/api'
import { errorAt } from './form-dialog.tsx'
import { isProvider, providers } from './providers.ts'
import type { UpstreamDraft } from './upstream-draft.ts'
import { UpstreamModels } from './upstream-models.tsx'
import type { Upstream } from './upstreams.tsx'

export interface UpstreamFieldsProps {
  readonly upstream: Upstream | undefined
  readonly draft: UpstreamDraft
  readonly set: (changes: Partial<UpstreamDraft>) => void
  /** Whether the kept credential would leave towards another address. */
  readonly goesElsewhere: boolean
  readonly problem: ApiError | null
}

export function UpstreamFields(props: UpstreamFieldsProps): JSX.Element {
  const { draft, set, goesElsewhere, problem } = props
  const { weight, disabled } = draft
  return (
    <>
      <Endpoint {...props} />
      <UpstreamModels draft={draft} set={set} hasCredential={!goesElsewhere} problem={problem} />
      <Field
        label="Weight"
        hint="Of several upstreams of a model, one with twice the weight gets twice the requests."
        {...errorAt(problem, 'weight')}
      >
        <Input
          type="number"
          min={1}
          max={1000}
          value={weight}
          onChange={(event) => set({ weight: event.target.value })}
        />
      </Field>
      <Checkbox
        label="Disabled"
        hint="It stays here and gets no requests."
        checked={disabled}
        onChange={(isOff) => set({ disabled: isOff })}
      />
    </>
  )
}

function Endpoint({ upstream, draft, set, goesElsewhere, problem }: UpstreamFieldsProps): JSX.Element {
  const { name, provider, url, credential } = draft
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Name"
        hint="Letters, digits, dots and dashes. It stands on receipts."
        {...errorAt(problem, 'upstream')}
      >
        <Input
          value={name}
          readOnly={upstream !== undefined}
          spellCheck={false}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <Field label="Provider" hint="Whose formats it is asked in." {...errorAt(problem, 'provider')}>
        <Select value={provider} onChange={(event) => set({ provider: event.target.value })}>
          {Object.entries(providers).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
          {isProvider(provider) ? null : <option value={provider}>{provider}</option>}
        </Select>
      </Field>
      <Field
        label="Address"
        optional
        hint="The host's base address with its path. Left empty: the provider's own."
        {...errorAt(problem, 'url')}
      >
        <Input
          type="url"
          placeholder="https://api.example.com/v1"
          value={url}
          spellCheck={false}
          onChange={(event) => set({ url: event.target.value })}
        />
      </Field>
      <Field
        label="Credential"
        optional={!goesElsewhere}
        hint={credentialHint(upstream, goesElsewhere)}
        {...errorAt(problem, 'credential')}
      >
        <Input
          type="password"
          autoComplete="off"
          value={credential}
          onChange={(event) => set({ credential: event.target.value })}
        />
      </Field>
    </div>
  )
}

function credentialHint(upstream: Upstream | undefined, goesElsewhere: boolean): string {
  if (upstream === undefined) return 'The API key that the provider gave you.'
  return goesElsewhere
    ? 'Another provider or address needs the credential again: the kept one does not go elsewhere.'
    : `Left empty: the one that ends in ${upstream.credentialEnd} stays.`
}

/** The fields of an upstream. */
import type { JSX } from 'react'
import { Checkbox } from '@/components/checkbox'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import type { ApiError } from '@/lib/api'
import { errorAt } from './form-dialog.tsx'
import type { Upstream } from './listed-rows.ts'
import { isProvider, providerChoice, providers } from './providers.ts'
import { moved, type UpstreamDraft } from './upstream-draft.ts'
import { UpstreamModels } from './upstream-models.tsx'

export interface UpstreamFieldsProps {
  readonly upstream: Upstream | undefined
  readonly draft: UpstreamDraft
  readonly set: (changes: Partial<UpstreamDraft>) => void
  /** Whether the stored key can't be used because the provider or address changed. */
  readonly goesElsewhere: boolean
  /** Whether another upstream has this name. */
  readonly isTaken: boolean
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
        hint="If several upstreams serve a model, one with twice the weight gets twice the requests."
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
        hint="Keeps the upstream, but sends it no requests."
        checked={disabled}
        onChange={(isOff) => set({ disabled: isOff })}
      />
    </>
  )
}

function Endpoint(props: UpstreamFieldsProps): JSX.Element {
  const { upstream, draft, set, goesElsewhere, isTaken, problem } = props
  const { name, provider, url, credential } = draft
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Name"
        hint="Letters, digits, dots and dashes. Shown on receipts."
        {...(isTaken ? { error: takenWords } : errorAt(problem, 'upstream'))}
      >
        <Input
          value={name}
          readOnly={upstream !== undefined}
          spellCheck={false}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <Field label="Provider" hint="The API formats it speaks." {...errorAt(problem, 'provider')}>
        <Select value={provider} onChange={(event) => set(moved(draft, { provider: event.target.value }))}>
          {Object.keys(providers).map((id) => (
            <option key={id} value={id}>
              {providerChoice(id)}
            </option>
          ))}
          {isProvider(provider) ? null : <option value={provider}>{provider}</option>}
        </Select>
      </Field>
      <Field
        label="Base URL"
        optional
        hint="Including its path. Leave empty for the provider's own API."
        {...errorAt(problem, 'url')}
      >
        <Input
          type="url"
          placeholder="https://api.example.com/v1"
          value={url}
          spellCheck={false}
          onChange={(event) => set(moved(draft, { url: event.target.value }))}
        />
      </Field>
      <Field
        label="API key"
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

const takenWords = 'An upstream with this name exists. Edit it, or choose another name.'

function credentialHint(upstream: Upstream | undefined, goesElsewhere: boolean): string {
  if (upstream === undefined) return "Created in the provider's dashboard."
  return goesElsewhere
    ? 'Enter the API key again: the stored key is never sent to another provider or address.'
    : `Leave empty to keep the key ending in ${upstream.credentialEnd}.`
}

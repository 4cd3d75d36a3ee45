/** Adds an upstream or changes one; its credential is written, and never shown again. */
import { type JSX, useState } from 'react'
import { Checkbox } from '@/components/checkbox'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import { toast } from '@/components/toaster'
import type { ApiError } from '@/lib/api'
import { useChange } from '@/lib/operations'
import { errorAt, FormDialog } from './form-dialog.tsx'
import { isProvider, providers } from './providers.ts'
import type { Upstream } from './upstreams.tsx'

interface UpstreamDraft {
  readonly name: string
  readonly provider: string
  readonly origin: string
  readonly credential: string
  readonly weight: string
  readonly disabled: boolean
}

export interface UpstreamFormProps {
  /** undefined: a new one. */
  readonly upstream: Upstream | undefined
  readonly onClose: () => void
}

const fields = ['upstream', 'provider', 'origin', 'credential', 'weight']

export function UpstreamForm({ upstream, onClose }: UpstreamFormProps): JSX.Element {
  const [draft, setDraft] = useState<UpstreamDraft>({
    name: upstream?.name ?? '',
    provider: upstream?.provider ?? 'openai',
    origin: upstream?.origin ?? '',
    credential: '',
    weight: String(upstream?.weight ?? 1),
    disabled: upstream?.disabled ?? false,
  })
  const put = useChange('upstreams.put', {
    changes: ['upstreams', 'models'],
    onProblem: () => undefined,
    onDone({ name }) {
      onClose()
      toast.good(
        upstream === undefined
          ? `${name} is added. What it serves is sold from now on; ask one of its models in the Playground to see that it works.`
          : `${name} is changed.`,
      )
    },
  })
  const set = (changes: Partial<UpstreamDraft>): void => setDraft({ ...draft, ...changes })
  const { name, provider, origin, credential, weight, disabled } = draft
  const goesElsewhere =
    upstream === undefined || originOf(origin) !== (upstream.origin ?? '') || provider !== upstream.provider
  const isWhole = name.trim() !== '' && (!goesElsewhere || credential.trim() !== '')
  const submit = (): void =>
    put.mutate({
      upstream: name.trim(),
      provider,
      ...(originOf(origin) === '' ? {} : { origin: originOf(origin) }),
      ...(credential.trim() === '' ? {} : { credential: credential.trim() }),
      weight: Number(weight),
      disabled,
    })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={upstream === undefined ? 'Add an upstream' : `Change ${upstream.name}`}
      description="One endpoint of a provider, with the credential that pays there. The credential is kept encrypted and goes to this address alone."
      action={upstream === undefined ? 'Add the upstream' : 'Change it'}
      pending={put.isPending}
      disabled={!isWhole}
      problem={put.error}
      fields={fields}
      onSubmit={submit}
    >
      <UpstreamFields
        upstream={upstream}
        draft={draft}
        set={set}
        goesElsewhere={goesElsewhere}
        problem={put.error}
      />
    </FormDialog>
  )
}

interface UpstreamFieldsProps {
  readonly upstream: Upstream | undefined
  readonly draft: UpstreamDraft
  readonly set: (changes: Partial<UpstreamDraft>) => void
  /** Whether the kept credential would leave towards another address. */
  readonly goesElsewhere: boolean
  readonly problem: ApiError | null
}

function UpstreamFields({ upstream, draft, set, goesElsewhere, problem }: UpstreamFieldsProps): JSX.Element {
  const { name, provider, origin, credential, weight, disabled } = draft
  return (
    <>
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
      <Field
        label="Provider"
        hint="Its models are sold as soon as the upstream is added."
        {...errorAt(problem, 'provider')}
      >
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
        hint="Scheme and host; a /v1 at the end is left out. Left empty: the provider's own."
        {...errorAt(problem, 'origin')}
      >
        <Input
          type="url"
          placeholder="https://api.example.com"
          value={origin}
          spellCheck={false}
          onChange={(event) => set({ origin: event.target.value })}
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
      <Field
        label="Weight"
        hint="Of several upstreams of a provider, one with twice the weight gets twice the requests."
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

/** People copy the base address of a library, to which the path of a request is added here as well. */
const originOf = (text: string) => text.trim().replace(/\/(v1\/?)?$/, '')

function credentialHint(upstream: Upstream | undefined, goesElsewhere: boolean): string {
  if (upstream === undefined) return 'The API key that the provider gave you.'
  return goesElsewhere
    ? 'Another provider or address needs the credential again: the kept one does not go elsewhere.'
    : `Left empty: the one that ends in ${upstream.credentialEnd} stays.`
}

/** The fields of an upstream. */
import type { JSX } from 'react'
import { Checkbox } from '@/components/checkbox'
import { Disclosure } from '@/components/disclosure'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import type { ApiError } from '@/lib/api'
import { isCustomHost } from '../../../../contract/custom-hosts.ts'
import { CustomFields } from './custom-fields.tsx'
import { errorAt } from './form-dialog.tsx'
import type { Upstream } from './listed-rows.ts'
import { ProviderLogo } from './provider-picker.tsx'
import { cloudAddress, providerName } from './providers.ts'
import { isLimit, moved, nameMistake, type UpstreamDraft } from './upstream-draft.ts'
import { type HostListing, UpstreamModels } from './upstream-models.tsx'

export interface UpstreamFieldsProps {
  readonly upstream: Upstream | undefined
  readonly draft: UpstreamDraft
  readonly set: (changes: Partial<UpstreamDraft>) => void
  /** Whether the stored key can't be used because the provider or address changed. */
  readonly goesElsewhere: boolean
  /** Whether another upstream has this name. */
  readonly isTaken: boolean
  /** The test of the host, stored while the review is open. */
  readonly listing: HostListing
  readonly problem: ApiError | null
}

export function UpstreamFields(props: UpstreamFieldsProps): JSX.Element {
  const { draft, set, goesElsewhere, problem } = props
  const { weight, disabled } = draft
  return (
    <>
      <Endpoint {...props} />
      {isCustomHost(draft.provider) ? (
        <CustomFields
          draft={draft}
          set={set}
          storedHeaders={goesElsewhere ? [] : (props.upstream?.custom?.headers ?? [])}
          problem={problem}
        />
      ) : null}
      <UpstreamModels
        draft={draft}
        set={set}
        hasCredential={!goesElsewhere || isCustomHost(draft.provider)}
        listing={props.listing}
        problem={problem}
      />
      {/* A first provider needs none of these. */}
      <Disclosure title="Weight, limits and tags" open={props.upstream !== undefined || problem !== null}>
        <Field
          label="Weight"
          hint="Among upstreams that serve the same model, twice the weight gets twice the requests."
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
        <Limits {...props} />
        <Field
          label="Tags"
          optional
          hint="Properties such as eu or no-training, separated by commas. Keys and requests can require them."
          {...errorAt(problem, 'tags')}
        >
          <Input
            value={draft.tags}
            spellCheck={false}
            onChange={(event) => set({ tags: event.target.value })}
          />
        </Field>
        <Checkbox
          label="Disabled"
          hint="Keeps the upstream, but sends it no requests."
          checked={disabled}
          onChange={(isOff) => set({ disabled: isOff })}
        />
      </Disclosure>
    </>
  )
}

const limitFields = [
  ['concurrent', 'Concurrent requests'],
  ['requestsPerMinute', 'Requests per minute'],
  ['tokensPerMinute', 'Tokens per minute'],
] as const

function Limits({ draft, set, problem }: UpstreamFieldsProps): JSX.Element {
  const { error } = errorAt(problem, 'limits')
  return (
    <fieldset>
      <legend className="font-medium">Limits</legend>
      <p className="text-sm text-ink-soft">
        The most that each server sends to it. Further requests go to other upstreams or wait. Leave empty for
        no limit.
      </p>
      <div className="mt-2 grid gap-4 sm:grid-cols-3">
        {limitFields.map(([field, label]) => (
          <Field
            key={field}
            label={label}
            error={isLimit(draft[field]) ? error : 'Enter a whole number above zero, or nothing.'}
          >
            <Input
              inputMode="numeric"
              autoComplete="off"
              value={draft[field]}
              onChange={(event) => set({ [field]: event.target.value })}
            />
          </Field>
        ))}
      </div>
    </fieldset>
  )
}

function Endpoint(props: UpstreamFieldsProps): JSX.Element {
  const { upstream, draft, set, isTaken, problem } = props
  const { name, provider } = draft
  const mistake = upstream === undefined ? nameMistake(name) : undefined
  const url = <BaseUrl key="url" {...props} />
  const key = <ApiKey key="key" {...props} />
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {/* What has to be entered comes first. */}
      {hasOwnAddress(provider) ? [key, url] : [url, key]}
      <Field
        label="Name"
        hint={mistake === undefined ? 'Letters, digits, dots and dashes. Shown on receipts.' : undefined}
        {...(isTaken
          ? { error: takenWords }
          : mistake === undefined
            ? errorAt(problem, 'upstream')
            : { error: mistake })}
      >
        <Input
          value={name}
          readOnly={upstream !== undefined}
          spellCheck={false}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <div className="flex items-center gap-3 self-start pt-6">
        <ProviderLogo provider={provider} />
        <span className="min-w-0">
          <span className="block font-medium">{providerName(provider)}</span>
          <span className="block text-sm text-ink-soft">Provider</span>
        </span>
      </div>
    </div>
  )
}

/** Whether requests go to an address that the server knows, unless another is entered. */
const hasOwnAddress = (provider: string): boolean =>
  !isCustomHost(provider) && cloudAddress(provider) === undefined

function BaseUrl({ draft, set, problem }: UpstreamFieldsProps): JSX.Element {
  const { provider, url } = draft
  const cloud = cloudAddress(provider)
  return (
    <Field
      label="Base URL"
      optional={hasOwnAddress(provider)}
      hint={
        isCustomHost(provider)
          ? 'With its path. Plain HTTP works on this machine only, unless the configuration allows more.'
          : cloud === undefined
            ? "For a mirror or proxy, with its path. Leave empty for the provider's own API."
            : 'The address of your resource, region or project.'
      }
      {...errorAt(problem, 'url')}
    >
      <Input
        type="url"
        placeholder={cloud ?? 'https://api.example.com/v1'}
        value={url}
        spellCheck={false}
        onChange={(event) => set(moved(draft, { url: event.target.value }))}
      />
    </Field>
  )
}

function ApiKey({ upstream, draft, set, goesElsewhere, problem }: UpstreamFieldsProps): JSX.Element {
  const isCustom = isCustomHost(draft.provider)
  return (
    <Field
      label="API key"
      optional={!goesElsewhere || isCustom}
      hint={
        isCustom && upstream === undefined
          ? 'Leave empty if it needs none.'
          : credentialHint(upstream, goesElsewhere)
      }
      {...errorAt(problem, 'credential')}
    >
      <Input
        type="password"
        autoComplete="off"
        value={draft.credential}
        onChange={(event) => set({ credential: event.target.value })}
      />
    </Field>
  )
}

const takenWords = 'An upstream with this name exists. Edit it, or choose another name.'

function credentialHint(upstream: Upstream | undefined, goesElsewhere: boolean): string {
  if (upstream === undefined) return "From the provider's dashboard."
  return goesElsewhere
    ? 'Enter the API key again: the stored key is never sent to another provider or address.'
    : upstream.credentialEnd === ''
      ? 'Leave empty to keep it as it is.'
      : `Leave empty to keep the key ending in ${upstream.credentialEnd}.`
}

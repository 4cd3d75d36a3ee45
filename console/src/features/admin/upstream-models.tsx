/** The models of an upstream: all of its provider's, or a list, typed or selected from the host's own list. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import { Textarea } from '@/components/textarea'
import type { ApiError } from '@/lib/api'
import type { useChange } from '@/lib/operations'
import { isCustomHost } from '../../../../contract/custom-hosts.ts'
import { failsTest, TestResult } from './credential-test.tsx'
import { errorAt } from './form-dialog.tsx'
import { providerName } from './providers.ts'
import {
  askOf,
  isKeyless,
  isWhole,
  listedModels,
  missingPart,
  namesAtHost,
  publicName,
  type UpstreamDraft,
  withModel,
} from './upstream-draft.ts'

export type HostListing = ReturnType<typeof useChange<'upstreams.check'>>

interface UpstreamModelsProps {
  readonly draft: UpstreamDraft
  readonly set: (changes: Partial<UpstreamDraft>) => void
  /** Whether a stored key may be used at this address. */
  readonly hasCredential: boolean
  readonly listing: HostListing
  readonly problem: ApiError | null
}

export function UpstreamModels({
  draft,
  set,
  hasCredential,
  listing,
  problem,
}: UpstreamModelsProps): JSX.Element {
  const { url, provider, choice, list } = draft
  const name = providerName(provider)
  const isOwn = url.trim() === ''
  const isCustom = isCustomHost(provider)
  return (
    <>
      {isCustom ? null : (
        <Field
          label="Models"
          hint={
            isOwn
              ? `Requests for other models are never sent to ${name}.`
              : `This is not ${name}'s own address. Requests for other models are never sent to it.`
          }
          {...errorAt(problem, 'models')}
        >
          <Select
            value={choice}
            onChange={(event) => set({ choice: event.target.value as UpstreamDraft['choice'] })}
          >
            {choice === '' ? <option value="">Choose models</option> : null}
            <option value="list">Selected models</option>
            <option value="all">
              {isOwn ? `All ${name} models` : `All ${name} models (a mirror or proxy of ${name})`}
            </option>
          </Select>
        </Field>
      )}
      {choice === 'list' ? (
        <>
          <HostModels draft={draft} set={set} hasCredential={hasCredential} listing={listing} />
          <Field
            label={isCustom ? 'Models to enable' : 'Model names'}
            hint="Select them above, or enter one per line, as clients request them. If the provider uses a different name: public-name = provider-name."
            {...(listedModels(list) === undefined
              ? { error: 'Each line must be a name, or public-name = provider-name.' }
              : {})}
          >
            <Textarea
              rows={4}
              value={list}
              spellCheck={false}
              className="font-mono text-[0.8125rem]"
              onChange={(event) => set({ list: event.target.value })}
            />
          </Field>
        </>
      ) : null}
    </>
  )
}

/** The host's own list, requested with the key. */
function HostModels({
  draft,
  set,
  hasCredential,
  listing: ask,
}: Omit<UpstreamModelsProps, 'problem'>): JSX.Element {
  // Another host has another list.
  const isSameHost = (ask.variables?.url ?? '') === draft.url.trim()
  const found = isSameHost ? ask.data : undefined
  const host = found?.host ?? null
  const trouble = (isSameHost ? ask.error?.message : undefined) ?? host?.problem ?? null
  const missing = missingPart(draft, !hasCredential)
  const isPossible = isWhole({ ...draft, list: '' }, !hasCredential)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          size="small"
          pending={ask.isPending}
          disabled={!isPossible}
          onClick={() => ask.mutate({ ...withoutModels(draft), askHost: true, testCredential: true })}
        >
          Test and list models
        </Button>
        {missing === undefined ? null : <span className="text-sm text-ink-soft">{missing}</span>}
      </div>
      {found === undefined ? null : (
        <TestResult
          found={found}
          isKeyless={isKeyless(draft, !hasCredential || isCustomHost(draft.provider))}
        />
      )}
      {trouble === null || (found !== undefined && failsTest(found)) ? null : (
        <p role="alert" className="text-sm text-bad">
          {trouble}
        </p>
      )}
      {host !== null && host.problem === null && host.models.length === 0 ? (
        <p role="status" className="text-sm text-ink-soft">
          The provider lists no models. Enter their names below.
        </p>
      ) : null}
      {host === null || host.models.length === 0 ? null : (
        <HostList names={host.models} draft={draft} onChange={(list) => set({ list })} />
      )}
    </div>
  )
}

/** Without the models, because their list need not be valid yet. */
function withoutModels(draft: UpstreamDraft) {
  const { models: _models, ...asked } = askOf(draft)
  return asked
}

/** The name that clients request, and the provider's where it differs. */
function ModelName({ model, upstreamModel }: { model: string; upstreamModel: string }): JSX.Element {
  return (
    <span className="font-mono text-[0.8125rem] font-normal break-all">
      {model}
      {model === upstreamModel ? null : <span className="text-ink-soft"> = {upstreamModel}</span>}
    </span>
  )
}

const shownMax = 200

interface HostListProps {
  readonly names: readonly string[]
  readonly draft: UpstreamDraft
  readonly onChange: (list: string) => void
}

function HostList({ names, draft, onChange }: HostListProps): JSX.Element {
  const { list } = draft
  const [sought, setSought] = useState('')
  const fitting = names.filter((name) => name.toLowerCase().includes(sought.trim().toLowerCase()))
  const chosen = namesAtHost(list)
  return (
    <fieldset className="rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-medium">Models of the provider</legend>
      <Input
        type="search"
        aria-label="Search the provider's models"
        placeholder={`Search ${names.length} models`}
        value={sought}
        onChange={(event) => setSought(event.target.value)}
        // Enter would submit the form around it.
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault()
        }}
      />
      <div className="mt-2 max-h-56 overflow-y-auto">
        {fitting.slice(0, shownMax).map((name) => {
          const as = publicName(draft, name)
          return (
            <Checkbox
              key={name}
              label={<ModelName model={as} upstreamModel={name} />}
              checked={chosen.has(name)}
              onChange={(isWanted) => onChange(withModel(list, name, isWanted ? { as } : undefined))}
            />
          )
        })}
      </div>
      {fitting.length > shownMax ? (
        <p className="text-sm text-ink-soft">{fitting.length - shownMax} more. Search to find them.</p>
      ) : null}
    </fieldset>
  )
}

/** The models of an upstream: all of its provider's, or a list, typed or selected from the host's own list. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import { Textarea } from '@/components/textarea'
import type { ApiError } from '@/lib/api'
import { useChange } from '@/lib/operations'
import { errorAt } from './form-dialog.tsx'
import { providerName } from './providers.ts'
import { askOf, listedModels, namesAtHost, type UpstreamDraft, withModel } from './upstream-draft.ts'

interface UpstreamModelsProps {
  readonly draft: UpstreamDraft
  readonly set: (changes: Partial<UpstreamDraft>) => void
  /** Whether a stored key may be used at this address. */
  readonly hasCredential: boolean
  readonly problem: ApiError | null
}

export function UpstreamModels({ draft, set, hasCredential, problem }: UpstreamModelsProps): JSX.Element {
  const { url, provider, choice, list } = draft
  const name = providerName(provider)
  const isOwn = url.trim() === ''
  return (
    <>
      <Field
        label="Models"
        hint={
          isOwn
            ? 'Requests for other models are never sent there.'
            : `This is not ${name}'s own address, so choose. Requests for other models are never sent there.`
        }
        {...errorAt(problem, 'models')}
      >
        <Select
          value={choice === '' && isOwn ? 'all' : choice}
          onChange={(event) => set({ choice: event.target.value as UpstreamDraft['choice'] })}
        >
          {isOwn ? null : <option value="">Choose models</option>}
          <option value="list">Listed models</option>
          <option value="all">
            {isOwn ? `All ${name} models` : `All ${name} models (a mirror or proxy of ${name})`}
          </option>
        </Select>
      </Field>
      {choice === 'list' ? (
        <>
          <Field
            label="Model names"
            hint="One per line, as clients request them. If the host uses another name: name = host name."
            {...(listedModels(list) === undefined
              ? { error: 'Each line must be a name, or name = host name.' }
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
          <HostModels
            // Another host has another list.
            key={`${provider} ${url.trim()}`}
            draft={draft}
            set={set}
            hasCredential={hasCredential}
          />
        </>
      ) : null}
    </>
  )
}

/** The host's own list, requested with the key. */
function HostModels({ draft, set, hasCredential }: Omit<UpstreamModelsProps, 'problem'>): JSX.Element {
  const ask = useChange('upstreams.check', { changes: [], onProblem: () => undefined })
  const host = ask.data?.host ?? null
  const trouble = ask.error?.message ?? host?.problem ?? null
  const isPossible = draft.name.trim() !== '' && (hasCredential || draft.credential.trim() !== '')
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button
          size="small"
          pending={ask.isPending}
          disabled={!isPossible}
          onClick={() => ask.mutate({ ...withoutModels(draft), askHost: true })}
        >
          List the host's models
        </Button>
        {isPossible ? null : (
          <span className="text-sm text-ink-soft">Enter a name and an API key first.</span>
        )}
      </div>
      {trouble === null ? null : (
        <p role="alert" className="text-sm text-bad">
          {trouble}
        </p>
      )}
      {host !== null && host.problem === null && host.models.length === 0 ? (
        <p role="status" className="text-sm text-ink-soft">
          The host lists no models. Enter their names above.
        </p>
      ) : null}
      {host === null || host.models.length === 0 ? null : (
        <HostList names={host.models} list={draft.list} onChange={(list) => set({ list })} />
      )}
    </div>
  )
}

/** Without the models, because their list need not be valid yet. */
function withoutModels(draft: UpstreamDraft) {
  const { models: _models, ...asked } = askOf(draft)
  return asked
}

const shownMax = 200

interface HostListProps {
  readonly names: readonly string[]
  readonly list: string
  readonly onChange: (list: string) => void
}

function HostList({ names, list, onChange }: HostListProps): JSX.Element {
  const [sought, setSought] = useState('')
  const fitting = names.filter((name) => name.toLowerCase().includes(sought.trim().toLowerCase()))
  const chosen = namesAtHost(list)
  return (
    <fieldset className="rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-medium">Host models</legend>
      <Input
        type="search"
        aria-label="Search the host's models"
        placeholder={`Search ${names.length} models`}
        value={sought}
        onChange={(event) => setSought(event.target.value)}
        // Enter would submit the form around it.
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.preventDefault()
        }}
      />
      <div className="mt-2 max-h-56 overflow-y-auto">
        {fitting.slice(0, shownMax).map((name) => (
          <Checkbox
            key={name}
            label={<span className="font-mono text-[0.8125rem] font-normal break-all">{name}</span>}
            checked={chosen.has(name)}
            onChange={(isWanted) => onChange(withModel(list, name, isWanted))}
          />
        ))}
      </div>
      {fitting.length > shownMax ? (
        <p className="text-sm text-ink-soft">{fitting.length - shownMax} more. Search to find them.</p>
      ) : null}
    </fieldset>
  )
}

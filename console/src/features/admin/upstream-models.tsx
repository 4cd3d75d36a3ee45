/** Which models an upstream serves: all of its provider, or those of a list, typed or chosen from the host's own. */
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
import { askOf, listedModels, namesThere, type UpstreamDraft, withModel } from './upstream-draft.ts'

interface UpstreamModelsProps {
  readonly draft: UpstreamDraft
  readonly set: (changes: Partial<UpstreamDraft>) => void
  /** Whether one is kept that may be used here. */
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
        label="Models that it serves"
        hint={
          isOwn
            ? 'No other model is ever asked there.'
            : `The address is not ${name}'s own, so choose. No other model is ever asked there.`
        }
        {...errorAt(problem, 'models')}
      >
        <Select
          value={choice === '' && isOwn ? 'all' : choice}
          onChange={(event) => set({ choice: event.target.value as UpstreamDraft['choice'] })}
        >
          {isOwn ? null : <option value="">Choose which models</option>}
          <option value="list">Only those that I list</option>
          <option value="all">
            {isOwn ? `All models of ${name}` : `All models of ${name}: it is a mirror or proxy of ${name}`}
          </option>
        </Select>
      </Field>
      {choice === 'list' ? (
        <>
          <Field
            label="Model names"
            hint="One a line, as clients ask for them. Where the host has another name: name = name there."
            {...(listedModels(list) === undefined ? { error: 'A name has no spaces.' } : {})}
          >
            <Textarea
              rows={4}
              value={list}
              spellCheck={false}
              className="font-mono text-[0.8125rem]"
              onChange={(event) => set({ list: event.target.value })}
            />
          </Field>
          <HostModels draft={draft} set={set} hasCredential={hasCredential} />
        </>
      ) : null}
    </>
  )
}

/** The host's own list, asked for with the credential. */
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
          Ask the host for its models
        </Button>
        {isPossible ? null : (
          <span className="text-sm text-ink-soft">Needs the name and the credential.</span>
        )}
      </div>
      {trouble === null ? null : (
        <p role="alert" className="text-sm text-bad">
          {trouble}
        </p>
      )}
      {host === null || host.models.length === 0 ? null : (
        <HostList names={host.models} list={draft.list} onChange={(list) => set({ list })} />
      )}
    </div>
  )
}

/** What is listed so far does not matter to the host. */
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
  const chosen = namesThere(list)
  return (
    <fieldset className="rounded-md border border-line p-3">
      <legend className="px-1 text-sm font-medium">Models of the host</legend>
      <Input
        type="search"
        aria-label="Search the host's models"
        placeholder={`Search ${names.length} models`}
        value={sought}
        onChange={(event) => setSought(event.target.value)}
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
        <p className="text-sm text-ink-soft">{fitting.length - shownMax} more: search for them.</p>
      ) : null}
    </fieldset>
  )
}

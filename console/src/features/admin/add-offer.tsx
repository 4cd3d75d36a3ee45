/** Adds an offer to the list that is edited: an upstream, and the name of the model there, which its host can list. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import { useOperation } from '@/lib/operations'
import { FormDialog } from './form-dialog.tsx'

interface AddOfferProps {
  readonly model: string
  readonly onAdd: (place: { readonly upstream: string; readonly upstreamModel: string }) => void
  readonly onClose: () => void
}

export function AddOffer({ model, onAdd, onClose }: AddOfferProps): JSX.Element {
  const upstreams = useOperation('upstreams.list')
  const [upstream, setUpstream] = useState('')
  const [name, setName] = useState(model.slice(model.indexOf('/') + 1))
  const chosen = name.trim()
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Add an offer of ${model}`}
      description="Nothing is saved until you review and save the list."
      action="Add"
      pending={false}
      disabled={upstream === '' || !/^\S{1,200}$/.test(chosen)}
      onSubmit={() => {
        onAdd({ upstream, upstreamModel: chosen })
        onClose()
      }}
    >
      <Field label="Upstream">
        <Select value={upstream} onChange={(event) => setUpstream(event.target.value)}>
          <option value="">Choose an upstream</option>
          {(upstreams.data ?? []).map((one) => (
            <option key={one.name} value={one.name}>
              {one.name} ({one.provider}){one.disabled ? ', disabled' : ''}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Name there" hint="What the upstream calls the model.">
        <Input
          value={name}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
          className="font-mono text-[0.8125rem]"
        />
      </Field>
      {upstream === '' ? null : (
        <HostNames key={upstream} upstream={upstream} name={chosen} onChoose={setName} />
      )}
    </FormDialog>
  )
}

const shownMax = 100

interface HostNamesProps {
  readonly upstream: string
  readonly name: string
  readonly onChoose: (name: string) => void
}

/** The names of the host, asked for on request, because it is a real call. */
function HostNames({ upstream, name, onChoose }: HostNamesProps): JSX.Element {
  const [isAsked, setAsked] = useState(false)
  const list = useOperation('upstreams.models', { upstream }, { enabled: isAsked })
  if (!isAsked) {
    return (
      <div>
        <Button size="small" onClick={() => setAsked(true)}>
          List the provider's models
        </Button>
      </div>
    )
  }
  const problem = list.error?.message ?? list.data?.problem ?? null
  if (problem !== null) {
    return (
      <p role="alert" className="text-sm text-bad">
        {problem}
      </p>
    )
  }
  if (list.data === undefined) return <p role="status">Asking the provider …</p>
  const names = list.data.models.map(({ upstreamModel }) => upstreamModel)
  const isListed = names.includes(name)
  const fitting = names.filter((one) => one.toLowerCase().includes(name.toLowerCase()))
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className={isListed ? 'text-sm text-good' : 'text-sm text-warn'}>
        {isListed
          ? 'The provider lists this name.'
          : `The provider does not list this name. ${fitting.length === 0 ? 'None of its names contains it.' : 'Choose one of these:'}`}
      </p>
      {isListed || fitting.length === 0 ? null : (
        <ul
          aria-label={`Models at ${upstream}`}
          className="max-h-48 overflow-y-auto rounded-md border border-line"
        >
          {fitting.slice(0, shownMax).map((one) => (
            <li key={one}>
              <button
                type="button"
                onClick={() => onChoose(one)}
                className="block w-full px-3 py-1.5 text-left font-mono text-[0.8125rem] break-all hover:bg-sunken max-sm:py-2.5"
              >
                {one}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

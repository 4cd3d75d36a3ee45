/** Adds a model that the catalog does not know, or replaces a known one. */

import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Field } from '@/components/field'
import { Plus } from '@/components/icons'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import { toast } from '@/components/toaster'
import type { ApiError, OperationAsk } from '@/lib/api'
import { useChange } from '@/lib/operations'
import { tokenCount, tokenCountError } from '@/lib/token-count'
import { type FormatName, formatLabels } from '../../../../contract/formats.ts'
import { errorAt, FormDialog } from './form-dialog.tsx'
import { UpstreamChoice } from './model-upstreams.tsx'
import { providers } from './providers.ts'
import { emptyPrice, isPriced, newPriceOf, RatesFields } from './rates-fields.tsx'

const formats = { '': 'Provider default', ...formatLabels }
const media = ['image', 'pdf', 'audio'] as const

const emptyModel = {
  model: '',
  provider: '',
  upstreamModel: '',
  format: '' as FormatName | '',
  context: '',
  output: '',
  inputs: [] as readonly string[],
  upstreams: [] as readonly string[],
  reasons: false,
  takesTools: true,
}
const ownFields = ['model', 'provider', 'upstreamModel', 'contextTokens', 'outputTokensMax']

function asked(draft: typeof emptyModel, price: typeof emptyPrice): OperationAsk<'models.add'> {
  const { model, provider, upstreamModel, format, context, output, inputs, reasons, takesTools } = draft
  const { upstreams } = draft
  return {
    model: model.trim(),
    ...(provider === '' ? {} : { provider }),
    ...(upstreamModel.trim() === '' ? {} : { upstreamModel: upstreamModel.trim() }),
    ...(format === '' ? {} : { formats: [format] }),
    ...(upstreams.length === 0 ? {} : { upstreams: [...upstreams] }),
    contextTokens: tokenCount(context) ?? 0,
    outputTokensMax: tokenCount(output) ?? 0,
    inputs: ['text', ...inputs],
    reasons,
    takesTools,
    ...(isPriced(price) ? { price: newPriceOf(price) } : {}),
  }
}

export function AddModel(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="primary" onClick={() => setOpen(true)}>
        <Plus aria-hidden="true" />
        Add model
      </Button>
      {isOpen ? <AddDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function AddDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [draft, setDraft] = useState(emptyModel)
  const [price, setPrice] = useState(emptyPrice)
  const add = useChange('models.add', {
    changes: ['models'],
    onProblem: () => undefined,
    onDone({ model, sold, reason }) {
      onClose()
      if (sold) toast.good(`${model} is enabled.`)
      else toast.problem(`${model} was added but is disabled: ${reason ?? 'it has no price'}`)
    },
  })
  const set = (changes: Partial<typeof emptyModel>): void => setDraft({ ...draft, ...changes })
  const isWhole = draft.model.trim() !== '' && draft.context.trim() !== '' && draft.output.trim() !== ''
  const areTokens = tokenCount(draft.context) !== undefined && tokenCount(draft.output) !== undefined
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title="Add model"
      description="The name clients use to request it. Unpriced models are hidden from customers."
      action="Add model"
      size="large"
      pending={add.isPending}
      disabled={!isWhole}
      problem={add.error}
      fields={ownFields}
      onSubmit={() => {
        if (areTokens) add.mutate(asked(draft, price))
      }}
    >
      <Names draft={draft} set={set} problem={add.error} />
      <UpstreamChoice
        provider={draft.provider === '' ? undefined : draft.provider}
        chosen={draft.upstreams}
        onChange={(upstreams) => set({ upstreams })}
      />
      <Abilities draft={draft} set={set} />
      <RatesFields draft={price} onChange={setPrice} problem={add.error} />
    </FormDialog>
  )
}

interface PartProps {
  readonly draft: typeof emptyModel
  readonly set: (changes: Partial<typeof emptyModel>) => void
}

function Names({ draft, set, problem }: PartProps & { readonly problem: ApiError | null }): JSX.Element {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Name" {...errorAt(problem, 'model')}>
        <Input
          value={draft.model}
          spellCheck={false}
          onChange={(event) => set({ model: event.target.value })}
        />
      </Field>
      <Field label="Provider" hint="The API formats it uses." {...errorAt(problem, 'provider')}>
        <Select
          value={draft.provider}
          onChange={(event) => set({ provider: event.target.value, upstreams: [] })}
        >
          <option value="">Detect from name</option>
          {Object.entries(providers).map(([id, label]) => (
            <option key={id} value={id}>
              {label} or compatible
            </option>
          ))}
          <option value="sandbox">Built-in sandbox</option>
        </Select>
      </Field>
      <Field
        label="Provider model"
        optional
        hint="If it differs from the name."
        {...errorAt(problem, 'upstreamModel')}
      >
        <Input
          value={draft.upstreamModel}
          spellCheck={false}
          onChange={(event) => set({ upstreamModel: event.target.value })}
        />
      </Field>
      <Field
        label="Upstream format"
        hint="The API format it is requested in. OpenAI-compatible servers often support only Chat Completions."
      >
        <Select
          value={draft.format}
          onChange={(event) => set({ format: event.target.value as FormatName | '' })}
        >
          {Object.entries(formats).map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Context window" {...tokensError(draft.context, errorAt(problem, 'contextTokens'))}>
        <Input
          inputMode="numeric"
          placeholder="128000"
          value={draft.context}
          onChange={(event) => set({ context: event.target.value })}
        />
      </Field>
      <Field label="Max output tokens" {...tokensError(draft.output, errorAt(problem, 'outputTokensMax'))}>
        <Input
          inputMode="numeric"
          placeholder="16384"
          value={draft.output}
          onChange={(event) => set({ output: event.target.value })}
        />
      </Field>
    </div>
  )
}

function tokensError(text: string, error: ReturnType<typeof errorAt>): ReturnType<typeof errorAt> {
  return text.trim() === '' || tokenCount(text) !== undefined ? error : { error: tokenCountError }
}

function Abilities({ draft, set }: PartProps): JSX.Element {
  return (
    <fieldset>
      <legend className="font-medium">Capabilities</legend>
      <div className="grid sm:grid-cols-2">
        <Checkbox label="Tools" checked={draft.takesTools} onChange={(takesTools) => set({ takesTools })} />
        <Checkbox label="Reasoning" checked={draft.reasons} onChange={(reasons) => set({ reasons })} />
        {media.map((medium) => (
          <Checkbox
            key={medium}
            label={`Takes ${medium === 'pdf' ? 'PDF' : medium}`}
            checked={draft.inputs.includes(medium)}
            onChange={(isTaken) =>
              set({
                inputs: isTaken ? [...draft.inputs, medium] : draft.inputs.filter((one) => one !== medium),
              })
            }
          />
        ))}
      </div>
    </fieldset>
  )
}

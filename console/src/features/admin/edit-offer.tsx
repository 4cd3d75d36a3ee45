/** The name and cost of an offer at its upstream. */
import { type JSX, useState } from 'react'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { FormDialog } from './form-dialog.tsx'
import type { EditedOffer } from './offer-groups.ts'

interface EditOfferProps {
  readonly offer: EditedOffer
  readonly onChange: (changes: Partial<EditedOffer>) => void
  readonly onClose: () => void
}

const isAmount = (text: string): boolean => /^\d{1,9}(\.\d{1,9})?$/.test(text)

export function EditOffer({ offer, onChange, onClose }: EditOfferProps): JSX.Element {
  const [name, setName] = useState(offer.upstreamModel)
  const [input, setInput] = useState(offer.cost?.input ?? '')
  const [output, setOutput] = useState(offer.cost?.output ?? '')
  const [costIn, costOut] = [input.trim(), output.trim()]
  const hasCost = costIn !== '' || costOut !== ''
  const isWhole = /^\S{1,200}$/.test(name.trim()) && (!hasCost || (isAmount(costIn) && isAmount(costOut)))
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Edit the offer at ${offer.upstream}`}
      description="Nothing is saved until you review and save the list."
      action="Apply"
      pending={false}
      disabled={!isWhole}
      onSubmit={() => {
        const cost = hasCost ? { input: costIn, output: costOut } : null
        onChange({ upstreamModel: name.trim(), cost })
        onClose()
      }}
    >
      <Field label="Name there" hint="What the upstream calls the model.">
        <Input
          value={name}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
          className="font-mono text-[0.8125rem]"
        />
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label="Cost, input, USD per 1M" optional>
          <Input inputMode="decimal" value={input} onChange={(event) => setInput(event.target.value)} />
        </Field>
        <Field label="Cost, output, USD per 1M" optional>
          <Input inputMode="decimal" value={output} onChange={(event) => setOutput(event.target.value)} />
        </Field>
      </div>
      <p className="text-sm text-ink-soft">
        What the upstream charges you. Leave both empty to use the list price that is known there. It is used
        for margins, warnings and the strategy “Lowest price first”; customers pay the price of the model.
      </p>
    </FormDialog>
  )
}

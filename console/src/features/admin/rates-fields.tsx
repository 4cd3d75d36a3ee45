/** The form fields of a price and the input made from them: USD per million tokens, from a start time. */

import type { JSX } from 'react'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import type { ApiError, OperationAsk } from '@/lib/api'
import { eachRate, meters, type RateName } from '../../../../contract/meters.ts'

export type NewPrice = OperationAsk<'models.price'>['price']

/** Required fields first. */
const rateFields = Object.values(meters)
  .map(({ rate, priceLabel, absent }) => [rate, priceLabel, absent === 'required'] as const)
  .toSorted(([, , one], [, , other]) => Number(other) - Number(one))

export interface PriceDraft extends Readonly<Record<RateName, string>> {
  /** Value of the date field, in local time; empty: now. */
  readonly from: string
  readonly source: string
}

export const emptyPrice: PriceDraft = {
  ...eachRate(() => ''),
  from: '',
  source: '',
}

/** Whether the required fields are filled in. */
export function isPriced({ input, output }: PriceDraft): boolean {
  return input.trim() !== '' && output.trim() !== ''
}

/** The input of the operation: tiers, options and fees of the current price carry over. */
export function newPriceOf(draft: PriceDraft, present: Partial<NewPrice> = {}): NewPrice {
  const rates = rateFields.flatMap(([name]) => {
    const text = draft[name].trim()
    return text === '' ? [] : [[name, text] as const]
  })
  const { tiers, options, fees } = present
  return {
    ...(Object.fromEntries(rates) as Pick<NewPrice, 'input' | 'output'>),
    ...(tiers === undefined ? {} : { tiers }),
    ...(options === undefined ? {} : { options }),
    ...(fees === undefined ? {} : { fees }),
    ...(draft.from === '' ? {} : { effectiveFrom: new Date(draft.from).toISOString() }),
    ...(draft.source.trim() === '' ? {} : { source: draft.source.trim() }),
  }
}

export interface RatesFieldsProps {
  readonly draft: PriceDraft
  readonly onChange: (draft: PriceDraft) => void
  readonly problem: ApiError | null
}

export function RatesFields({ draft, onChange, problem }: RatesFieldsProps): JSX.Element {
  const errorAt = (field: string): { error?: string } =>
    problem?.param === `price.${field}` ? { error: problem.message.replace(`price.${field}: `, '') } : {}
  return (
    <>
      <fieldset className="grid grid-cols-2 gap-3">
        <legend className="mb-2 text-sm text-ink-soft">
          USD per million tokens. Empty fields are derived from the input price.
        </legend>
        {rateFields.map(([name, label, isNeeded]) => (
          <Field key={name} label={label} optional={!isNeeded} {...errorAt(name)}>
            <Input
              inputMode="decimal"
              value={draft[name]}
              onChange={(event) => onChange({ ...draft, [name]: event.target.value })}
            />
          </Field>
        ))}
      </fieldset>
      <Field
        label="Effective from"
        optional
        hint="In your local time zone. Leave empty to start now."
        {...errorAt('effectiveFrom')}
      >
        <Input
          type="datetime-local"
          value={draft.from}
          onChange={(event) => onChange({ ...draft, from: event.target.value })}
        />
      </Field>
      <Field
        label="Source"
        optional
        hint="Where the price comes from. Shown on the price list."
        {...errorAt('source')}
      >
        <Input
          value={draft.source}
          onChange={(event) => onChange({ ...draft, source: event.target.value })}
        />
      </Field>
    </>
  )
}

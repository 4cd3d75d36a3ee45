/** Limits and prices for chosen models without any, and a markup for models with prices. */
import type { JSX } from 'react'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { type OfferDraft, offerMistake } from './offer-drafts.ts'

interface OfferPricesProps {
  readonly offers: readonly OfferDraft[]
  /** Whether mistakes are shown: not before the form was sent once. */
  readonly showsMistakes: boolean
  readonly onChange: (offers: readonly OfferDraft[]) => void
}

const columns = [
  ['context', 'Context, tokens'],
  ['maxOutput', 'Max output, tokens'],
  ['input', 'Input, USD per 1M'],
  ['output', 'Output, USD per 1M'],
] as const

export function OfferPrices({ offers, showsMistakes, onChange }: OfferPricesProps): JSX.Element | null {
  if (offers.length === 0) return null
  const set = (at: number, changes: Partial<OfferDraft>): void =>
    onChange(offers.map((offer, index) => (index === at ? { ...offer, ...changes } : offer)))
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-medium">Prices</h3>
      <p className="text-sm text-ink-soft">
        These models have no known price. Enter limits and a price to enable a model, 0 for a free one, or
        leave its fields empty to decide later.
      </p>
      {offers.map((offer, index) => (
        <fieldset key={offer.model} className="rounded-md border border-line p-3">
          <legend className="px-1 font-mono text-[0.8125rem] break-all">{offer.model}</legend>
          <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
            {columns.map(([field, label]) => (
              <Field
                key={field}
                label={label}
                error={showsMistakes || offer[field] !== '' ? offerMistake(offer, field) : undefined}
              >
                <Input
                  inputMode="decimal"
                  value={offer[field]}
                  onChange={(event) => set(index, { [field]: event.target.value })}
                />
              </Field>
            ))}
          </div>
        </fieldset>
      ))}
    </section>
  )
}

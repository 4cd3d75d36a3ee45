/** The questions about a key, for making one and for changing one. */

import type { JSX } from 'react'
import { Checkbox } from '@/components/checkbox'
import { Field } from '@/components/field'
import { ChevronRight } from '@/components/icons'
import { Input } from '@/components/input'
import { Select } from '@/components/select'
import {
  cachingWords,
  type Expiry,
  expiries,
  expiryLabels,
  type KeyForm,
  type KeyProblems,
} from './key-form.ts'
import { windows, windowWords } from './key-state.ts'
import { ModelPicker } from './model-picker.tsx'

export interface KeyFieldsProps {
  readonly form: KeyForm
  readonly onChange: (changes: Partial<KeyForm>) => void
  readonly problems: KeyProblems
  /** Shows everything at once. */
  readonly isOpen: boolean
}

export function KeyFields(props: KeyFieldsProps): JSX.Element {
  const { form, onChange, problems, isOpen } = props
  return (
    <div className="flex flex-col gap-5">
      <Field label="Name" hint="Where it is used: you will find it again by this." error={problems.name}>
        <Input
          value={form.name}
          onChange={(event) => onChange({ name: event.target.value })}
          autoComplete="off"
          maxLength={200}
          dir="auto"
          placeholder="my-laptop"
        />
      </Field>
      <Expiration {...props} />
      <Budget {...props} />
      <details open={isOpen} className="group rounded-lg border border-line">
        <summary className="flex min-h-11 items-center gap-2 px-3 font-medium">
          <ChevronRight
            aria-hidden="true"
            className="size-4 shrink-0 text-ink-soft transition-transform group-open:rotate-90"
          />
          Models, limits and behaviour
        </summary>
        <div className="flex flex-col gap-5 border-t border-line px-4 py-4">
          <ModelPicker chosen={form.models} onChange={(models) => onChange({ models })} />
          <Limits {...props} />
          <Behaviour {...props} />
        </div>
      </details>
    </div>
  )
}

function Expiration({ form, onChange, problems }: KeyFieldsProps): JSX.Element {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Expires">
        <Select value={form.expiry} onChange={(event) => onChange({ expiry: event.target.value as Expiry })}>
          {expiries.map((expiry) => (
            <option key={expiry} value={expiry}>
              {expiryLabels[expiry]}
            </option>
          ))}
        </Select>
      </Field>
      {form.expiry === 'date' ? (
        <Field label="Last day" hint="It ends with this day, in your time zone." error={problems.date}>
          <Input type="date" value={form.date} onChange={(event) => onChange({ date: event.target.value })} />
        </Field>
      ) : null}
    </div>
  )
}

function Budget({ form, onChange, problems }: KeyFieldsProps): JSX.Element {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label="Budget in USD"
        optional
        hint="The most that this key may spend; empty: all of the balance."
        error={problems.budget}
      >
        <Input
          inputMode="decimal"
          value={form.budget}
          onChange={(event) => onChange({ budget: event.target.value })}
          autoComplete="off"
          placeholder="10.00"
        />
      </Field>
      <Field label="For" hint={windowWords[form.window].when}>
        <Select
          value={form.window}
          onChange={(event) => onChange({ window: event.target.value as KeyForm['window'] })}
        >
          {windows.map((window) => (
            <option key={window} value={window}>
              {windowWords[window].choice}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  )
}

const limitFields = [
  ['requestsPerMinute', 'Requests a minute'],
  ['tokensPerMinute', 'Tokens a minute'],
  ['concurrent', 'At once'],
] as const

function Limits({ form, onChange, problems }: KeyFieldsProps): JSX.Element {
  return (
    <fieldset>
      <legend className="font-medium">Limits</legend>
      <p className="text-sm text-ink-soft">Empty: only the limits of the account.</p>
      <div className="mt-2 grid gap-4 sm:grid-cols-3">
        {limitFields.map(([field, label]) => (
          <Field key={field} label={label} error={problems[field]}>
            <Input
              inputMode="numeric"
              value={form[field]}
              onChange={(event) => onChange({ [field]: event.target.value })}
              autoComplete="off"
            />
          </Field>
        ))}
      </div>
    </fieldset>
  )
}

function Behaviour({ form, onChange }: KeyFieldsProps): JSX.Element {
  return (
    <>
      <Field
        label="When the balance does not pay for the longest answer"
        hint={
          form.onShortBalance === 'lower'
            ? 'The request runs with a lower output limit, which is told in the header x-tollgate-max-output and on the receipt.'
            : 'The request is refused with 402 insufficient_balance; nothing runs and nothing is charged.'
        }
      >
        <Select
          value={form.onShortBalance}
          onChange={(event) => onChange({ onShortBalance: event.target.value as KeyForm['onShortBalance'] })}
        >
          <option value="lower">Answer shorter</option>
          <option value="reject">Refuse</option>
        </Select>
      </Field>
      <Checkbox
        label="Tell the balance to whoever holds the key"
        hint="In the header x-tollgate-balance and at /v1/credits. Leave it off for keys that you give away."
        checked={form.showBalance}
        onChange={(showBalance) => onChange({ showBalance })}
      />
      <Checkbox
        label="Include cost in responses"
        hint="Adds usage.cost in USD to responses in the provider's own format, which are otherwise passed through unchanged. Translated responses always have it."
        checked={form.showCost}
        onChange={(showCost) => onChange({ showCost })}
      />
      <Field
        label="Claude prompt caching"
        hint="For translated requests without cache marks of their own. A cache write costs a quarter more than plain input, a later read a tenth."
      >
        <Select
          value={form.automaticCaching}
          onChange={(event) =>
            onChange({ automaticCaching: event.target.value as KeyForm['automaticCaching'] })
          }
        >
          {Object.entries(cachingWords).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
      </Field>
    </>
  )
}

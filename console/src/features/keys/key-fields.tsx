/** The form fields of a key, for creating and editing. */

import type { JSX } from 'react'
import { Checkbox } from '@/components/checkbox'
import { Disclosure } from '@/components/disclosure'
import { Field } from '@/components/field'
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
  /** Expands all sections. */
  readonly isOpen: boolean
}

export function KeyFields(props: KeyFieldsProps): JSX.Element {
  const { form, onChange, problems, isOpen } = props
  return (
    <div className="flex flex-col gap-5">
      <Field label="Name" hint="A label to recognize this key by." error={problems.name}>
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
      <Disclosure title="Models, limits and behavior" open={isOpen}>
        <ModelPicker
          legend="Models"
          whenNone="All models"
          chosen={form.models}
          onChange={(models) => onChange({ models })}
        />
        <Limits {...props} />
        <Behaviour {...props} />
        <Routing {...props} />
      </Disclosure>
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
        <Field
          label="Last day"
          hint="Valid through the end of this day in your time zone."
          error={problems.date}
        >
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
        hint="Spending limit for this key. Leave empty for no limit."
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
      <Field label="Resets" hint={windowWords[form.window].when}>
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

/** Which upstreams and models may serve its requests. */
function Routing({ form, onChange, problems }: KeyFieldsProps): JSX.Element {
  return (
    <>
      <ModelPicker
        legend="Fallback models"
        whenNone="As set for each model"
        chosen={form.fallbacks}
        onChange={(fallbacks) => onChange({ fallbacks })}
      />
      <Field
        label="Required tags"
        optional
        hint="Requests go only to upstreams that have all of these tags. Separate tags with commas."
        error={problems.requiredTags}
      >
        <Input
          value={form.requiredTags}
          onChange={(event) => onChange({ requiredTags: event.target.value })}
          autoComplete="off"
          placeholder="eu, no-training"
        />
      </Field>
    </>
  )
}

const limitFields = [
  ['requestsPerMinute', 'Requests per minute'],
  ['tokensPerMinute', 'Tokens per minute'],
  ['concurrent', 'Concurrent requests'],
] as const

function Limits({ form, onChange, problems }: KeyFieldsProps): JSX.Element {
  return (
    <fieldset>
      <legend className="font-medium">Limits</legend>
      <p className="text-sm text-ink-soft">Leave empty to use the account's limits.</p>
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
        label="If balance or budget can't cover the full output limit"
        hint={
          form.onShortBalance === 'lower'
            ? 'The request runs with a lower output limit, shown in the x-tollgate-max-output header and on the receipt. It fails with 402 if not even a short response is covered.'
            : 'The request fails with 402. Nothing runs and nothing is charged.'
        }
      >
        <Select
          value={form.onShortBalance}
          onChange={(event) => onChange({ onShortBalance: event.target.value as KeyForm['onShortBalance'] })}
        >
          <option value="lower">Lower the limit</option>
          <option value="reject">Reject</option>
        </Select>
      </Field>
      <Checkbox
        label="Show balance to API clients"
        hint="In the x-tollgate-balance header and at /v1/credits. Turn it off for keys you share."
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
        hint="For translated requests without their own cache markers. A cache write costs 25% more than plain input, a later read 10% of it."
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

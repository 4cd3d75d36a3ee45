/** Fields of a custom host: formats, the header for the key, other headers. */

import type { JSX } from 'react'
import { Checkbox } from '@/components/checkbox'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Textarea } from '@/components/textarea'
import type { ApiError } from '@/lib/api'
import { formatLabels, formatNames } from '../../../../contract/formats.ts'
import { errorAt } from './form-dialog.tsx'
import { headersOf, type UpstreamDraft } from './upstream-draft.ts'

interface CustomFieldsProps {
  readonly draft: UpstreamDraft
  readonly set: (changes: Partial<UpstreamDraft>) => void
  /** The names of the stored headers, which stay unless others are entered. */
  readonly storedHeaders: readonly string[]
  readonly problem: ApiError | null
}

export function CustomFields({ draft, set, storedHeaders, problem }: CustomFieldsProps): JSX.Element {
  const { formats, keyHeader, headers } = draft
  const formatsError = errorAt(problem, 'formats').error
  return (
    <>
      <fieldset>
        <legend className="font-medium">API formats</legend>
        <p className="text-sm text-ink-soft">
          The formats that this provider's server speaks. Clients can use any format.
        </p>
        <div className="grid sm:grid-cols-2">
          {formatNames.map((format) => (
            <Checkbox
              key={format}
              label={formatLabels[format]}
              checked={formats.includes(format)}
              onChange={(isWanted) =>
                set({
                  formats: isWanted ? [...formats, format] : formats.filter((other) => other !== format),
                })
              }
            />
          ))}
        </div>
        {formatsError === undefined ? null : (
          <p role="alert" className="text-sm text-bad">
            {formatsError}
          </p>
        )}
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Header for the API key"
          hint="authorization sends it as a bearer token."
          {...errorAt(problem, 'auth')}
        >
          <Input
            value={keyHeader}
            spellCheck={false}
            onChange={(event) => set({ keyHeader: event.target.value })}
          />
        </Field>
        <Field
          label="Other headers"
          optional
          hint={
            storedHeaders.length === 0
              ? 'One per line: name: value. Stored encrypted.'
              : `Leave empty to keep ${storedHeaders.join(', ')}.`
          }
          {...(headersOf(headers) === undefined
            ? { error: 'Each line must be a name, a colon and a value.' }
            : errorAt(problem, 'headers'))}
        >
          <Textarea
            rows={2}
            value={headers}
            spellCheck={false}
            className="font-mono text-[0.8125rem]"
            onChange={(event) => set({ headers: event.target.value })}
          />
        </Field>
      </div>
    </>
  )
}

/** Compares prices with a published list, from a URL or a file, and applies chosen rows. */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useRef, useState } from 'react'
import { Button } from '@/components/button'
import { Dialog, DialogActions } from '@/components/dialog'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { toast } from '@/components/toaster'
import type { OperationAsk } from '@/lib/api'
import { useChange } from '@/lib/operations'
import { type CatalogCheck, usualChoice } from './price-list-choice.ts'
import { PriceListRows } from './price-list-rows.tsx'

type Source = OperationAsk<'catalog.check'>['source']

const publishedList = 'https://models.dev/api.json'

/** The button and its dialog. */
export function PriceList(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Compare prices</Button>
      {isOpen ? <PriceListDialog onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function PriceListDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [from, setFrom] = useState('')
  const [check, setCheck] = useState<CatalogCheck>()
  const effectiveFrom = from === '' ? undefined : new Date(from).toISOString()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title="Compare prices with a list"
      description="Reads api.json of models.dev or model_prices_and_context_window.json of LiteLLM. Nothing changes until you apply rows."
    >
      {check === undefined ? (
        <ChooseList
          from={from}
          onFrom={setFrom}
          effectiveFrom={effectiveFrom}
          onCheck={setCheck}
          onClose={onClose}
        />
      ) : (
        <ChooseRows
          check={check}
          effectiveFrom={effectiveFrom}
          onBack={() => setCheck(undefined)}
          onClose={onClose}
        />
      )}
    </Dialog>
  )
}

interface ChooseListProps {
  /** Value of the date field; empty: now. */
  readonly from: string
  readonly onFrom: (from: string) => void
  readonly effectiveFrom: string | undefined
  readonly onCheck: (check: CatalogCheck) => void
  readonly onClose: () => void
}

function ChooseList({ from, onFrom, effectiveFrom, onCheck, onClose }: ChooseListProps): JSX.Element {
  const [url, setUrl] = useState(publishedList)
  const chooser = useRef<HTMLInputElement>(null)
  const check = useChange('catalog.check', { onProblem: () => undefined, onDone: onCheck })
  const compare = (source: Source): void =>
    check.mutate({ source, ...(effectiveFrom === undefined ? {} : { effectiveFrom }) })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        if (!check.isPending && url.trim() !== '') compare({ url: url.trim() })
      }}
    >
      <Field label="URL of the list" hint="The server downloads it. Redirects are not followed.">
        <Input type="url" value={url} onChange={(event) => setUrl(event.target.value)} />
      </Field>
      <Field
        label="Effective from"
        optional
        hint="When applied prices start, in your local time zone. Leave empty to start now."
      >
        <Input type="datetime-local" value={from} onChange={(event) => onFrom(event.target.value)} />
      </Field>
      {check.error === null ? null : <Problem problem={check.error} />}
      <input
        ref={chooser}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label="Price list"
        onChange={(event) => {
          const file = event.target.files?.[0]
          event.target.value = ''
          if (file !== undefined) void file.text().then((text) => compare({ name: file.name, text }))
        }}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button disabled={check.isPending} onClick={() => chooser.current?.click()}>
          Choose file
        </Button>
        <Button type="submit" variant="primary" pending={check.isPending} disabled={url.trim() === ''}>
          Compare
        </Button>
      </DialogActions>
    </form>
  )
}

interface ChooseRowsProps {
  readonly check: CatalogCheck
  readonly effectiveFrom: string | undefined
  readonly onBack: () => void
  readonly onClose: () => void
}

function ChooseRows({ check, effectiveFrom, onBack, onClose }: ChooseRowsProps): JSX.Element {
  const client = useQueryClient()
  const [chosen, setChosen] = useState(() => usualChoice(check))
  const update = useChange('catalog.update', {
    changes: ['models'],
    onProblem: () => undefined,
    onDone({ models }) {
      onClose()
      void client.invalidateQueries({ queryKey: ['pricing'] })
      toast.good(models.length === 1 ? '1 row applied.' : `${models.length} rows applied.`)
    },
  })
  const models = check.rows.flatMap(({ model, price, facts }) =>
    price === null || !chosen.has(model) ? [] : [{ model, price, facts }],
  )
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <PriceListRows check={check} chosen={chosen} onChange={setChosen} />
      {update.error === null ? null : <Problem problem={update.error} />}
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button
          variant="primary"
          pending={update.isPending}
          disabled={models.length === 0}
          onClick={() =>
            update.mutate({
              source: check.source,
              models,
              ...(effectiveFrom === undefined ? {} : { effectiveFrom }),
            })
          }
        >
          {models.length === 0 ? 'Apply' : `Apply ${models.length}`}
        </Button>
      </DialogActions>
    </div>
  )
}

/** Codes that can be redeemed for credit. A code is shown once, when it is created. */

import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Empty } from '@/components/empty'
import { Field } from '@/components/field'
import { Plus, Ticket } from '@/components/icons'
import { Input } from '@/components/input'
import { Money } from '@/components/money'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { useChange, useOperation } from '@/lib/operations'
import { errorAt, FormDialog } from './form-dialog.tsx'
import { ShownOnce } from './shown-once.tsx'

type RedeemCode = OperationOutput<'code.list'>[number]

export function Codes(): JSX.Element {
  const codes = useOperation('code.list')
  const [ended, setEnded] = useState<RedeemCode>()
  const columns: readonly Column<RedeemCode>[] = [
    {
      id: 'code',
      header: 'Code',
      cell: ({ label, note, uses, usesMax }) => (
        <>
          <code className="text-[0.8125rem] font-medium">{label}…</code>
          {note === null ? null : (
            <span className="block max-w-40 truncate text-sm text-ink-soft md:max-w-64">{note}</span>
          )}
          <OnPhone>
            <span className="block text-sm text-ink-soft">
              {uses} of {usesMax} redeemed
            </span>
          </OnPhone>
        </>
      ),
    },
    { id: 'state', header: 'Status', wide: true, cell: (code) => <StateOf code={code} /> },
    {
      id: 'amount',
      header: 'Amount',
      align: 'right',
      cell: ({ amount }) => <Money amount={amount} column="cents" />,
    },
    {
      id: 'uses',
      header: 'Redeemed',
      align: 'right',
      wide: true,
      cell: ({ uses, usesMax }) => `${uses} of ${usesMax}`,
    },
    { id: 'created', header: 'Created', wide: true, cell: ({ created }) => <When at={created} /> },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (code) =>
        code.revoked === null ? (
          <Button size="small" onClick={() => setEnded(code)} aria-label={`Revoke code ${code.label}`}>
            Revoke
          </Button>
        ) : null,
    },
  ]
  return (
    <Card
      title="Codes"
      description="Each account can redeem a code once, on its Billing page."
      actions={<NewCode />}
      flush
    >
      {codes.isError ? (
        <Problem problem={codes.error} onRetry={() => void codes.refetch()} className="m-5 mt-0" />
      ) : (
        <Table
          caption="Codes"
          columns={columns}
          rows={codes.data}
          keyOf={({ id }) => id}
          empty={
            <Empty
              icon={<Ticket />}
              title="No codes yet"
              text="Create one and share it with anyone who should get credit."
            />
          }
        />
      )}
      {ended === undefined ? null : <EndCode code={ended} onClose={() => setEnded(undefined)} />}
    </Card>
  )
}

function StateOf({ code }: { readonly code: RedeemCode }): JSX.Element {
  if (code.revoked !== null) return <Badge tone="bad">Ended</Badge>
  if (code.uses >= code.usesMax) return <Badge>Used up</Badge>
  if (code.expires === null) return <Badge tone="good">Active</Badge>
  return (
    <span className="flex items-center gap-2">
      <Badge tone="good">Active</Badge>
      <span className="text-sm text-ink-soft">
        expires <When at={code.expires} />
      </span>
    </span>
  )
}

function EndCode({
  code,
  onClose,
}: {
  readonly code: RedeemCode
  readonly onClose: () => void
}): JSX.Element {
  const revoke = useChange('code.revoke', {
    changes: ['billing'],
    onDone() {
      onClose()
      toast.good('The code can no longer be redeemed.')
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Revoke code ${code.label}…?`}
      action="Revoke"
      pending={revoke.isPending}
      onConfirm={() => revoke.mutate({ code: code.id })}
    >
      <p>It can no longer be redeemed. Credit that was already redeemed stays.</p>
    </ConfirmDialog>
  )
}

const emptyCode = { amount: '', uses: '1', expires: '', note: '' }

function NewCode(): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const [draft, setDraft] = useState(emptyCode)
  const [made, setMade] = useState<string>()
  const create = useChange('code.create', {
    changes: ['billing'],
    onProblem: () => undefined,
    onDone({ code }) {
      setOpen(false)
      setDraft(emptyCode)
      setMade(code)
    },
  })
  const set = (changes: Partial<typeof emptyCode>): void => setDraft({ ...draft, ...changes })
  const submit = (): void =>
    create.mutate({
      amount: draft.amount.trim(),
      usesMax: Number(draft.uses),
      ...(draft.expires === '' ? {} : { expires: new Date(draft.expires).toISOString() }),
      ...(draft.note.trim() === '' ? {} : { note: draft.note.trim() }),
    })
  return (
    <>
      <Button variant="primary" size="small" onClick={() => setOpen(true)}>
        <Plus aria-hidden="true" />
        Create code
      </Button>
      <FormDialog
        open={isOpen}
        onOpenChange={setOpen}
        title="Create code"
        description="Each account that redeems it gets the amount as credit. The most you can give away is the amount times its uses."
        action="Create code"
        pending={create.isPending}
        disabled={draft.amount.trim() === ''}
        problem={create.error}
        fields={['amount', 'usesMax', 'expires', 'note']}
        onSubmit={submit}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Amount in USD" {...errorAt(create.error, 'amount')}>
            <Input
              inputMode="decimal"
              placeholder="10.00"
              value={draft.amount}
              onChange={(event) => set({ amount: event.target.value })}
            />
          </Field>
          <Field
            label="Max uses"
            hint="How many accounts can redeem it."
            {...errorAt(create.error, 'usesMax')}
          >
            <Input
              type="number"
              min={1}
              max={100_000}
              value={draft.uses}
              onChange={(event) => set({ uses: event.target.value })}
            />
          </Field>
        </div>
        <Field label="Expires" optional hint="In your local time zone." {...errorAt(create.error, 'expires')}>
          <Input
            type="datetime-local"
            value={draft.expires}
            onChange={(event) => set({ expires: event.target.value })}
          />
        </Field>
        <Field
          label="Note"
          optional
          hint="Visible to administrators only."
          {...errorAt(create.error, 'note')}
        >
          <Input value={draft.note} onChange={(event) => set({ note: event.target.value })} />
        </Field>
      </FormDialog>
      {made === undefined ? null : (
        <ShownOnce title="Code created" label="Code" text={made} onClose={() => setMade(undefined)}>
          It is shown only once.
        </ShownOnce>
      )}
    </>
  )
}

/** Provider keys of the account: stored, tested, used first or only, removed. A key itself is never shown again. */
import { type JSX, useState } from 'react'
import { Badge, type Tone } from '@/components/badge'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { KeySquare, Plus } from '@/components/icons'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { Select } from '@/components/select'
import { type Column, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { useAccount } from '@/lib/account'
import type { OperationOutput } from '@/lib/api'
import { count } from '@/lib/format'
import { useChange, useOperation } from '@/lib/operations'
import { ProviderKeyDialog } from './provider-key-dialog.tsx'
import { type KeyUse, uses } from './provider-key-words.ts'

type Listed = OperationOutput<'provider-keys.list'>
type ProviderKey = Listed['keys'][number]

/** The dialog that is open. */
type Shown =
  | { readonly kind: 'add' }
  | { readonly kind: 'replace' | 'remove'; readonly providerKey: ProviderKey }

export function ProviderKeysTab(): JSX.Element {
  const { id } = useAccount()
  const listed = useOperation('provider-keys.list', { account: id })
  const [shown, setShown] = useState<Shown | undefined>(undefined)
  const close = (): void => setShown(undefined)
  const free = freeProviders(listed.data)
  const add = (
    <Button
      variant="primary"
      size="small"
      disabled={free.length === 0}
      onClick={() => setShown({ kind: 'add' })}
    >
      <Plus aria-hidden="true" />
      Add provider key
    </Button>
  )
  const { data } = listed
  return (
    <Card
      flush
      title="Provider keys"
      description={`Requests for a provider's models are sent with your own API key. The provider charges you for them${feeWords(data)}.`}
      actions={data?.allowed === true && data.keys.length > 0 ? add : undefined}
    >
      {data === undefined || data.allowed ? null : (
        <Banner tone="warn" title="Provider keys are switched off." className="mx-5 mb-4">
          Keys that are set to “only” still keep requests from the server's own upstreams. Remove them to use
          those.
        </Banner>
      )}
      {listed.error !== null ? (
        <Problem problem={listed.error} onRetry={() => void listed.refetch()} className="mx-5 mb-5" />
      ) : (
        <Table
          caption="Provider keys"
          expected={2}
          rows={data?.keys}
          keyOf={({ provider }) => provider}
          empty={
            <Empty
              icon={<KeySquare />}
              title="No provider keys yet"
              text={
                free.length === 0
                  ? 'No enabled model is served by a provider that accepts keys.'
                  : 'Add an API key from a provider to pay it directly.'
              }
              action={data?.allowed === true ? add : undefined}
            />
          }
          columns={columnsFor(setShown)}
        />
      )}
      {shown === undefined ? null : <ShownDialog shown={shown} free={free} onClose={close} />}
    </Card>
  )
}

/** The providers without a key yet. */
function freeProviders(listed: Listed | undefined): Listed['providers'] {
  const taken = new Set(listed?.keys.map(({ provider }) => provider))
  return listed?.providers.filter(({ provider }) => !taken.has(provider)) ?? []
}

function feeWords(listed: Listed | undefined): string {
  if (listed === undefined || /^0+(\.0+)?%$/.test(listed.fee)) return ''
  return `; we charge ${listed.fee} of the list price`
}

interface ShownDialogProps {
  readonly shown: Shown
  readonly free: Listed['providers']
  readonly onClose: () => void
}

function ShownDialog({ shown, free, onClose }: ShownDialogProps): JSX.Element {
  const { id } = useAccount()
  const remove = useChange('provider-keys.remove', {
    changes: ['provider-keys'],
    onDone() {
      onClose()
      toast.good('Provider key removed.')
    },
  })
  if (shown.kind === 'add') return <ProviderKeyDialog providers={free} onClose={onClose} />
  const { provider, name, use } = shown.providerKey
  if (shown.kind === 'replace')
    return (
      <ProviderKeyDialog providers={[shown.providerKey]} replaced={shown.providerKey} onClose={onClose} />
    )
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Remove the key for ${name}?`}
      action="Remove"
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ account: id, provider })}
    >
      <p>
        {use === 'only'
          ? `Requests for its models will be sent to the server's own upstreams and charged to your balance.`
          : `Requests for its models will be charged to your balance.`}
      </p>
    </ConfirmDialog>
  )
}

const states: Readonly<Record<ProviderKey['state'], readonly [tone: Tone, words: string]>> = {
  usable: ['good', 'Ready'],
  cooling: ['warn', 'Cooling down'],
  rejected: ['bad', 'Rejected'],
  unreadable: ['bad', 'Enter it again'],
}

function State({ state }: Pick<ProviderKey, 'state'>): JSX.Element {
  const [tone, words] = states[state]
  return <Badge tone={tone}>{words}</Badge>
}

function columnsFor(onShow: (shown: Shown) => void): readonly Column<ProviderKey>[] {
  return [
    {
      id: 'provider',
      header: 'Provider',
      cell: (providerKey) => {
        const { name, credentialEnd, models, lastError, state } = providerKey
        return (
          <span className="block max-w-80 whitespace-normal">
            <span className="font-medium">{name}</span>
            <span className="block text-sm text-ink-soft">
              {credentialEnd === '' ? null : <code className="font-mono">…{credentialEnd} </code>}
              {models === 1 ? '1 model' : `${count(models)} models`}
            </span>
            {lastError === null ? null : (
              <span className="block text-sm break-words text-bad">{lastError}</span>
            )}
            <OnPhone>
              <span className="mt-1 flex flex-col items-start gap-2">
                <State state={state} />
                <Use providerKey={providerKey} />
              </span>
            </OnPhone>
          </span>
        )
      },
    },
    { id: 'use', header: 'Use', wide: true, cell: (providerKey) => <Use providerKey={providerKey} /> },
    { id: 'state', header: 'Status', wide: true, cell: ({ state }) => <State state={state} /> },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (providerKey) => <Actions providerKey={providerKey} onShow={onShow} />,
    },
  ]
}

function Use({ providerKey: { provider, name, use } }: { readonly providerKey: ProviderKey }): JSX.Element {
  const { id } = useAccount()
  const put = useChange('provider-keys.put', {
    changes: ['provider-keys'],
    onDone: () => toast.good(`Use of the key for ${name} changed.`),
  })
  return (
    <Select
      aria-label={`Use of the key for ${name}`}
      className="min-w-44"
      value={put.isPending ? (put.variables?.use ?? use) : use}
      disabled={put.isPending}
      onChange={(event) => put.mutate({ account: id, provider, use: event.target.value as KeyUse })}
    >
      {uses.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </Select>
  )
}

interface ActionsProps {
  readonly providerKey: ProviderKey
  readonly onShow: (shown: Shown) => void
}

function Actions({ providerKey, onShow }: ActionsProps): JSX.Element {
  const { id } = useAccount()
  const { provider, name, state } = providerKey
  const test = useChange('provider-keys.test', {
    changes: ['provider-keys'],
    onDone(found) {
      if (found.state === 'accepted') return toast.good(`${name} accepts this key.`)
      if (found.state === 'untested') return toast.good(`${name} answers without checking the key.`)
      const said = found.hostMessage === null ? '' : ` The provider says: “${found.hostMessage}”`
      toast.problem(`${found.problem ?? `${name} rejects this key.`}${said}`)
    },
  })
  return (
    <span className="flex flex-wrap justify-end gap-1">
      {state === 'unreadable' ? null : (
        <Button
          size="small"
          variant="ghost"
          aria-label={`Test the key for ${name}`}
          pending={test.isPending}
          onClick={() => test.mutate({ account: id, provider })}
        >
          Test
        </Button>
      )}
      <Button
        size="small"
        variant="ghost"
        aria-label={`Replace the key for ${name}`}
        onClick={() => onShow({ kind: 'replace', providerKey })}
      >
        Replace
      </Button>
      <Button
        size="small"
        variant="ghost"
        aria-label={`Remove the key for ${name}`}
        onClick={() => onShow({ kind: 'remove', providerKey })}
      >
        Remove
      </Button>
    </span>
  )
}

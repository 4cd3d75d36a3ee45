/** Upstreams: where requests go, their health, and those added here. Each leads to its models below. */
import { Link } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Badge, type Tone } from '@/components/badge'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Empty } from '@/components/empty'
import { Explained } from '@/components/explained'
import { MoreHorizontal, Plus, Server } from '@/components/icons'
import { Menu, MenuItem } from '@/components/menu'
import { OnPhone } from '@/components/on-phone'
import { Problem } from '@/components/problem'
import { type Column, opensRow, Table } from '@/components/table'
import { toast } from '@/components/toaster'
import { When } from '@/components/when'
import { cn } from '@/lib/class-names'
import { count, percent } from '@/lib/format'
import { useChange, useOperation } from '@/lib/operations'
import { useSearch, useSetSearch } from '@/lib/search'
import type { Upstream } from './listed-rows.ts'
import { ProviderLogo, ProviderPicker } from './provider-picker.tsx'
import { UpstreamForm } from './upstream-form.tsx'
import { type UpstreamSwitch, useUpstreamSwitch } from './upstream-switch.tsx'

type State = Upstream['health']['state']

const everyMs = 10_000
const healthWords: Readonly<Record<State, readonly [Tone, label: string, explanation: string]>> = {
  healthy: ['good', 'Healthy', 'Gets requests.'],
  failing: [
    'warn',
    'Failing',
    'Its last request, or the last one of one of its models, failed. It gets requests.',
  ],
  cooling: [
    'warn',
    'Cooling down',
    'Failed recently: gets requests only after the others, for a short time.',
  ],
  ejected: [
    'bad',
    'Ejected',
    'Failed several times in a row: gets requests only after the others, for longer.',
  ],
  unused: ['neutral', 'Unused', 'Not called since the server started or its API key changed.'],
}

/** The list of models. */
export const modelsId = 'models'

type Doing =
  | { readonly kind: 'pick' }
  | { readonly kind: 'add'; readonly provider: string }
  | { readonly kind: 'edit' | 'remove'; readonly upstream: Upstream }

export function Upstreams(): JSX.Element {
  // Health changes with every request and publishes no event.
  const upstreams = useOperation('upstreams.list', {}, { everyMs })
  const { create } = useSearch()
  const setSearch = useSetSearch()
  const [doing, setDoing] = useState<Doing | undefined>(create === undefined ? undefined : { kind: 'pick' })
  const close = (): void => {
    setDoing(undefined)
    if (create !== undefined) setSearch({ create: undefined })
  }
  const toggle = useUpstreamSwitch()
  const names = (upstreams.data ?? []).map(({ name }) => name)
  return (
    <>
      <Card
        title="Upstreams"
        description="An upstream is a provider with your API key or URL. Requests for a model go only to the upstreams that serve it, healthy ones first. If one fails, the next is tried."
        actions={
          <Button variant="primary" size="small" onClick={() => setDoing({ kind: 'pick' })}>
            <Plus aria-hidden="true" />
            Add upstream
          </Button>
        }
        flush
      >
        {upstreams.isError ? (
          <Problem problem={upstreams.error} onRetry={() => void upstreams.refetch()} className="m-5 mt-0" />
        ) : (
          <Table
            caption="Upstreams"
            columns={columnsOf(setDoing, toggle)}
            rows={upstreams.data}
            keyOf={({ name }) => name}
            expected={3}
            empty={
              <Empty
                icon={<Server />}
                title="No upstreams yet"
                text="Add one and choose its models. None are enabled automatically."
              />
            }
          />
        )}
      </Card>
      {toggle.dialog}
      {doing?.kind === 'pick' ? (
        <ProviderPicker
          title={create === undefined ? 'Add upstream' : 'Add provider key'}
          onPick={(provider) => setDoing({ kind: 'add', provider })}
          onClose={close}
        />
      ) : null}
      {doing?.kind === 'add' ? (
        <UpstreamForm
          upstream={{ newOf: doing.provider }}
          names={names}
          onClose={close}
          onBack={() => setDoing({ kind: 'pick' })}
        />
      ) : null}
      {doing?.kind === 'edit' ? (
        <UpstreamForm upstream={doing.upstream} names={names} onClose={close} />
      ) : null}
      {doing?.kind === 'remove' ? <Remove upstream={doing.upstream} onClose={close} /> : null}
    </>
  )
}

function columnsOf(onDo: (doing: Doing) => void, toggle: UpstreamSwitch): readonly Column<Upstream>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      cell: (upstream) => (
        <div className="flex items-start gap-3">
          <ProviderLogo provider={upstream.provider} />
          <div className="min-w-0">
            <Link
              to="/console/admin/$section"
              params={{ section: 'models' }}
              search={{ upstream: upstream.name }}
              hash={modelsId}
              {...opensRow}
              className={cn(opensRow.className, 'data-[status=active]:text-accent')}
            >
              {upstream.name}
            </Link>
            <span className="block max-w-60 truncate text-sm text-ink-soft" title={upstream.url ?? undefined}>
              {upstream.url ?? `${upstream.provider}, default URL`}
            </span>
            <OnPhone>
              <HealthOf upstream={upstream} />
              {upstream.serves.length === 0 && !upstream.disabled ? (
                <ServedBy upstream={upstream} onDo={onDo} />
              ) : null}
            </OnPhone>
          </div>
        </div>
      ),
    },
    {
      id: 'models',
      header: 'Models',
      wide: true,
      cell: (upstream) => <ServedBy upstream={upstream} onDo={onDo} />,
    },
    { id: 'health', header: 'Health', wide: true, cell: (upstream) => <HealthOf upstream={upstream} /> },
    {
      id: 'requests',
      header: 'Requests',
      align: 'right',
      wide: true,
      cell: ({ health }) => count(health.requests),
    },
    {
      id: 'failures',
      header: 'Error rate',
      align: 'right',
      wide: true,
      cell: ({ health: { failures, requests } }) =>
        requests === 0 ? (
          ''
        ) : (
          <span title={`${count(failures)} failures`}>{percent(failures / requests)}</span>
        ),
    },
    {
      id: 'weight',
      header: (
        <Explained text="Among upstreams that serve the same model, twice the weight gets twice the requests.">
          Weight
        </Explained>
      ),
      align: 'right',
      wide: true,
      cell: ({ weight }) => weight,
    },
    {
      id: 'credential',
      header: 'API key',
      wide: true,
      cell: ({ credentialEnd }) =>
        credentialEnd === '' ? '' : <code className="text-[0.8125rem]">…{credentialEnd}</code>,
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (upstream) =>
        upstream.from === 'configuration' ? (
          <span className="inline-block max-w-24 text-sm whitespace-normal text-ink-soft max-md:sr-only">
            {upstream.provider === 'sandbox' ? (
              <Explained text="Test models without a provider. The setting sandbox turns them on or off.">
                Built in
              </Explained>
            ) : (
              <Explained text="Defined in tollgate.yaml or environment variables. Edit it there.">
                From configuration
              </Explained>
            )}
          </span>
        ) : (
          <Menu
            trigger={
              <Button variant="ghost" size="icon" aria-label={`Actions for ${upstream.name}`}>
                <MoreHorizontal aria-hidden="true" />
              </Button>
            }
          >
            <MenuItem onSelect={() => onDo({ kind: 'edit', upstream })}>Edit</MenuItem>
            <MenuItem
              onSelect={() =>
                upstream.disabled
                  ? toggle.enable({ upstream: upstream.name })
                  : toggle.disable({ upstream: upstream.name })
              }
            >
              {upstream.disabled ? 'Enable' : 'Disable'}
            </MenuItem>
            <MenuItem tone="danger" onSelect={() => onDo({ kind: 'remove', upstream })}>
              Remove
            </MenuItem>
          </Menu>
        ),
    },
  ]
}

interface ServedByProps {
  readonly upstream: Upstream
  readonly onDo: (doing: Doing) => void
}

/** How many models it serves, and whether they are all of its provider's or a list. Without any it gets no requests. */
function ServedBy({ upstream, onDo }: ServedByProps): JSX.Element {
  const { name, serves, models, from, disabled } = upstream
  if (serves.length === 0 && (disabled || from === 'configuration')) return <Badge tone="warn">None</Badge>
  if (serves.length === 0)
    return (
      <Button
        size="small"
        aria-label={`Add models to ${name}`}
        onClick={() => onDo({ kind: 'edit', upstream })}
      >
        <Plus aria-hidden="true" />
        Add models
      </Button>
    )
  return (
    <span title={serves.join(', ')}>
      {serves.length === 1 ? '1 model' : `${count(serves.length)} models`}
      <span className="block text-sm text-ink-soft">
        {models === 'all' ? 'all of the provider' : models === null ? 'by name' : 'selected'}
      </span>
    </span>
  )
}

function HealthOf({ upstream: { health, disabled } }: { readonly upstream: Upstream }): JSX.Element {
  const [tone, label, explanation] = healthWords[health.state]
  if (disabled) return <Badge>Disabled</Badge>
  return (
    <span className="flex flex-col items-start gap-1">
      <Explained text={explanation}>
        <Badge tone={tone}>{label}</Badge>
      </Explained>
      {health.until === null ? null : (
        <span className="max-w-40 text-sm whitespace-normal text-ink-soft">
          until <When at={health.until} exact />
        </span>
      )}
      {health.lastError === null ? null : (
        <span
          title={health.lastError}
          className="line-clamp-4 w-44 text-sm [overflow-wrap:anywhere] whitespace-normal text-ink-soft"
        >
          {health.state === 'healthy' ? 'Last failure: ' : ''}
          {health.lastError}
        </span>
      )}
    </span>
  )
}

function Remove({
  upstream,
  onClose,
}: {
  readonly upstream: Upstream
  readonly onClose: () => void
}): JSX.Element {
  const remove = useChange('upstreams.remove', {
    changes: ['upstreams', 'models'],
    onDone() {
      onClose()
      toast.good(`${upstream.name} and its API key were removed.`)
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Remove ${upstream.name}?`}
      action="Remove"
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ upstream: upstream.name })}
    >
      <p>
        Its API key is deleted and it gets no more requests. Models that no other upstream serves become
        unavailable.
      </p>
    </ConfirmDialog>
  )
}

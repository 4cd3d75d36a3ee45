/** How a model does at an upstream: state, traffic, time to first byte and cost, with a switch. */
import type { JSX } from 'react'
import { Badge, type Tone } from '@/components/badge'
import { Button } from '@/components/button'
import { Money } from '@/components/money'
import type { Column } from '@/components/table'
import { When } from '@/components/when'
import type { OperationOutput } from '@/lib/api'
import { count, duration, percent } from '@/lib/format'
import { isZero } from '@/lib/usd'
import type { UpstreamSwitch } from './upstream-switch.tsx'

export type OfferAt = OperationOutput<'upstreams.status'>['upstreams'][number]['offers'][number]
type Status = Pick<OfferAt, 'state' | 'testCase' | 'until'>

const stateLabels: Readonly<Record<OfferAt['state'], readonly [Tone, string]>> = {
  serving: ['good', 'Serving'],
  cooling: ['warn', 'Cooling down'],
  ejected: ['bad', 'Ejected'],
  disabled: ['neutral', 'Disabled'],
}

export function StateOf({ status: { state, testCase, until } }: { readonly status: Status }): JSX.Element {
  // A test model that simulates a failure is in rotation too, but its failures are expected.
  const isExpected = testCase && state !== 'disabled'
  const [tone, label] = isExpected ? (['neutral', 'Test case'] as const) : stateLabels[state]
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Badge tone={tone}>{label}</Badge>
      {until === null || isExpected ? null : (
        <span className="text-sm text-ink-soft">
          until <When at={until} exact />
        </span>
      )}
    </span>
  )
}

interface SwitchButtonProps {
  readonly isEnabled: boolean
  /** Name of the switched item. */
  readonly label: string
  readonly pending: boolean
  readonly onSwitch: () => void
}

export function SwitchButton({ isEnabled, label, pending, onSwitch }: SwitchButtonProps): JSX.Element {
  const verb = isEnabled ? 'Disable' : 'Enable'
  return (
    <Button
      variant="ghost"
      size="small"
      aria-label={`${verb} ${label}`}
      disabled={pending}
      onClick={onSwitch}
    >
      {verb}
    </Button>
  )
}

const none = <span className="text-ink-soft">–</span>

/** What the list of models shows beside them where only one upstream is shown. */
export function offerColumns<Row extends { readonly offer: OfferAt }>(
  upstream: string,
  /** undefined: the upstream is disabled as a whole. */
  toggle: UpstreamSwitch | undefined,
): readonly Column<Row>[] {
  return [
    { id: 'state', header: 'State', wide: true, cell: ({ offer }) => <StateOf status={offer} /> },
    {
      id: 'requests',
      header: 'Requests',
      align: 'right',
      wide: true,
      cell: ({ offer }) => count(offer.requests),
    },
    {
      id: 'errors',
      header: 'Error rate',
      align: 'right',
      wide: true,
      cell: ({ offer: { failures, requests } }) =>
        requests === 0 ? (
          none
        ) : (
          <span title={`${count(failures)} failures`}>{percent(failures / requests)}</span>
        ),
    },
    {
      id: 'firstByte',
      header: 'First byte p50 / p95',
      align: 'right',
      wide: true,
      cell: ({ offer: { firstByteP50Ms: middle, firstByteP95Ms: slow } }) =>
        middle === null || slow === null ? none : `${duration(middle)} / ${duration(slow)}`,
    },
    {
      id: 'cost',
      header: 'Cost',
      align: 'right',
      wide: true,
      cell: ({ offer: { cost } }) => (isZero(cost) ? none : <Money amount={cost} column="cost" />),
    },
    {
      id: 'switch',
      header: <span className="sr-only">Switch</span>,
      align: 'right',
      cell: ({ offer: { upstreamModel, state } }) => {
        if (toggle === undefined) return null
        const place = { upstream, upstreamModel }
        return (
          <SwitchButton
            isEnabled={state !== 'disabled'}
            label={`${upstreamModel} at ${upstream}`}
            pending={toggle.pending}
            onSwitch={() => (state === 'disabled' ? toggle.enable(place) : toggle.disable(place))}
          />
        )
      },
    },
  ]
}

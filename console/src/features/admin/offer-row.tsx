/** An offer in its group: handle, details, cost, weight, switch and menu. */
import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { GripVertical, MoreHorizontal } from '@/components/icons'
import { Input } from '@/components/input'
import { Menu, MenuItem, MenuLine } from '@/components/menu'
import { cn } from '@/lib/class-names'
import { count, duration, exactUsd, isZero, percent, usd } from '@/lib/format'
import type { EditedOffer, ShownOffer, Target } from './offer-groups.ts'
import { ProviderLogo } from './provider-picker.tsx'
import { StateOf, SwitchButton } from './upstream-status.tsx'

export interface OfferRowProps {
  readonly offer: EditedOffer
  /** The stored offer; undefined: the offer is new or has another name. */
  readonly shown: ShownOffer | undefined
  readonly provider: string
  readonly share: number | null
  readonly mistake: string | undefined
  readonly isDragged: boolean
  readonly handle: Record<string, unknown>
  readonly handleId: string
  /** The element that explains the keys. */
  readonly hintId: string
  readonly targets: readonly { readonly label: string; readonly target: Target | undefined }[]
  readonly pending: boolean
  readonly onStep: (step: 'up' | 'down') => void
  readonly onMove: (target: Target) => void
  readonly onWeight: (weight: string) => void
  readonly onSwitch: () => void
  readonly onEdit: () => void
  readonly onRemove: () => void
}

export function OfferRow(props: OfferRowProps): JSX.Element {
  const { offer, shown, provider, share, mistake, isDragged, onWeight } = props
  const { upstream, upstreamModel, weight } = offer
  return (
    <li
      className={cn(
        'grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-3 gap-y-2 border-t border-line px-3 py-3 max-sm:gap-x-1 first:border-t-0 sm:px-4',
        isDragged && 'opacity-50',
      )}
    >
      <Handle {...props} />
      <div className="flex min-w-0 items-start gap-3">
        {/* Names need the room on phones. */}
        <span className="max-sm:hidden">
          <ProviderLogo provider={provider} />
        </span>
        <div className="min-w-0">
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span className="font-medium break-all">{upstream}</span>
            <OfferState shown={shown} />
          </span>
          <span className="block font-mono text-[0.8125rem] break-all text-ink-soft">{upstreamModel}</span>
        </div>
      </div>
      <div className="flex items-center gap-1">
        <SwitchOf {...props} />
        <OfferMenu {...props} />
      </div>
      <dl className="col-span-2 col-start-2 flex flex-wrap max-sm:col-span-3 max-sm:col-start-1 items-end gap-x-6 gap-y-2">
        <div>
          <dt className="text-sm text-ink-soft">Weight</dt>
          <dd className="flex items-center gap-2">
            <Input
              aria-label={`Weight of ${upstream}`}
              aria-invalid={mistake === undefined ? undefined : true}
              inputMode="numeric"
              value={weight}
              onChange={(event) => onWeight(event.target.value)}
              className="tabular h-8 w-16 px-2 max-sm:h-9"
            />
            <span className="tabular text-sm text-ink-soft">{share === null ? '' : percent(share)}</span>
          </dd>
        </div>
        <Facts {...props} />
      </dl>
      {mistake === undefined ? null : (
        <p role="alert" className="col-span-2 col-start-2 text-sm text-bad">
          {mistake}
        </p>
      )}
    </li>
  )
}

function Handle(props: OfferRowProps): JSX.Element {
  const { offer, handle, handleId, hintId, onStep } = props
  return (
    <button
      type="button"
      id={handleId}
      aria-label={`Move ${offer.upstream}, ${offer.upstreamModel}`}
      aria-describedby={hintId}
      className="-ml-1 flex size-9 cursor-grab touch-none items-center justify-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink active:cursor-grabbing max-sm:size-10"
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
        event.preventDefault()
        onStep(event.key === 'ArrowUp' ? 'up' : 'down')
      }}
      {...handle}
    >
      <GripVertical aria-hidden="true" className="size-4" />
    </button>
  )
}

function OfferState({ shown }: Pick<OfferRowProps, 'shown'>): JSX.Element {
  if (shown === undefined) return <Badge tone="info">Not saved</Badge>
  const { enabled, trouble, status } = shown
  if (enabled && trouble !== null) {
    return (
      <Badge tone="bad" title={trouble}>
        Cannot serve: {trouble}
      </Badge>
    )
  }
  return <StateOf status={status} />
}

function SwitchOf({ offer, shown, pending, onSwitch }: OfferRowProps): JSX.Element | null {
  if (shown === undefined) return null
  return (
    <SwitchButton
      isEnabled={shown.enabled}
      label={`${offer.upstreamModel} at ${offer.upstream}`}
      pending={pending}
      onSwitch={onSwitch}
    />
  )
}

function OfferMenu({ offer, targets, onMove, onEdit, onRemove }: OfferRowProps): JSX.Element {
  return (
    <Menu
      trigger={
        <Button
          variant="ghost"
          size="icon"
          aria-label={`Actions for ${offer.upstream}, ${offer.upstreamModel}`}
        >
          <MoreHorizontal aria-hidden="true" />
        </Button>
      }
    >
      {targets.map(({ label, target }) => (
        <MenuItem
          key={label}
          disabled={target === undefined}
          onSelect={() => {
            if (target !== undefined) onMove(target)
          }}
        >
          {label}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={onEdit}>Edit name and cost</MenuItem>
      <MenuItem tone="danger" onSelect={onRemove}>
        Remove
      </MenuItem>
    </Menu>
  )
}

const costOrigins: Readonly<Record<ShownOffer['costFrom'], string>> = {
  offer: 'Cost price that was entered',
  list: 'List price known at this upstream',
  model: 'No price is known there, so it is the list price of the model',
}

function Facts({ offer, shown }: OfferRowProps): JSX.Element | null {
  const isCostEdited = JSON.stringify(offer.cost) !== JSON.stringify(shown?.cost ?? null)
  if (shown === undefined || isCostEdited) {
    return offer.cost === null ? null : (
      <Fact label="Cost in / out">
        {exactUsd(offer.cost.input)} / {exactUsd(offer.cost.output)}
      </Fact>
    )
  }
  const { requests, failures, firstByteP50Ms, firstByteP95Ms, cost: spend } = shown.status
  const { costNow, costFrom, margin } = shown
  return (
    <>
      <Fact label="Cost in / out" title={costOrigins[costFrom]}>
        {costNow === null ? '–' : `${exactUsd(costNow.input)} / ${exactUsd(costNow.output)}`}
        {costFrom === 'model' ? <span className="ml-1 text-sm text-ink-soft">assumed</span> : null}
      </Fact>
      <Fact label="Margin in / out">
        <Margin text={margin.input} /> / <Margin text={margin.output} />
      </Fact>
      <Fact label="Requests">{count(requests)}</Fact>
      <Fact label="Error rate" title={`${count(failures)} failures`}>
        {requests === 0 ? '–' : percent(failures / requests)}
      </Fact>
      <Fact label="First byte p50 / p95">
        {firstByteP50Ms === null || firstByteP95Ms === null
          ? '–'
          : `${duration(firstByteP50Ms)} / ${duration(firstByteP95Ms)}`}
      </Fact>
      <Fact label="Spend">{isZero(spend) ? '–' : usd(spend)}</Fact>
    </>
  )
}

interface FactProps {
  readonly label: string
  readonly title?: string
  readonly children: ReactNode
}

function Fact({ label, title, children }: FactProps): JSX.Element {
  return (
    <div title={title}>
      <dt className="text-sm text-ink-soft">{label}</dt>
      <dd className="tabular flex h-8 items-center whitespace-nowrap max-sm:h-6">
        <span>{children}</span>
      </dd>
    </div>
  )
}

function Margin({ text }: { readonly text: string | null }): JSX.Element {
  const isLoss = text?.startsWith('-') === true
  return <span className={cn(isLoss && 'font-medium text-bad')}>{text?.replace('-', '−') ?? '–'}</span>
}

/** The offers of a model in their groups: moved by drag or keys, weights and costs edited, and reviewed before they are saved. */
import { type JSX, useEffect, useId, useState } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import { Card } from '@/components/card'
import { Empty } from '@/components/empty'
import { Plus, Server } from '@/components/icons'
import { Problem } from '@/components/problem'
import { When } from '@/components/when'
import { cn } from '@/lib/class-names'
import { useChange, useOperation } from '@/lib/operations'
import { Segments } from '../usage/segments.tsx'
import { AddOffer } from './add-offer.tsx'
import { BelowCost } from './below-cost.tsx'
import { EditOffer } from './edit-offer.tsx'
import {
  areSame,
  askedOffers,
  changed,
  type EditedOffer,
  type Groups,
  groupAt,
  groupsOf,
  isSameList,
  isSameTarget,
  moved,
  offerMistakes,
  type ShownOffers,
  shareOf,
  stepTarget,
  type Target,
  withOffer,
  without,
} from './offer-groups.ts'
import { OfferReview } from './offer-review.tsx'
import { OfferRow } from './offer-row.tsx'
import { useUpstreamSwitch } from './upstream-switch.tsx'
import { dropTarget, type OfferDrag, useOfferDrag } from './use-offer-drag.ts'

const everyMs = 10_000
type Period = ShownOffers['period']
const periods = [
  { id: 'hour', label: 'Last hour' },
  { id: 'day', label: 'Last day' },
] as const
const origins: Readonly<Record<ShownOffers['from'], string>> = {
  console: 'Set by an administrator. The configuration is not used for this model.',
  configuration:
    'From the configuration. Once you save a change, the configuration is not used for this model.',
  upstreams: 'From the models that upstreams serve. Once you save a change, this model has its own list.',
}

interface Draft {
  /** The offers shown when editing began. */
  readonly base: ShownOffers
  readonly groups: Groups
}

export function OfferEditor({ model }: { readonly model: string }): JSX.Element {
  const [period, setPeriod] = useState<Period>('day')
  const offers = useOperation('offers.show', { model, period }, { everyMs, keep: true })
  const { data } = offers
  return (
    <Card
      title="Offers"
      description={
        data === undefined ? undefined : (
          <>
            {origins[data.from]} Traffic and spend are counted since <When at={data.since} exact />.
          </>
        )
      }
      actions={<Segments label="Period" segments={periods} chosen={period} onChoose={setPeriod} />}
      flush
    >
      {offers.isError ? (
        <Problem problem={offers.error} onRetry={() => void offers.refetch()} className="m-5 mt-0" />
      ) : data === undefined ? (
        <div className="h-64" />
      ) : (
        <Editor shown={data} />
      )}
    </Card>
  )
}

type Doing =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit'; readonly offer: EditedOffer }
  /** null: back to the configured offers. */
  | { readonly kind: 'review'; readonly groups: Groups | null }

function Editor({ shown }: { readonly shown: ShownOffers }): JSX.Element {
  const [draft, setDraft] = useState<Draft>()
  const [doing, setDoing] = useState<Doing>()
  const stored = groupsOf(shown.offers)
  const groups = draft?.groups ?? stored
  const isStale = draft !== undefined && !isSameList(draft.base, shown)
  const set = (next: Groups): void =>
    setDraft(areSame(next, stored) && !isStale ? undefined : { base: draft?.base ?? shown, groups: next })
  const mistakes = offerMistakes(groups)
  const check = useChange('offers.check', { onProblem: () => undefined })
  const review = (next: Groups | null): void => {
    const offersAsked = next === null ? null : askedOffers(next)
    check.mutate(
      { model: shown.model, offers: offersAsked },
      { onSuccess: () => setDoing({ kind: 'review', groups: next }) },
    )
  }
  const close = (): void => setDoing(undefined)
  return (
    <>
      <div className="flex flex-col gap-3 px-5 pb-3">
        {isStale ? (
          <Banner tone="warn" title="These offers changed while you edited them.">
            Discard your changes to see the new ones.
          </Banner>
        ) : null}
        <BelowCost rows={shown.belowCost} />
      </div>
      <GroupList
        shown={shown}
        groups={groups}
        set={set}
        mistakes={mistakes}
        onEdit={(offer) => setDoing({ kind: 'edit', offer })}
      />
      <div className="flex flex-wrap gap-2 px-5 pb-5">
        <Button size="small" onClick={() => setDoing({ kind: 'add' })}>
          <Plus aria-hidden="true" />
          Add offer
        </Button>
        {shown.from === 'console' && draft === undefined ? (
          <Button size="small" pending={check.isPending} onClick={() => review(null)}>
            Use the configuration's offers
          </Button>
        ) : null}
      </div>
      {check.error === null || doing !== undefined ? null : (
        <Problem problem={check.error} className="mx-5 mb-5" />
      )}
      {draft === undefined ? null : (
        <div className="sticky bottom-0 z-20 flex flex-wrap items-center justify-end gap-2 rounded-b-xl border-t border-line bg-raised px-5 py-3">
          <span className="mr-auto font-medium">Unsaved changes</span>
          <Button
            onClick={() => {
              check.reset()
              setDraft(undefined)
            }}
          >
            Discard
          </Button>
          <Button
            variant="primary"
            pending={check.isPending}
            disabled={mistakes.size > 0 || groups.length === 0}
            onClick={() => review(groups)}
          >
            Review
          </Button>
        </div>
      )}
      {doing?.kind === 'add' ? (
        <AddOffer model={shown.model} onAdd={(place) => set(withOffer(groups, place))} onClose={close} />
      ) : null}
      {doing?.kind === 'edit' ? (
        <EditOffer
          offer={doing.offer}
          onChange={(changes) => set(changed(groups, doing.offer.id, changes))}
          onClose={close}
        />
      ) : null}
      {doing?.kind === 'review' && check.data !== undefined ? (
        <OfferReview
          preview={check.data}
          offers={doing.groups === null ? null : askedOffers(doing.groups)}
          revision={isStale ? draft.base.revision : shown.revision}
          onSaved={() => {
            setDraft(undefined)
            close()
          }}
          onClose={close}
        />
      ) : null}
    </>
  )
}

interface GroupListProps {
  readonly shown: ShownOffers
  readonly groups: Groups
  readonly set: (groups: Groups) => void
  readonly mistakes: ReadonlyMap<string, string>
  readonly onEdit: (offer: EditedOffer) => void
}

function GroupList({ shown, groups, set, mistakes, onEdit }: GroupListProps): JSX.Element {
  const ids = useId()
  const toggle = useUpstreamSwitch()
  const [said, setSaid] = useState('')
  const [movedId, setMovedId] = useState<string>()
  // A moved row is another element, which gets the focus of the one before.
  useEffect(() => {
    if (movedId === undefined) return
    document.getElementById(`${ids}-${movedId}`)?.focus()
    setMovedId(undefined)
  }, [movedId, ids])
  const move = (id: string, target: Target): void => {
    const next = moved(groups, id, target)
    const offer = next.flat().find((one) => one.id === id)
    set(next)
    setMovedId(id)
    setSaid(`${offer?.upstream ?? ''} is in group ${groupAt(next, id) + 1} of ${next.length}.`)
  }
  const step = (id: string, way: 'up' | 'down'): void => {
    const target = stepTarget(groups, id, way)
    if (target === undefined) setSaid(way === 'up' ? 'It is in the first group.' : 'It is in the last group.')
    else move(id, target)
  }
  const drag = useOfferDrag(move)
  const rowOf = (offer: EditedOffer, group: readonly EditedOffer[]): JSX.Element => {
    const { id, upstream, upstreamModel } = offer
    const row = shown.offers.find((one) => one.upstream === upstream && one.upstreamModel === upstreamModel)
    const place = { upstream, upstreamModel }
    return (
      <OfferRow
        key={id}
        offer={offer}
        shown={row}
        provider={row?.provider ?? upstream}
        share={shareOf(group, offer)}
        mistake={mistakes.get(id)}
        isDragged={drag.id === id}
        handle={drag.handle(id)}
        handleId={`${ids}-${id}`}
        hintId={`${ids}-hint`}
        targets={targetsOf(groups, id)}
        pending={toggle.pending}
        onStep={(way) => step(id, way)}
        onMove={(target) => move(id, target)}
        onWeight={(weight) => set(changed(groups, id, { weight }))}
        onSwitch={() => (row?.enabled === true ? toggle.disable(place) : toggle.enable(place))}
        onEdit={() => onEdit(offer)}
        onRemove={() => {
          set(without(groups, id))
          setSaid(`${upstream} is removed.`)
        }}
      />
    )
  }
  return (
    <div className="px-5 pb-3">
      <p id={`${ids}-hint`} className="pb-2 text-sm text-ink-soft">
        Group 1 is called first, the next group if all of its offers fail. Within a group, requests are shared
        by weight; an offer of weight 0 is called only if the others fail. Drag an offer by its handle, or
        focus the handle and press the up or down key.
      </p>
      <p role="status" className="sr-only">
        {said}
      </p>
      {groups.length === 0 ? (
        <Empty icon={<Server />} title="No offers" text="Add an upstream that serves this model." />
      ) : null}
      {groups.map((group, at) => (
        <div key={group.map(({ id }) => id).join()}>
          <Gap before={at} drag={drag} />
          <section
            aria-label={`Group ${at + 1}`}
            {...dropTarget({ kind: 'group', at })}
            className={cn(
              'rounded-lg border border-line bg-surface',
              isSameTarget(drag.target, { kind: 'group', at }) && 'border-accent bg-sunken/60',
            )}
          >
            <h3 className="flex items-center gap-2 border-b border-line bg-sunken/60 px-4 py-1.5 text-sm font-medium">
              Group {at + 1}
              {at === 0 ? <Badge tone="info">Called first</Badge> : null}
            </h3>
            <ul>{group.map((offer) => rowOf(offer, group))}</ul>
          </section>
        </div>
      ))}
      <Gap before={groups.length} drag={drag} />
      {toggle.dialog}
    </div>
  )
}

/** Between groups: a place for a new one, shown while an offer is dragged. */
function Gap({ before, drag }: { readonly before: number; readonly drag: OfferDrag }): JSX.Element {
  const target: Target = { kind: 'new group', before }
  if (drag.id === undefined) return <div className="h-3" />
  return (
    <div
      {...dropTarget(target)}
      className={cn(
        'my-1 flex h-10 items-center justify-center rounded-lg border border-dashed border-line-strong text-sm text-ink-soft',
        isSameTarget(drag.target, target) && 'border-accent bg-sunken text-ink',
      )}
    >
      New group
    </div>
  )
}

/** The moves of the menu. */
function targetsOf(
  groups: Groups,
  id: string,
): readonly { readonly label: string; readonly target: Target | undefined }[] {
  const here = groupAt(groups, id)
  const others = groups.flatMap((_, at) =>
    at === here ? [] : [{ label: `Move to group ${at + 1}`, target: { kind: 'group', at } as const }],
  )
  const isAlone = groups[here]?.length === 1
  const isFirst = isAlone && here === 0
  const isLast = isAlone && here === groups.length - 1
  return [
    { label: 'Move up', target: stepTarget(groups, id, 'up') },
    { label: 'Move down', target: stepTarget(groups, id, 'down') },
    ...others,
    { label: 'New first group', target: isFirst ? undefined : { kind: 'new group', before: 0 } },
    { label: 'New last group', target: isLast ? undefined : { kind: 'new group', before: groups.length } },
  ]
}

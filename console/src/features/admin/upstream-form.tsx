/** Adds or edits an upstream: fields, a review of its models and their prices, then save. */
import { Link } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Field } from '@/components/field'
import { Input } from '@/components/input'
import { toast } from '@/components/toaster'
import type { ApiError, OperationOutput } from '@/lib/api'
import { useChange, useOperation } from '@/lib/operations'
import { isCustomHost } from '../../../../contract/custom-hosts.ts'
import { CredentialTest, failsTest } from './credential-test.tsx'
import { FormDialog } from './form-dialog.tsx'
import type { Upstream } from './listed-rows.ts'
import {
  areWhole,
  isPercent,
  isReady,
  markupAsks,
  type OfferDraft,
  offerAsks,
  unpricedOffers,
} from './offer-drafts.ts'
import { OfferPrices } from './offer-prices.tsx'
import { providerName } from './providers.ts'
import {
  askOf,
  draftOf,
  isKeyless,
  isWhole,
  newDraft,
  plainUrl,
  type UpstreamDraft,
} from './upstream-draft.ts'
import { UpstreamFields } from './upstream-fields.tsx'
import { UpstreamReview } from './upstream-review.tsx'

export interface UpstreamFormProps {
  /** A provider: a new upstream of it. */
  readonly upstream: Upstream | { readonly newOf: string }
  /** Names of all upstreams. */
  readonly names: readonly string[]
  readonly onClose: () => void
  /** Returns to the choice of a provider. */
  readonly onBack?: () => void
}

const fields = [
  ...['upstream', 'provider', 'url', 'credential', 'weight', 'tags', 'limits', 'models'],
  ...['formats', 'auth', 'headers'],
]

/** A host of unknown kind has no default name. */
const addedName = (provider: string): string =>
  provider === 'custom' ? 'a custom provider' : providerName(provider)

export function UpstreamForm({ upstream: given, names, onClose, onBack }: UpstreamFormProps): JSX.Element {
  const upstream = 'newOf' in given ? undefined : given
  const [draft, setDraft] = useState(() => ('newOf' in given ? newDraft(given.newOf, names) : draftOf(given)))
  const check = useChange('upstreams.check', { changes: [], onProblem: () => undefined })
  const listing = useChange('upstreams.check', { changes: [], onProblem: () => undefined })
  const set = (changes: Partial<UpstreamDraft>): void => setDraft({ ...draft, ...changes })
  const goesElsewhere = upstream === undefined || plainUrl(draft.url) !== (upstream.url ?? '')
  const needsNoKey = isCustomHost(draft.provider) && (upstream === undefined || upstream.credentialEnd === '')
  const isTaken = upstream === undefined && names.includes(draft.name.trim())
  const title = upstream === undefined ? `Add ${addedName(draft.provider)}` : `Edit ${upstream.name}`
  if (check.data !== undefined) {
    return (
      <Review
        title={title}
        isNew={upstream === undefined}
        draft={draft}
        found={check.data}
        onBack={() => check.reset()}
        onClose={onClose}
      />
    )
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={title}
      size="large"
      description="The key is stored encrypted and sent only to this base URL."
      action="Review"
      pending={check.isPending}
      disabled={isTaken || !isWhole(draft, goesElsewhere && !needsNoKey)}
      problem={check.error}
      fields={fields}
      {...(onBack === undefined ? {} : { onBack })}
      onSubmit={() => check.mutate({ ...askOf(draft), testCredential: true })}
    >
      <UpstreamFields
        upstream={upstream}
        draft={draft}
        set={set}
        goesElsewhere={goesElsewhere}
        isTaken={isTaken}
        listing={listing}
        problem={check.error}
      />
    </FormDialog>
  )
}

interface ReviewProps {
  readonly title: string
  readonly isNew: boolean
  readonly draft: UpstreamDraft
  readonly found: OperationOutput<'upstreams.check'>
  readonly onBack: () => void
  readonly onClose: () => void
}

function Review({ title, isNew, draft, found, onBack, onClose }: ReviewProps): JSX.Element {
  const [savesUntested, setSavesUntested] = useState(false)
  const [isSubmitted, setSubmitted] = useState(false)
  const [offers, setOffers] = useState<readonly OfferDraft[]>(() => unpricedOffers(draft, found))
  const [markup, setMarkup] = useState('')
  const { save, isPending, problem } = useSave(isNew, onClose)
  const defaultMarkup = useOperation('markup.show').data?.markup ?? '0%'
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={title}
      size="large"
      description="Review the models it will serve. Nothing is saved yet."
      startsAtTop
      action={isNew ? 'Add upstream' : 'Save changes'}
      pending={isPending}
      disabled={failsTest(found) && !savesUntested}
      problem={problem}
      onBack={onBack}
      onSubmit={() => {
        setSubmitted(true)
        if (areWhole(offers) && isPercent(markup)) save({ draft, found, offers, markup, savesUntested })
      }}
    >
      <CredentialTest
        found={found}
        isKeyless={isKeyless(draft, isNew)}
        savesAnyway={savesUntested}
        onSaveAnyway={setSavesUntested}
      />
      <UpstreamReview
        found={found}
        draft={draft}
        unpriced={{ total: offers.length, ready: offers.filter(isReady).length }}
        onBack={onBack}
      />
      <OfferPrices offers={offers} showsMistakes={isSubmitted} onChange={setOffers} />
      {found.sells.some((row) => row.isNew) && draft.choice === 'list' ? (
        <Field
          label="Markup on the new models, in percent"
          optional
          hint={`Added to their list prices. Leave empty for the default markup, ${defaultMarkup}.`}
          {...(isPercent(markup) ? {} : { error: 'Enter a percentage, such as 5 or 2.5.' })}
        >
          <Input inputMode="decimal" value={markup} onChange={(event) => setMarkup(event.target.value)} />
        </Field>
      ) : null}
    </FormDialog>
  )
}

function TryIt({ model }: { readonly model: string }): JSX.Element {
  return (
    <Link to="/console/playground" search={{ model }} className="text-accent underline underline-offset-2">
      Try {model} in the playground
    </Link>
  )
}

interface Saved {
  readonly draft: UpstreamDraft
  readonly found: OperationOutput<'upstreams.check'>
  readonly offers: readonly OfferDraft[]
  readonly markup: string
  readonly savesUntested: boolean
}

interface Saving {
  save(what: Saved): void
  readonly isPending: boolean
  readonly problem: ApiError | null
}

/** Saves the upstream, then the prices of its models; what was saved stays if a price is rejected. */
function useSave(isNew: boolean, onClose: () => void): Saving {
  const put = useChange('upstreams.put', { changes: ['upstreams', 'models'], onProblem: () => undefined })
  const offer = useChange('models.offer', { changes: ['upstreams', 'models'], onProblem: () => undefined })
  async function saveAll({ draft, found, offers, markup, savesUntested }: Saved): Promise<void> {
    const saved = await put.mutateAsync({ ...askOf(draft), saveAnyway: savesUntested })
    const asks = [...offerAsks(saved.name, offers), ...markupAsks(saved.name, markup, found)]
    for (const ask of asks) await offer.mutateAsync(ask)
    onClose()
    const model = saved.serves[0] ?? asks[0]?.model
    if (!isNew) toast.good(`${saved.name} was saved.`)
    else if (model === undefined) toast.good(`${saved.name} was added. It serves no models yet: add some.`)
    else toast.good(`${saved.name} was added.`, <TryIt model={model} />)
  }
  return {
    // The dialog shows what the server rejects.
    save: (what) => void saveAll(what).catch(() => undefined),
    isPending: put.isPending || offer.isPending,
    problem: put.error ?? offer.error,
  }
}

/** Adds or edits an upstream: fields, a review of what it will serve, then save. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { toast } from '@/components/toaster'
import { useChange } from '@/lib/operations'
import { CredentialTest, failsTest } from './credential-test.tsx'
import { FormDialog } from './form-dialog.tsx'
import type { Upstream } from './listed-rows.ts'
import { askOf, isWhole, listText, plainUrl, type UpstreamDraft } from './upstream-draft.ts'
import { UpstreamFields } from './upstream-fields.tsx'
import { UpstreamReview } from './upstream-review.tsx'

export interface UpstreamFormProps {
  /** undefined: a new one. */
  readonly upstream: Upstream | undefined
  /** Names of all upstreams. */
  readonly names: readonly string[]
  readonly onClose: () => void
}

const fields = ['upstream', 'provider', 'url', 'credential', 'weight', 'models']

export function UpstreamForm({ upstream, names, onClose }: UpstreamFormProps): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(upstream))
  const check = useChange('upstreams.check', { changes: [], onProblem: () => undefined })
  const put = usePut(upstream, onClose)
  const [savesUntested, setSavesUntested] = useState(false)
  const set = (changes: Partial<UpstreamDraft>): void => setDraft({ ...draft, ...changes })
  const goesElsewhere =
    upstream === undefined ||
    plainUrl(draft.url) !== (upstream.url ?? '') ||
    draft.provider !== upstream.provider
  const isTaken = upstream === undefined && names.includes(draft.name.trim())
  const found = check.data
  const common = {
    open: true,
    onOpenChange: onClose,
    title: upstream === undefined ? 'Add upstream' : `Edit ${upstream.name}`,
    size: 'large',
  } as const
  if (found !== undefined) {
    return (
      <FormDialog
        {...common}
        description="Review what it will serve. Nothing is saved yet."
        action={upstream === undefined ? 'Add upstream' : 'Save changes'}
        pending={put.isPending}
        disabled={failsTest(found) && !savesUntested}
        problem={put.error}
        onSubmit={() => put.mutate({ ...askOf(draft), saveAnyway: savesUntested })}
      >
        <CredentialTest found={found} savesAnyway={savesUntested} onSaveAnyway={setSavesUntested} />
        <UpstreamReview found={found} draft={draft} />
        <div>
          <Button
            size="small"
            onClick={() => {
              put.reset()
              check.reset()
              setSavesUntested(false)
            }}
          >
            Back
          </Button>
        </div>
      </FormDialog>
    )
  }
  return (
    <FormDialog
      {...common}
      description="A provider endpoint and its API key. The key is stored encrypted and sent only to this address."
      action="Review"
      pending={check.isPending}
      disabled={isTaken || !isWhole(draft, goesElsewhere)}
      problem={check.error}
      fields={fields}
      onSubmit={() => check.mutate({ ...askOf(draft), testCredential: true })}
    >
      <UpstreamFields
        upstream={upstream}
        draft={draft}
        set={set}
        goesElsewhere={goesElsewhere}
        isTaken={isTaken}
        problem={check.error}
      />
    </FormDialog>
  )
}

function draftOf(upstream: Upstream | undefined): UpstreamDraft {
  const models = upstream?.models ?? null
  return {
    name: upstream?.name ?? '',
    provider: upstream?.provider ?? 'openai',
    url: upstream?.url ?? '',
    credential: '',
    weight: String(upstream?.weight ?? 1),
    disabled: upstream?.disabled ?? false,
    choice: models === null ? '' : models === 'all' ? 'all' : 'list',
    list: models === null || models === 'all' ? '' : listText(models),
  }
}

function usePut(upstream: Upstream | undefined, onClose: () => void) {
  return useChange('upstreams.put', {
    changes: ['upstreams', 'models'],
    onProblem: () => undefined,
    onDone({ name, serves }) {
      onClose()
      toast.good(
        upstream === undefined
          ? `${name} was added. ${serves.length === 0 ? 'It serves no models yet.' : 'Try one of its models in the playground.'}`
          : `${name} was saved.`,
      )
    },
  })
}

/** Adds an upstream or changes one: what it is, then what it will sell, then it is saved. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { toast } from '@/components/toaster'
import { useChange } from '@/lib/operations'
import { FormDialog } from './form-dialog.tsx'
import { askOf, isWhole, listText, plainUrl, type UpstreamDraft } from './upstream-draft.ts'
import { UpstreamFields } from './upstream-fields.tsx'
import { UpstreamReview } from './upstream-review.tsx'
import type { Upstream } from './upstreams.tsx'

export interface UpstreamFormProps {
  /** undefined: a new one. */
  readonly upstream: Upstream | undefined
  readonly onClose: () => void
}

const fields = ['upstream', 'provider', 'url', 'credential', 'weight', 'models']

export function UpstreamForm({ upstream, onClose }: UpstreamFormProps): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(upstream))
  const check = useChange('upstreams.check', { changes: [], onProblem: () => undefined })
  const put = usePut(upstream, onClose)
  const set = (changes: Partial<UpstreamDraft>): void => setDraft({ ...draft, ...changes })
  const goesElsewhere =
    upstream === undefined ||
    plainUrl(draft.url) !== (upstream.url ?? '') ||
    draft.provider !== upstream.provider
  const found = check.data
  const common = {
    open: true,
    onOpenChange: onClose,
    title: upstream === undefined ? 'Add an upstream' : `Change ${upstream.name}`,
    size: 'large',
  } as const
  if (found !== undefined) {
    return (
      <FormDialog
        {...common}
        description="This is what becomes of it. Nothing is saved yet."
        action={upstream === undefined ? 'Add the upstream' : 'Change it'}
        pending={put.isPending}
        problem={put.error}
        onSubmit={() => put.mutate(askOf(draft))}
      >
        <UpstreamReview found={found} draft={draft} />
        <div>
          <Button
            size="small"
            onClick={() => {
              put.reset()
              check.reset()
            }}
          >
            Back to the form
          </Button>
        </div>
      </FormDialog>
    )
  }
  return (
    <FormDialog
      {...common}
      description="One endpoint of a provider, with the credential that pays there. The credential is kept encrypted and goes to this address alone."
      action="Next: what it will sell"
      pending={check.isPending}
      disabled={!isWhole(draft, goesElsewhere)}
      problem={check.error}
      fields={fields}
      onSubmit={() => check.mutate(askOf(draft))}
    >
      <UpstreamFields
        upstream={upstream}
        draft={draft}
        set={set}
        goesElsewhere={goesElsewhere}
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
          ? `${name} is added. ${serves.length === 0 ? 'It serves no model yet.' : 'Ask one of its models in the Playground to see that it works.'}`
          : `${name} is changed.`,
      )
    },
  })
}

/** Disabling and enabling an upstream or one of its models: one click, confirmed only where a model would become unavailable. */
import { type JSX, useState } from 'react'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { toast } from '@/components/toaster'
import { useChange } from '@/lib/operations'

/** An upstream, or one model there by its name at the upstream. */
export interface SwitchPlace {
  readonly upstream: string
  readonly upstreamModel?: string
}

export interface UpstreamSwitch {
  readonly disable: (place: SwitchPlace) => void
  readonly enable: (place: SwitchPlace) => void
  readonly pending: boolean
  /** The confirmation; null while none is needed. */
  readonly dialog: JSX.Element | null
}

interface Asked {
  readonly place: SwitchPlace
  readonly message: string
}

const changes = ['upstreams', 'models'] as const
const label = ({ upstream, upstreamModel }: SwitchPlace): string =>
  upstreamModel === undefined ? upstream : `${upstreamModel} at ${upstream}`

export function useUpstreamSwitch(): UpstreamSwitch {
  const [asked, setAsked] = useState<Asked>()
  const [place, setPlace] = useState<SwitchPlace>()
  const disable = useChange('upstreams.disable', {
    changes,
    onDone({ upstream, upstreamModel }) {
      setAsked(undefined)
      toast.good(`${label(placeOf(upstream, upstreamModel))} was disabled.`)
    },
    onProblem(problem) {
      if (problem.param !== 'allowUnserved' || place === undefined) return toast.problem(problem.message)
      setAsked({ place, message: problem.message })
    },
  })
  const enable = useChange('upstreams.enable', {
    changes,
    onDone({ upstream, upstreamModel }) {
      toast.good(`${label(placeOf(upstream, upstreamModel))} was enabled.`)
    },
  })
  return {
    disable(wanted) {
      setPlace(wanted)
      disable.mutate(wanted)
    },
    enable: (wanted) => enable.mutate(wanted),
    pending: disable.isPending || enable.isPending,
    dialog:
      asked === undefined ? null : (
        <ConfirmDialog
          open
          onOpenChange={() => setAsked(undefined)}
          title={`Disable ${label(asked.place)}?`}
          action="Disable"
          pending={disable.isPending}
          onConfirm={() => disable.mutate({ ...asked.place, allowUnserved: true })}
        >
          <p>{asked.message} Requests for it fail with 404 until it is enabled again.</p>
        </ConfirmDialog>
      ),
  }
}

function placeOf(upstream: string, upstreamModel: string | null): SwitchPlace {
  return upstreamModel === null ? { upstream } : { upstream, upstreamModel }
}

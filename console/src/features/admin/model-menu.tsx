/** What an operator does with a model: price, routing, and whether it is enabled. */
import { useQueryClient } from '@tanstack/react-query'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { MoreHorizontal } from '@/components/icons'
import { Menu, MenuItem } from '@/components/menu'
import { toast } from '@/components/toaster'
import { useChange } from '@/lib/operations'
import type { Model } from './listed-rows.ts'
import { PriceHistory, SetPrice } from './model-price.tsx'
import { ModelRouting } from './model-routing.tsx'

interface ModelProps {
  readonly model: Model
}

const dialogs = { price: SetPrice, history: PriceHistory, routing: ModelRouting, disable: Disable } as const

export function ModelMenu({ model }: ModelProps): JSX.Element {
  const client = useQueryClient()
  const [doing, setDoing] = useState<keyof typeof dialogs>()
  const enable = useChange('models.enable', {
    changes: ['models'],
    onDone({ model: name, sold, reason }) {
      void client.invalidateQueries({ queryKey: ['pricing'] })
      if (sold) toast.good(`${name} is enabled.`)
      else toast.problem(`${name} is enabled but not available: ${reason ?? ''}`)
    },
  })
  const Dialog = doing === undefined ? undefined : dialogs[doing]
  return (
    <>
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label={`Actions for ${model.model}`}>
            <MoreHorizontal aria-hidden="true" />
          </Button>
        }
      >
        <MenuItem onSelect={() => setDoing('price')}>Set price</MenuItem>
        <MenuItem onSelect={() => setDoing('history')}>Price history</MenuItem>
        <MenuItem onSelect={() => setDoing('routing')}>Routing</MenuItem>
        {model.sold ? (
          <MenuItem tone="danger" onSelect={() => setDoing('disable')}>
            Disable
          </MenuItem>
        ) : (
          <MenuItem onSelect={() => enable.mutate({ model: model.model })}>Enable</MenuItem>
        )}
      </Menu>
      {Dialog === undefined ? null : <Dialog model={model} onClose={() => setDoing(undefined)} />}
    </>
  )
}

function Disable({ model, onClose }: ModelProps & { readonly onClose: () => void }): JSX.Element {
  const client = useQueryClient()
  const disable = useChange('models.disable', {
    changes: ['models'],
    onDone() {
      onClose()
      void client.invalidateQueries({ queryKey: ['pricing'] })
      toast.good(`${model.model} is disabled.`)
    },
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={`Disable ${model.model}?`}
      action="Disable"
      pending={disable.isPending}
      onConfirm={() => disable.mutate({ model: model.model })}
    >
      <p>
        Requests for it fail with 404 immediately, and it disappears from the price list. Running requests
        finish. You can enable it again at any time.
      </p>
    </ConfirmDialog>
  )
}

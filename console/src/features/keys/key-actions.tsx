/** The actions on a key: edit, rotate, disable, revoke. */

import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { ConfirmDialog } from '@/components/confirm-dialog'
import { Ban, CirclePlay, Pencil, RefreshCw, Trash2 } from '@/components/icons'
import { toast } from '@/components/toaster'
import { useNow } from '@/components/when'
import { useMay } from '@/lib/account'
import { useChange } from '@/lib/operations'
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { hasEnded, type Key, type KeyDialogProps, keyState } from './key-state.ts'
import { RotateKeyDialog } from './rotate-key-dialog.tsx'

type Open = 'edit' | 'rotate' | 'disable' | 'revoke' | undefined

export function KeyActions({ apiKey }: { readonly apiKey: Key }): JSX.Element {
  const [open, setOpen] = useState<Open>()
  const mayChange = useMay('owner', 'admin', 'developer')
  const close = (): void => setOpen(undefined)
  const update = useChange('key.update', {
    changes: ['keys'],
    onDone: ({ disabled }) => {
      toast.good(disabled ? 'Key disabled.' : 'Key enabled.')
      close()
    },
  })
  const ended = hasEnded(keyState(apiKey, useNow()))
  if (!mayChange) return <p className="text-sm text-ink-soft">Your role can't change keys.</p>
  return (
    <>
      {ended ? null : (
        <>
          <Button onClick={() => setOpen('edit')}>
            <Pencil aria-hidden="true" />
            Edit
          </Button>
          {apiKey.replacedBy === null ? (
            <Button onClick={() => setOpen('rotate')}>
              <RefreshCw aria-hidden="true" />
              Rotate
            </Button>
          ) : null}
          {apiKey.disabled ? (
            <Button
              pending={update.isPending}
              onClick={() => update.mutate({ key: apiKey.id, disabled: false })}
            >
              <CirclePlay aria-hidden="true" />
              Enable
            </Button>
          ) : (
            <Button onClick={() => setOpen('disable')}>
              <Ban aria-hidden="true" />
              Disable
            </Button>
          )}
        </>
      )}
      {apiKey.revoked === null ? (
        <Button variant="quiet-danger" onClick={() => setOpen('revoke')}>
          <Trash2 aria-hidden="true" />
          Revoke
        </Button>
      ) : null}
      <EditKeyDialog apiKey={apiKey} open={open === 'edit'} onClose={close} />
      <RotateKeyDialog apiKey={apiKey} open={open === 'rotate'} onClose={close} />
      <ConfirmDialog
        open={open === 'disable'}
        onOpenChange={close}
        title="Disable this key?"
        action="Disable key"
        tone="primary"
        pending={update.isPending}
        onConfirm={() => update.mutate({ key: apiKey.id, disabled: true })}
      >
        <p>Requests with this key fail with 403 until you enable it again.</p>
      </ConfirmDialog>
      <RevokeDialog apiKey={apiKey} open={open === 'revoke'} onClose={close} />
    </>
  )
}

/** The confirmation of a permanent revocation, wherever it was asked for. */
export function RevokeDialog({ apiKey, open, onClose }: KeyDialogProps): JSX.Element {
  const revoke = useChange('key.revoke', {
    changes: ['keys'],
    onDone: () => {
      toast.good('Key revoked.')
      onClose()
    },
  })
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onClose}
      title="Revoke this key permanently?"
      action="Revoke key"
      pending={revoke.isPending}
      onConfirm={() => revoke.mutate({ key: apiKey.id })}
    >
      <p>
        <bdi className="font-medium break-words text-ink">{apiKey.name}</bdi> stops working immediately on
        every server, and its running streams end within seconds. This can't be undone. Receipts are kept.
      </p>
    </ConfirmDialog>
  )
}

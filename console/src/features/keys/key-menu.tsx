/** The menu of a key in the list, and the dialogs that it opens. */
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { MoreHorizontal, Pencil, Trash2 } from '@/components/icons'
import { Menu, MenuItem } from '@/components/menu'
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { RevokeDialog } from './key-actions.tsx'
import type { Key } from './key-state.ts'

export interface KeyMenuProps {
  readonly apiKey: Key
  /** Revoked or expired: there is nothing left to edit. */
  readonly ended: boolean
}

/** Nothing for a revoked key. */
export function KeyMenu({ apiKey, ended }: KeyMenuProps): JSX.Element | null {
  const [open, setOpen] = useState<'edit' | 'revoke'>()
  const close = (): void => setOpen(undefined)
  if (apiKey.revoked !== null) return null
  return (
    <>
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label={`Actions for ${apiKey.name}`}>
            <MoreHorizontal aria-hidden="true" />
          </Button>
        }
      >
        {ended ? null : (
          <MenuItem icon={<Pencil aria-hidden="true" />} onSelect={() => setOpen('edit')}>
            Edit
          </MenuItem>
        )}
        <MenuItem tone="danger" icon={<Trash2 aria-hidden="true" />} onSelect={() => setOpen('revoke')}>
          Revoke
        </MenuItem>
      </Menu>
      <EditKeyDialog apiKey={apiKey} open={open === 'edit'} onClose={close} />
      <RevokeDialog apiKey={apiKey} open={open === 'revoke'} onClose={close} />
    </>
  )
}

/** The menu of the signed-in person. */
import { useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { LogOut, Settings, ShieldCheck } from '@/components/icons'
import { Menu, MenuItem, MenuLabel, MenuLine } from '@/components/menu'
import { useSignOut } from '@/features/auth/use-sign-out'
import { useMe } from '@/lib/account'

export function PersonMenu(): JSX.Element {
  const { person } = useMe()
  const navigate = useNavigate()
  const { isPending: isLeaving, run: leave } = useSignOut()
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-busy={isLeaving || undefined}
          className="flex size-9 items-center justify-center rounded-full border border-line bg-accent-soft text-sm font-semibold text-accent max-sm:size-10"
        >
          <span aria-hidden="true">{initials(person.name, person.email)}</span>
          <span className="sr-only">Signed in as {person.email}</span>
        </button>
      }
    >
      <MenuLabel>
        <span className="block truncate font-medium text-ink">{person.name}</span>
        <span className="block truncate font-normal">{person.email}</span>
      </MenuLabel>
      <MenuLine />
      <MenuItem
        icon={<Settings aria-hidden="true" />}
        onSelect={() => void navigate({ to: '/console/settings', search: {} })}
      >
        Settings
      </MenuItem>
      <MenuItem
        icon={<ShieldCheck aria-hidden="true" />}
        onSelect={() => void navigate({ to: '/console/settings', search: { tab: 'security' } })}
      >
        Security
      </MenuItem>
      <MenuLine />
      <MenuItem icon={<LogOut aria-hidden="true" />} onSelect={() => void leave()}>
        Sign out
      </MenuItem>
    </Menu>
  )
}

function initials(name: string, email: string): string {
  const words = (name.trim() === '' ? email : name).trim().split(/\s+/)
  return `${words[0]?.[0] ?? '?'}${words.length > 1 ? (words.at(-1)?.[0] ?? '') : ''}`.toUpperCase()
}

/** Shows the current account and switches accounts. */
import { useNavigate } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Building2, ChevronsUpDown, Plus, User } from '@/components/icons'
import { Menu, MenuItem, MenuLabel, MenuLine } from '@/components/menu'
import { useAccount, useAccounts, useSwitchAccount } from '@/lib/account'

export function AccountSwitcher(): JSX.Element {
  const account = useAccount()
  const accounts = useAccounts()
  const switchTo = useSwitchAccount()
  const navigate = useNavigate()
  return (
    <Menu
      align="start"
      className="w-60"
      trigger={
        <button
          type="button"
          className="flex h-11 w-full min-w-0 items-center gap-2.5 rounded-lg border border-line bg-surface px-3 text-left hover:bg-sunken"
        >
          <AccountIcon kind={account.kind} />
          <span className="min-w-0 flex-1">
            <span className="block truncate leading-5 font-medium">{account.name}</span>
            <span className="block text-xs leading-4 text-ink-soft">{kindText(account.kind)}</span>
            <span className="sr-only">, switch account</span>
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
        </button>
      }
    >
      <MenuLabel>Accounts</MenuLabel>
      {accounts.map(({ id, name, kind }) => (
        <MenuItem
          key={id}
          icon={<AccountIcon kind={kind} />}
          checked={id === account.id}
          onSelect={() => switchTo(id)}
        >
          {name}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem
        icon={<Plus aria-hidden="true" />}
        onSelect={() =>
          void navigate({ to: '/console/settings', search: { tab: 'organizations', new: '1' } })
        }
      >
        Create organization
      </MenuItem>
    </Menu>
  )
}

function AccountIcon({ kind }: { kind: 'personal' | 'organization' }): JSX.Element {
  const Icon = kind === 'personal' ? User : Building2
  return <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-soft" />
}

function kindText(kind: 'personal' | 'organization'): string {
  return kind === 'personal' ? 'Personal account' : 'Organization'
}

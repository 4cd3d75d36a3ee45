/** Entries of the command palette in groups: pages, actions, accounts, themes and the documentation. */
import {
  Building2,
  type Icon,
  KeyRound,
  LogOut,
  Monitor,
  Moon,
  Plus,
  ReceiptText,
  ScrollText,
  Settings,
  ShieldCheck,
  Sun,
  User,
  Wallet,
} from '@/components/icons'
import { useAccount, useAccounts, useMay, useMe, useSwitchAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { requestIdIn } from '@/lib/request-id'
import { useTheme } from '@/lib/theme'
import { setTheme, type Theme } from '@/lib/theme-choice'
import { siteSections } from '../../../docs/site-map.ts'
import { listedPages } from '../../pages.ts'
import { sections as adminSections } from '../admin/sections.ts'
import { useSignOut } from '../auth/use-sign-out.ts'
import { useSettingsTabs } from '../settings/use-settings-tabs.ts'
import type { PaletteCommand, PaletteGroup } from './palette-command.ts'
import { tasks } from './task-table.ts'
import { useFound } from './use-found.ts'
import { useGo } from './use-go.ts'

/** The groups for a search: the long ones appear once something is typed. */
export function usePaletteGroups(search: string): readonly PaletteGroup[] {
  const isSearch = search.trim() !== ''
  const groups = [
    useRequest(search),
    usePages(),
    useActions(),
    useTasks(isSearch),
    useOtherAccounts(),
    useThemes(),
    useKeys(isSearch),
    ...useFound(search),
    useDeepPages(isSearch),
    documentation(isSearch),
  ]
  return groups.filter(({ commands }) => commands.length > 0)
}

function useRequest(search: string): PaletteGroup {
  const go = useGo()
  const id = requestIdIn(search)
  if (id === undefined) return { heading: 'Requests', commands: [] }
  return {
    heading: 'Requests',
    commands: [
      {
        id: `request ${id}`,
        label: `Open request ${id}`,
        keywords: search,
        Icon: ReceiptText,
        run: () => go(`/console/requests/${id}`),
      },
    ],
  }
}

function usePages(): PaletteGroup {
  const { person } = useMe()
  const go = useGo()
  return {
    heading: 'Go to',
    commands: listedPages(person.operator).map(([path, , title, Icon, words]) => ({
      id: path,
      label: title,
      keywords: `go to page ${words}`,
      Icon,
      run: () => go(path),
    })),
  }
}

function useActions(): PaletteGroup {
  const go = useGo()
  const mayBuild = useMay('owner', 'admin', 'developer')
  const mayPay = useMay('owner', 'admin', 'billing')
  const actions: readonly (PaletteCommand & { readonly isAllowed: boolean })[] = [
    {
      id: 'create-key',
      label: 'Create API key',
      keywords: 'new key',
      Icon: Plus,
      isAllowed: mayBuild,
      run: () => go('/console/keys', { create: 'yes' }),
    },
    {
      id: 'add-credit',
      label: 'Add credit',
      keywords: 'top up pay balance',
      Icon: Wallet,
      isAllowed: mayPay,
      run: () => go('/console/billing'),
    },
    {
      id: 'create-organization',
      label: 'Create organization',
      keywords: 'new team',
      Icon: Building2,
      isAllowed: true,
      run: () => go('/console/settings', { tab: 'organizations', new: '1' }),
    },
  ]
  return { heading: 'Actions', commands: actions.filter(({ isAllowed }) => isAllowed) }
}

/** More actions, for a search alone. */
function useTasks(isSearch: boolean): PaletteGroup {
  const go = useGo()
  const signOut = useSignOut()
  const may = {
    builders: useMay('owner', 'admin', 'developer'),
    payers: useMay('owner', 'admin', 'billing'),
    everybody: true,
  }
  const allowed = tasks.filter((task) => may[task.allowed ?? 'everybody'])
  const commands: readonly PaletteCommand[] = [
    ...allowed.map(({ to, search, ...task }) => ({ ...task, run: () => go(to, search) })),
    {
      id: 'sign-out',
      label: 'Sign out',
      keywords: 'log out logout leave',
      Icon: LogOut,
      run: () => void signOut.run(),
    },
  ]
  return { heading: 'More actions', commands: isSearch ? commands : [] }
}

function useOtherAccounts(): PaletteGroup {
  const current = useAccount()
  const others = useAccounts().filter(({ id }) => id !== current.id)
  const switchTo = useSwitchAccount()
  return {
    heading: 'Accounts',
    commands: others.map(({ id, name, kind }) => ({
      id,
      label: `Switch to ${name}`,
      keywords: 'account organization',
      hint: kind === 'personal' ? 'Personal account' : 'Organization',
      Icon: kind === 'personal' ? User : Building2,
      run: () => switchTo(id),
    })),
  }
}

const themes: readonly (readonly [theme: Theme, label: string, Icon: Icon])[] = [
  ['light', 'Light theme', Sun],
  ['dark', 'Dark theme', Moon],
  ['system', 'System theme', Monitor],
]

function useThemes(): PaletteGroup {
  const chosen = useTheme()
  return {
    heading: 'Theme',
    commands: themes.map(([theme, label, Icon]) => ({
      id: `theme ${theme}`,
      label,
      keywords: 'switch appearance mode color',
      Icon,
      isCurrent: theme === chosen,
      run: () => setTheme(theme),
    })),
  }
}

function useKeys(isSearch: boolean): PaletteGroup {
  const { id: account } = useAccount()
  const go = useGo()
  const keys = useOperation('key.list', { account }, { enabled: isSearch })
  const live = isSearch ? (keys.data ?? []).filter(({ builtIn }) => !builtIn) : []
  return {
    heading: 'API keys',
    commands: live.map(({ id, name, label }) => ({
      id,
      label: name,
      keywords: `${label} key`,
      hint: label,
      Icon: KeyRound,
      run: () => go(`/console/keys/${id}`),
    })),
  }
}

/** The tabs of the settings and the sections of the admin pages. */
function useDeepPages(isSearch: boolean): PaletteGroup {
  const { person } = useMe()
  const go = useGo()
  const tabs = useSettingsTabs().map(({ id, label }) => ({
    id: `settings ${id}`,
    label: `Settings: ${label}`,
    Icon: Settings,
    run: () => go('/console/settings', { tab: id }),
  }))
  const admin = adminSections.map(([id, label]) => ({
    id: `admin ${id}`,
    label: `Admin: ${label}`,
    Icon: ShieldCheck,
    run: () => go(`/console/admin/${id}`),
  }))
  return { heading: 'More pages', commands: isSearch ? [...tabs, ...(person.operator ? admin : [])] : [] }
}

/** The documentation is a separate site, so its pages load as documents. */
function documentation(isSearch: boolean): PaletteGroup {
  const open = (path: string) => () => location.assign(path)
  const pages = siteSections.flatMap(({ title: section, pages }) =>
    pages.map(({ path, title }) => ({
      id: path,
      label: title,
      keywords: `documentation docs ${section}`,
      hint: section,
      Icon: ScrollText,
      run: open(path),
    })),
  )
  const first = { id: '/docs', label: 'Documentation', Icon: ScrollText, run: open('/docs') }
  return {
    heading: 'Documentation',
    commands: isSearch ? [first, ...pages.filter(({ id }) => id !== '/docs')] : [first],
  }
}

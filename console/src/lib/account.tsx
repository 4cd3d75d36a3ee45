/**
 * The signed-in person and the account they act for. The account is in the URL (`?account=acct_…`), so that links, reload
 * and the back button preserve it. A URL without one opens the account that was used last in this browser.
 */
import { useNavigate } from '@tanstack/react-router'
import { createContext, type JSX, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import type { Role } from '../../../contract/operation.ts'
import type { OperationOutput } from './api.ts'
import { useSearch, useSetSearch } from './search.ts'

export type { Role } from '../../../contract/operation.ts'
export type Me = OperationOutput<'me.show'>
type Account = Me['accounts'][number]

export interface ActiveAccount {
  readonly id: string
  readonly kind: 'personal' | 'organization'
  readonly name: string
  readonly role: Role
  readonly organization: string | null
  readonly suspended: boolean
}

interface Acting {
  readonly me: Me
  readonly account: ActiveAccount
}
const ActingContext = createContext<Acting | undefined>(undefined)

export function ActingProvider({
  me,
  children,
}: {
  readonly me: Me
  readonly children: ReactNode
}): JSX.Element {
  const wanted = useSearch().account
  const setSearch = useSetSearch()
  // Read once: another tab's choice must not change the account of this one.
  const [last] = useState(lastAccount)
  const acting = useMemo(() => ({ me, account: active(me, wanted ?? last) }), [me, wanted, last])
  const { id } = acting.account
  useEffect(() => {
    if (wanted === id) localStorage.setItem(storageName, id)
    else if (wanted === undefined && id !== me.accounts[0]?.account) setSearch({ account: id })
  })
  return <ActingContext value={acting}>{children}</ActingContext>
}

const storageName = 'tollgate-account'

const lastAccount = (): string | undefined => localStorage.getItem(storageName) ?? undefined

function active(me: Me, wanted: string | undefined): ActiveAccount {
  const account = me.accounts.find(({ account }) => account === wanted) ?? me.accounts[0]
  if (account === undefined) throw new Error('a signed-in person has no account')
  return shaped(account)
}

function shaped({ account, ...rest }: Account): ActiveAccount {
  return { id: account, ...rest }
}

function useActing(): Acting {
  const acting = useContext(ActingContext)
  if (acting === undefined) throw new Error('rendered for a person who is not signed in')
  return acting
}

/** The signed-in person. */
export function useMe(): Me {
  return useActing().me
}

/** The current account. */
export function useAccount(): ActiveAccount {
  return useActing().account
}

/** All accounts of the person, the personal one first. */
export function useAccounts(): readonly ActiveAccount[] {
  const { me } = useActing()
  return useMemo(() => me.accounts.map(shaped), [me])
}

/** Whether the person has one of the roles in the current account. */
export function useMay(...roles: readonly Role[]): boolean {
  return roles.includes(useActing().account.role)
}

/** Switches to another account, on its overview. */
export function useSwitchAccount(): (id: string) => void {
  const navigate = useNavigate()
  return (id) => void navigate({ to: '/console', search: { account: id } })
}

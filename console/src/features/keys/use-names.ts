/** The names of the account's keys and members, by id. */
import { useMemo } from 'react'
import { useAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'

const none: ReadonlyMap<string, string> = new Map()

export function useKeyNames(): ReadonlyMap<string, string> {
  const account = useAccount()
  const { data: keys } = useOperation('key.list', { account: account.id })
  return useMemo(() => (keys === undefined ? none : new Map(keys.map(({ id, name }) => [id, name]))), [keys])
}

export function useMemberNames(): ReadonlyMap<string, string> {
  const account = useAccount()
  const { data: members } = useOperation('member.list', { account: account.id })
  return useMemo(
    () =>
      members === undefined
        ? none
        : new Map(members.map(({ person, name, email }) => [person, name || email])),
    [members],
  )
}

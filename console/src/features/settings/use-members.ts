/** Who belongs to an organization, and who is invited. */
import { useQuery } from '@tanstack/react-query'
import type { Role } from '@/lib/account'
import { look } from '@/lib/identity'

export interface Member {
  readonly id: string
  readonly userId: string
  readonly role: Role
  readonly createdAt: string
  readonly user: { readonly name: string; readonly email: string }
}

interface Invitation {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly status: string
  readonly expiresAt: string
}

interface Wanted {
  readonly enabled: boolean
}

export function useMembers(organization: string, { enabled }: Wanted = { enabled: true }) {
  return useQuery({
    queryKey: ['organization', organization, 'members'],
    queryFn: async () =>
      (await look<{ readonly members: readonly Member[] }>(pathFor('list-members', organization))).members,
    enabled,
  })
}

/** Invitations that are not accepted yet. */
export function useInvitations(organization: string, { enabled }: Wanted = { enabled: true }) {
  return useQuery({
    queryKey: ['organization', organization, 'invitations'],
    queryFn: async () =>
      (await look<readonly Invitation[]>(pathFor('list-invitations', organization))).filter(
        ({ status }) => status === 'pending',
      ),
    enabled,
  })
}

const pathFor = (list: string, organization: string) =>
  `/organization/${list}?${new URLSearchParams({ organizationId: organization }).toString()}` as const

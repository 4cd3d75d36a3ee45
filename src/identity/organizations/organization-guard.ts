/**
 * Organizations: what better-auth would disclose or do about them that it should not. An organization of others is one
 * that does not exist, and an invitation is shown only to those who could have made it. Must not read or write: it
 * judges requests and responses.
 */
import type { Role } from '../../../contract/operation.ts'
import { type AuthResponse, jsonResponse } from '../auth-messages.ts'
import type { Membership } from '../types.ts'
import { roleOf } from './roles.ts'

export interface OrganizationRequest {
  /** Below `/api/auth`. */
  readonly path: string
  /** After the `?`. */
  readonly query: string
  readonly body: Readonly<Record<string, unknown>> | null
}

const start = '/organization/'

/**
 * What changes who is in an organization, or how many there are of what is counted; one at a time, so that the last two
 * owners cannot both go, and many at once get no more than one after the other.
 */
const changesMembers =
  /^\/organization\/(?:create|invite-member|leave|remove-member|update-member-role|accept-invitation)$/

export const isOrganizationPath = ({ path }: Pick<OrganizationRequest, 'path'>): boolean =>
  path.startsWith(start)

export const isMembershipChange = ({ path }: Pick<OrganizationRequest, 'path'>): boolean =>
  changesMembers.test(path)

const notFound = jsonResponse(404, {
  code: 'ORGANIZATION_NOT_FOUND',
  message: 'There is no such organization.',
})

/** The same answer for organizations of others and for ones that do not exist; undefined where all are their own. */
export function organizationNotFound(
  request: OrganizationRequest,
  memberships: readonly Membership[],
): AuthResponse | undefined {
  const query = new URLSearchParams(request.query)
  const named = [...query.getAll('organizationId'), request.body?.organizationId].filter(
    (id) => id !== undefined,
  )
  const isForeign = named.some((id) => !memberships.some(({ organization }) => organization === id))
  // By their name in addresses nobody here looks for organizations.
  const isBySlug = query.has('organizationSlug') || request.body?.organizationSlug !== undefined
  return isForeign || isBySlug ? notFound : undefined
}

/** Roles that may invite, with the roles that they may give. */
const grantableRoles: Readonly<Record<Role, readonly Role[]>> = {
  owner: ['owner', 'admin', 'developer', 'billing'],
  admin: ['admin', 'developer', 'billing'],
  developer: [],
  billing: [],
}

/**
 * The list of an organization's invitations without those that open more than the one who looks may give: what stands
 * in the list is all that a link holds.
 */
export function filterInvitations(
  request: OrganizationRequest,
  memberships: readonly Membership[],
  response: AuthResponse,
): AuthResponse {
  if (request.path !== `${start}list-invitations` || response.status !== 200) return response
  const organization = new URLSearchParams(request.query).get('organizationId')
  const role = memberships.find((membership) => membership.organization === organization)?.role
  const given = role === undefined ? [] : grantableRoles[role]
  const listed: unknown = JSON.parse(Buffer.from(response.body).toString('utf8'))
  const shown = (Array.isArray(listed) ? listed : []).filter((invitation: { role?: unknown }) =>
    given.includes(roleOf(String(invitation.role ?? ''))),
  )
  return { ...response, body: Buffer.from(JSON.stringify(shown)) }
}

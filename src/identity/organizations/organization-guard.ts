/**
 * Restricts what better-auth discloses about organizations: an organization that the person is not a member of answers like
 * one that does not exist, and invitations are shown only to members who could create them. Must not perform I/O.
 */
import type { Role } from '../../../contract/operation.ts'
import { type AuthResponse, jsonResponse } from '../auth-messages.ts'
import type { Membership } from '../types.ts'
import { roleOf } from './roles.ts'

export interface OrganizationRequest {
  /** Below `/api/auth`. */
  readonly path: string
  /** Without the `?`. */
  readonly query: string
  readonly body: Readonly<Record<string, unknown>> | null
}

const start = '/organization/'

/**
 * Paths that change memberships or counted resources. They run serially, so that the last two owners cannot both leave and
 * concurrent requests cannot exceed a limit.
 */
const changesMembers =
  /^\/organization\/(?:create|invite-member|leave|remove-member|update-member-role|accept-invitation)$/

export const isOrganizationPath = ({ path }: Pick<OrganizationRequest, 'path'>): boolean =>
  path.startsWith(start)

export const isMembershipChange = ({ path }: Pick<OrganizationRequest, 'path'>): boolean =>
  changesMembers.test(path)

const notFound = jsonResponse(404, {
  code: 'ORGANIZATION_NOT_FOUND',
  message: 'Organization not found.',
})

/** The same response for foreign and for missing organizations; undefined when the person is a member of all named ones. */
export function organizationNotFound(
  request: OrganizationRequest,
  memberships: readonly Membership[],
): AuthResponse | undefined {
  const query = new URLSearchParams(request.query)
  const named = [...query.getAll('organizationId'), request.body?.organizationId].filter(
    (id) => id !== undefined,
  )
  const isForeign = named.some((id) => !memberships.some(({ organization }) => organization === id))
  // The console never looks up organizations by slug.
  const isBySlug = query.has('organizationSlug') || request.body?.organizationSlug !== undefined
  return isForeign || isBySlug ? notFound : undefined
}

/** For each role, the roles that it may grant by invitation. */
const grantableRoles: Readonly<Record<Role, readonly Role[]>> = {
  owner: ['owner', 'admin', 'developer', 'billing'],
  admin: ['admin', 'developer', 'billing'],
  developer: [],
  billing: [],
}

/**
 * Removes invitations to roles that the reader may not grant from an organization's list: the list contains the ids that
 * accept them.
 */
export function filterInvitations(
  request: OrganizationRequest,
  memberships: readonly Membership[],
  response: AuthResponse,
): AuthResponse {
  if (request.path !== `${start}list-invitations` || response.status !== 200) return response
  const organization = new URLSearchParams(request.query).get('organizationId')
  const role = memberships.find((membership) => membership.organization === organization)?.role
  const grantable = role === undefined ? [] : grantableRoles[role]
  const listed: unknown = JSON.parse(Buffer.from(response.body).toString('utf8'))
  const visible = (Array.isArray(listed) ? listed : []).filter((invitation: { role?: unknown }) =>
    grantable.includes(roleOf(String(invitation.role ?? ''))),
  )
  return { ...response, body: Buffer.from(JSON.stringify(visible)) }
}

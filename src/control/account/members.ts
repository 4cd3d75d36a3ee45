/** `member.list`: who acts for an account, and in which role. */

import { accountOperationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'

export const listMembers = accountOperationHandler(
  'member.list',
  async ({ identity }, _input, { account }) => {
    const [kind, id] = splitOwner(account.owner)
    if (kind === 'organization') {
      const members = await identity.listMembers(id)
      return members.map(({ person, role, sinceMs }) => ({
        person: person.id,
        name: person.name,
        email: person.email,
        role,
        since: isoTime(sinceMs),
      }))
    }
    const person = kind === 'person' ? await identity.findPerson(id) : undefined
    if (person === undefined) return []
    const { name, email, createdMs } = person
    return [{ person: person.id, name, email, role: 'owner' as const, since: isoTime(createdMs) }]
  },
)

function splitOwner(owner: string | null): readonly [kind: string, id: string] {
  const [kind = '', ...rest] = (owner ?? '').split(':')
  return [kind, rest.join(':')]
}

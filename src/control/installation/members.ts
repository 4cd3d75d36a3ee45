/** `members.*`: unknown fields and betas of requests, which the administrator may reject by name. */
import { operationHandler } from '../handle-operation.ts'
import { isoTimeOrNull } from '../iso-time.ts'

export const listUnknownMembers = operationHandler('members.list', async ({ catalog }) =>
  (await catalog.listUnknownMembers()).map(({ format, member, seen, isRejected }) => ({
    format,
    member,
    since: isoTimeOrNull(seen?.sinceMs ?? null),
    account: seen?.account ?? null,
    rejected: isRejected,
  })),
)

export const rejectMember = operationHandler('members.reject', async ({ catalog, changes }, member) => {
  await catalog.setRejected(member, true)
  changes.publishToAll(['models'])
  return member
})

export const allowMember = operationHandler('members.allow', async ({ catalog, changes }, member) => {
  await catalog.setRejected(member, false)
  changes.publishToAll(['models'])
  return member
})

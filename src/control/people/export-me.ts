/** `me.export`: all that is kept of a person, as one JSON file: themselves, their accounts, keys and requests. */
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import { accountOutput } from '../account/output.ts'
import { personOwner } from '../authorize.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import type { ControlParts } from '../parts.ts'
import { receiptOutputs } from '../requests/receipt-output.ts'
import { verb } from '../verb.ts'

const receiptsPerRead = 1_000

export const exportMe = verb('me.export', async (parts, _input, { actor }) => {
  assert(actor.kind === 'person', 'somebody is signed in')
  const account = await parts.ledger.accountByOwner(personOwner(actor.person.id))
  const atMs = parts.clock.wallMs()
  const content = {
    exported: isoTime(atMs),
    person: await parts.identity.exported(actor.person.id),
    account: account === undefined ? null : accountOutput(account),
    keys: account === undefined ? [] : await keysOf(parts, account.id),
    requests: account === undefined ? [] : await requestsOf(parts, account.id),
  }
  const day = isoTime(atMs).slice(0, 10)
  return { name: `tollgate-export-${day}.json`, text: `${JSON.stringify(content, null, 2)}\n` }
})

async function keysOf({ access }: ControlParts, account: bigint) {
  const keys = await access.list(account)
  return keys.map(({ id, name, label, createdMs, expiresMs, revokedMs }) => ({
    id: formatId('key', id),
    name,
    label,
    created: isoTime(createdMs),
    expires: isoTimeOrNull(expiresMs),
    revoked: isoTimeOrNull(revokedMs),
  }))
}

/** The latest ones, as many as the limit allows. */
async function requestsOf(parts: ControlParts, account: bigint) {
  const { ledger, limits } = parts
  const found: Awaited<ReturnType<typeof receiptOutputs>> = []
  let before: bigint | null = null
  while (found.length < limits.exportReceiptsMax) {
    const wanted = Math.min(receiptsPerRead, limits.exportReceiptsMax - found.length)
    const receipts = await ledger.receipts(account, wanted, before)
    found.push(...(await receiptOutputs(parts, receipts)))
    before = receipts.at(-1)?.id ?? null
    if (receipts.length < wanted) break
  }
  return found
}

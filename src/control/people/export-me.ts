/** `me.export`: all that is kept of a person, as one JSON file: themselves, their accounts, keys and requests. */
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import { accountOutput } from '../account/output.ts'
import { personOwner } from '../authorize.ts'
import { operationHandler } from '../handle-operation.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import type { ControlParts } from '../parts.ts'
import { receiptOutputs } from '../requests/receipt-output.ts'

const receiptsPerRead = 250
/** Stands for all accounts of nobody. */
const noAccount = -1n

export const exportMe = operationHandler('me.export', async (parts, _input, { actor }) => {
  assert(actor.kind === 'person', 'somebody is signed in')
  const { id } = actor.person
  const account = await parts.ledger.accountByOwner(personOwner(id))
  return parts.usage.makingFile(account?.id ?? noAccount, async () => {
    const atMs = parts.clock.wallMs()
    const content = {
      exported: isoTime(atMs),
      person: await parts.identity.exportPerson(id),
      account: account === undefined ? null : accountOutput(account),
      keys: account === undefined ? [] : await keysOf(parts, account.id),
    }
    const texts: string[] = []
    if (account !== undefined) for await (const text of requestTexts(parts, account.id)) texts.push(text)
    const name = `tollgate-export-${isoTime(atMs).slice(0, 10)}.json`
    return { name, text: joined(content, texts) }
  })
})

/** The content as JSON, with the requests as its last member, a line for each. */
function joined(content: object, requests: readonly string[]): string {
  const open = JSON.stringify(content, null, 2).replace(/\n\}$/, '')
  return `${open},\n  "requests": [\n${requests.join(',\n')}\n  ]\n}\n`
}

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

/** The latest ones, as many as the limit allows, as lines of JSON in batches, so that other requests are served in between. */
async function* requestTexts(parts: ControlParts, account: bigint): AsyncGenerator<string, void> {
  const { ledger, limits } = parts
  let before: bigint | null = null
  for (let left = limits.exportReceiptsMax; left > 0; ) {
    const wanted = Math.min(receiptsPerRead, left)
    const receipts = await ledger.receipts(account, wanted, before)
    const outputs = await receiptOutputs(parts, receipts)
    if (outputs.length > 0) yield outputs.map((output) => `    ${JSON.stringify(output)}`).join(',\n')
    if (receipts.length < wanted) return
    before = receipts.at(-1)?.id ?? null
    left -= receipts.length
  }
}

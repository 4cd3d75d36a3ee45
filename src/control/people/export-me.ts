/** `me.export`: all data stored about a person, as one JSON file: their profile, accounts, keys and requests. */
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import { accountOutput } from '../account/output.ts'
import type { Actor } from '../actor.ts'
import { personOwner } from '../authorize.ts'
import type { ControlDeps } from '../control-deps.ts'
import { operationHandler } from '../handle-operation.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import { receiptOutputs } from '../requests/receipt-output.ts'

/** Latest receipts in the export of user data. */
const exportReceiptsMax = 20_000

const receiptsPerRead = 250
/** No account has this id. */
const noAccount = -1n

export const exportMe = operationHandler('me.export', async (deps, _input, { actor }) => {
  assert(actor.kind === 'person', 'the actor is signed in')
  const { id } = actor.person
  const account = await deps.ledger.accountByOwner(personOwner(id))
  return deps.usage.makingFile(account?.id ?? noAccount, async () => {
    const atMs = deps.clock.wallMs()
    const content = {
      exported: isoTime(atMs),
      person: await deps.identity.exportPerson(id),
      account: account === undefined ? null : accountOutput(account),
      keys: account === undefined ? [] : await keysOf(deps, account.id),
      providerKeys: account === undefined ? [] : providerKeysOf(deps, account.id),
    }
    const texts: string[] = []
    if (account !== undefined)
      for await (const text of requestTexts(deps, actor, account.id)) texts.push(text)
    const name = `tollgate-export-${isoTime(atMs).slice(0, 10)}.json`
    return { name, text: exportText(content, texts) }
  })
})

/** The content as JSON, with the requests as its last member, a line for each. */
function exportText(content: object, requests: readonly string[]): string {
  const open = JSON.stringify(content, null, 2).replace(/\n\}$/, '')
  return `${open},\n  "requests": [\n${requests.join(',\n')}\n  ]\n}\n`
}

async function keysOf({ access }: ControlDeps, account: bigint) {
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

function providerKeysOf({ providerKeys }: ControlDeps, account: bigint) {
  return providerKeys.list(account).map(({ provider, use, credentialEnd, createdMs, updatedMs }) => ({
    ...{ provider, use, credentialEnd },
    created: isoTime(createdMs),
    updated: isoTime(updatedMs),
  }))
}

/** The latest ones, as many as the limit allows, as lines of JSON in batches, so that other requests are served in between. */
async function* requestTexts(deps: ControlDeps, actor: Actor, account: bigint): AsyncGenerator<string, void> {
  const { ledger } = deps
  let before: bigint | null = null
  for (let left = exportReceiptsMax; left > 0; ) {
    const wanted = Math.min(receiptsPerRead, left)
    const receipts = await ledger.receipts(account, wanted, before)
    const outputs = await receiptOutputs(deps, receipts, actor)
    if (outputs.length > 0) yield outputs.map((output) => `    ${JSON.stringify(output)}`).join(',\n')
    if (receipts.length < wanted) return
    before = receipts.at(-1)?.id ?? null
    left -= receipts.length
  }
}

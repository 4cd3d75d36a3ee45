/** `system.show`: the state of the installation, and what an operator should look at. */
import { formatUsd } from '../../../contract/usd.ts'
import { operationHandler } from '../handle-operation.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import { lastVerified } from '../ledger/last-verified.ts'
import { platformBalances } from './platform-balances.ts'
import { warnings } from './warnings.ts'

export const showSystem = operationHandler('system.show', async (parts) => {
  const { server, identity, payments, ledger } = parts
  const [balances, verified] = await Promise.all([platformBalances(parts), lastVerified(parts.settings)])
  const { checkedMs, contradictions } = server.ledgerCheck()
  return {
    version: server.version,
    node: process.version,
    startedAt: isoTime(server.startedMs),
    address: parts.address,
    database: { kind: 'sqlite', bytes: parts.databaseBytes() },
    running: server.running(),
    draining: server.draining(),
    memoryBytes: server.memoryBytes(),
    eventLoopDelayMs: server.eventLoopDelayMs(),
    mail: identity.summary.mail,
    payments: payments.facts.kind === 'stripe' ? 'stripe' : 'none',
    signup: identity.summary.signup,
    platform: Object.fromEntries(Object.entries(balances).map(([name, amount]) => [name, formatUsd(amount)])),
    accounts: await ledger.accountCount(),
    ledger: {
      checked: isoTimeOrNull(checkedMs),
      contradictions,
      verified: isoTimeOrNull(verified?.atMs ?? null),
    },
    warnings: await warnings(parts),
  }
})

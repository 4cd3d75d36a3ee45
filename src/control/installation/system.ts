/** `system.show`: the state of the installation, and what needs an operator's attention. */
import { formatUsd } from '../../../contract/usd.ts'
import { operationHandler } from '../handle-operation.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import { readLastVerification } from '../ledger/last-verified.ts'
import { platformBalances } from './platform-balances.ts'
import { collectWarnings } from './warnings.ts'

export const showSystem = operationHandler('system.show', async (deps) => {
  const { server, identity, payments, ledger } = deps
  const [balances, verified, running] = await Promise.all([
    platformBalances(deps),
    readLastVerification(deps.settings),
    server.running(),
  ])
  const { checkedMs, contradictions } = server.ledgerReport()
  return {
    version: server.version,
    node: process.version,
    startedAt: isoTime(server.startedMs),
    address: deps.address,
    database: deps.databaseUse(),
    running,
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
    warnings: await collectWarnings(deps),
  }
})

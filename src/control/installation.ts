/** `installation.show`, `system.show` and `configuration.reload`: the installation and its running server. */
import { formatUsd } from '../../contract/usd.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { platformBalances, readLastVerification } from './ledger.ts'
import { isoTime, isoTimeOrNull } from './values.ts'
import { collectWarnings } from './warnings.ts'

export const installationHandlers = {
  'installation.show': async (deps) => {
    const { signup, mail, signInWith, passkeysUnavailable: passkeysOff } = deps.identity.summary
    return {
      name: deps.operator.name,
      version: deps.server.version,
      address: deps.address,
      signup,
      needsSetup: await needsSetup(deps),
      mail,
      signInWith: [...signInWith],
      passkeysOff,
      sandbox: deps.hasSandbox,
      signupCredit: formatUsd(deps.signupNano),
    }
  },

  'system.show': async (deps) => {
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
      platform: Object.fromEntries(
        Object.entries(balances).map(([name, amount]) => [name, formatUsd(amount)]),
      ),
      accounts: await ledger.accountCount(),
      ledger: {
        checked: isoTimeOrNull(checkedMs),
        contradictions,
        verified: isoTimeOrNull(verified?.atMs ?? null),
      },
      warnings: await collectWarnings(deps),
    }
  },

  'configuration.reload': async ({ server }) => {
    const result = await server.reload()
    return result.kind === 'rejected'
      ? { reloaded: false, mistakes: [...result.mistakes], changed: [], restart: [] }
      : { reloaded: true, mistakes: [], changed: [...result.changed], restart: [...result.restart] }
  },
} satisfies Partial<OperationHandlers>

/** The installation has no administrator yet except through the CLI. */
async function needsSetup({ identity }: Pick<ControlDeps, 'identity'>): Promise<boolean> {
  const operators = await identity.listPeople({ state: 'operators', search: null, limit: 1 })
  return operators.length === 0
}

/** `installation.show`, `system.show` and `configuration.reload`: the installation and its running server. */
import { formatUsd } from '../../contract/usd.ts'
import { isMendable } from '../catalog/drafts.ts'
import { belowCost } from '../catalog/offers/below-cost.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { platformBalances, readLastVerification } from './ledger.ts'
import { describeFailure } from './upstream-status.ts'
import { isoTime, isoTimeOrNull } from './values.ts'

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

type WarningCheck = (deps: ControlDeps) => Promise<readonly string[]> | readonly string[]

const namesListedMax = 5
const unmatchedListedMax = 20
const dayMs = 24 * 3_600_000

const checks: readonly WarningCheck[] = [
  async ({ settings }) => {
    const verified = await readLastVerification(settings)
    if (verified === undefined || verified.lines === 0) return []
    return [
      `The ledger verification at ${isoTime(verified.atMs)} found ${verified.lines} contradictions. Run \`tollgate ledger verify\` to list them.`,
    ]
  },
  ({ server }) => {
    const { contradictions } = server.ledgerReport()
    if (contradictions === 0) return []
    return [
      `The background check of the ledger found ${contradictions} contradictions. The log lists them; run \`tollgate ledger verify\` for a full check.`,
    ]
  },
  async ({ payments }) => {
    const unmatched = await payments.unmatched()
    return unmatched
      .slice(0, unmatchedListedMax)
      .map(
        ({ payment, reason }) =>
          `Payment ${payment} ${reason} Refund it at the payment provider, or credit it with the reference ${payment}.`,
      )
  },
  async ({ usage, clock, limits }) => {
    const nowMs = clock.wallMs()
    const { total } = await usage.losses({ fromMs: nowMs - (nowMs % dayMs), toMs: nowMs, limit: 1 })
    if (total < limits.writeOffNanoPerDayWarn) return []
    return [`Today’s write-offs are ${formatUsd(total)} USD. The Write-offs page lists the accounts.`]
  },
  ({ identity, address }) =>
    isPublic(address) && !identity.summary.mail
      ? [
          'Email is not configured (SMTP_URL is not set). New users wait until an administrator approves them on the People page.',
        ]
      : [],
  ({ hasSandbox, address }) =>
    isPublic(address) && hasSandbox
      ? ['The sandbox is enabled on a public address. Its models return test data and charge for it.']
      : [],
  ({ catalog, hasSandbox }) => {
    const usable = catalog.upstreams.filter(({ disabled, problem }) => !disabled && problem === null)
    if (usable.length > (hasSandbox ? 1 : 0)) return []
    return [
      'No upstream has an API key, so only sandbox models, if enabled, can be used. Add one on the page Models and upstreams, or start with OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY set.',
    ]
  },
  ({ catalog, health }) =>
    catalog.upstreams.flatMap(({ name, problem }) => {
      const { lastFailure, failing, failingModel } = health.report(name)
      const words = problem ?? (failing ? describeFailure(lastFailure) : null)
      return words === null
        ? []
        : [
            `Upstream ${name}${problem === null && failingModel !== null ? `, model ${failingModel}` : ''}: ${words}`,
          ]
    }),
  async ({ files, clock, limits }) => {
    const untilMs = clock.wallMs() - limits.fileDeletionWarnMs
    const late = (await files.pendingDeletions()).filter(({ sinceMs }) => sinceMs <= untilMs)
    return late.map(
      ({ upstream, files: count, sinceMs }) =>
        `The upstream ${upstream} still stores files of closed accounts (${count}), the oldest since ${isoTime(sinceMs)}. Deletion is retried; the log has the errors.`,
    )
  },
  ({ catalog, clock }) => {
    const { snapshot } = catalog
    const offers = [...snapshot.models.values()].flatMap((model) =>
      belowCost(snapshot, model, clock.wallMs()).map(
        ({ upstream, upstreamModel }) => `${model.name} (${upstreamModel} at ${upstream})`,
      ),
    )
    if (offers.length === 0) return []
    return [
      `Priced below the cost at an upstream: ${listed([...new Set(offers)])}. Run \`tollgate models\` for the rates, or set prices on the Models page.`,
    ]
  },
  ({ catalog }) => {
    const names = [...catalog.snapshot.unsold]
      .filter(([, reason]) => isMendable(reason))
      .map(([name]) => name)
    if (names.length === 0) return []
    return [
      `Not enabled, because a price, a limit or an upstream is missing: ${listed(names)}. Run \`tollgate models\` for the reasons.`,
    ]
  },
]

function listed(names: readonly string[]): string {
  const shown = names.slice(0, namesListedMax).join(', ')
  return names.length > namesListedMax ? `${shown} and ${names.length - namesListedMax} more` : shown
}

async function collectWarnings(deps: ControlDeps): Promise<string[]> {
  return (await Promise.all(checks.map((check) => check(deps)))).flat()
}

function isPublic(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname !== 'localhost' && hostname !== '[::1]' && !/^127\./.test(hostname)
}

/**
 * The first start of an installation: creates a local account with starting credit, a key and a setup link, and prints them
 * once.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'
import type { Background } from '../base/background.ts'
import { formatId, parseId } from '../base/ids.ts'
import { localAccountSetting } from '../control/authorize.ts'
import type { ControlDeps } from '../control/control-deps.ts'
import { defaultPolicy } from '../control/key-policy.ts'
import { formatSetupLink, makeSetupToken } from '../control/setup.ts'
import type { AccountRow } from '../ledger/types.ts'
import type { Store } from '../store/store.ts'

export type InstallationStart =
  | { readonly kind: 'first'; readonly balance: bigint; readonly key: string; readonly setupLink: string }
  | { readonly kind: 'again' }

const finishedSetting = 'first_start_done'

/**
 * Idempotent: an interrupted start is resumed, and credit is granted once. Until `finishStart`, every start is a first start
 * that replaces the key, which was never shown.
 */
export async function beginInstallation(deps: ControlDeps): Promise<InstallationStart> {
  if (!(await isFirstStart(deps))) return { kind: 'again' }
  const { id: account, posted: balance } = await openLocalAccount(deps)
  await revokeUnannouncedKeys(deps, account)
  const key = await deps.access.create({
    account,
    name: firstKeyName,
    expiresMs: null,
    policy: defaultPolicy('personal'),
  })
  const setupLink = formatSetupLink(deps.address, await makeSetupToken(deps))
  return { kind: 'first', balance, key: key.secret, setupLink }
}

export interface BegunInstallation {
  readonly start: InstallationStart
  /** Lets other servers on the same database begin; to be called once the start is announced, or given up. */
  readonly release: () => Promise<void>
}

interface TurnDeps {
  readonly isFirst: boolean
  readonly lock: Store['lock']
  /** Retries while the database cannot be reached. */
  readonly untilDone: <Result>(step: () => Promise<Result>) => Promise<Result>
  readonly onTrouble: (error: unknown) => void
}

/** Begins under a lock: of servers that start together on a database, only one announces a key. */
export async function beginInTurn(
  deps: ControlDeps,
  { isFirst, lock, untilDone, onTrouble }: TurnDeps,
): Promise<BegunInstallation> {
  const unlock = isFirst ? await untilDone(() => lock('first start')) : null
  let releasing: Promise<void> | undefined
  const release = (): Promise<void> => {
    releasing ??= unlock?.().catch(onTrouble) ?? Promise.resolve()
    return releasing
  }
  try {
    return { start: await untilDone(() => beginInstallation(deps)), release }
  } catch (error) {
    await release()
    throw error
  }
}

/** Records that the key was announced, so that no later start creates one. */
export async function endInstallation({ settings }: Pick<ControlDeps, 'settings'>): Promise<void> {
  await settings.put(finishedSetting, 'yes')
}

interface FinishDeps extends Pick<ControlDeps, 'settings'> {
  readonly background: Pick<Background, 'retry'>
  readonly limits: { readonly settleRetryMs: number; readonly settleRetriesMax: number }
}

/** Retries `endInstallation` until it is durable, then calls `onFinished`. */
export function finishStart({ settings, background, limits }: FinishDeps, onFinished: () => void): void {
  const record = async (): Promise<void> => {
    await endInstallation({ settings })
    onFinished()
  }
  const bounds = { everyMs: limits.settleRetryMs, timesMax: limits.settleRetriesMax }
  background.retry('recording the first start', record, bounds)
}

/** Whether the first-run output has not been shown yet. */
export async function isFirstStart({ settings }: Pick<ControlDeps, 'settings'>): Promise<boolean> {
  return (await settings.get(finishedSetting)) === undefined
}

const firstKeyName = 'First key'

async function revokeUnannouncedKeys({ access }: ControlDeps, account: bigint): Promise<void> {
  for (const { id, name, revokedMs } of await access.list(account)) {
    if (name === firstKeyName && revokedMs === null) await access.revoke(id)
  }
}

async function openLocalAccount(deps: ControlDeps): Promise<AccountRow> {
  const { ledger, settings, nextId, clock, signupNano } = deps
  const name = await settings.claim(localAccountSetting, formatId('acct', nextId()))
  const id = parseId('acct', name)
  if (id === undefined) throw new Error(`the setting ${localAccountSetting} is not an account id`)
  const startingCredit = { entryId: nextId(), amount: signupNano }
  const account = { id, kind: 'personal', email: null, name: 'local', nowMs: clock.wallMs() } as const
  await ledger.createAccount({ ...account, startingCredit })
  const made = await ledger.account(id)
  assert(made !== undefined, 'a created account exists')
  return made
}

/** The public URL, and a model that works without a provider key; null: none. */
export interface ServerEndpoints {
  readonly address: string
  readonly modelToTry: string | null
}

const readyText = ({ address }: ServerEndpoints) => `Tollgate is ready at ${address}\n`

/** The message on the terminal when the server is ready. */
export function startText(start: InstallationStart, endpoints: ServerEndpoints): string {
  const ready = readyText(endpoints)
  if (start.kind === 'again') return `${ready}Console: ${endpoints.address}/console\n`
  return `${ready}
A local account was created with $${formatUsd(start.balance)} in credit. Its API key is shown only once:

  ${start.key}

Try it:

${command(start.key, endpoints)}

Base URLs for clients (every model works with each of them):

  Chat Completions, Responses   ${endpoints.address}/v1
  Messages (Anthropic)          ${endpoints.address}/v1/alt
  Gemini (Google)               ${endpoints.address}

Set up the console as administrator (this link works once):

  ${start.setupLink}
`
}

function command(key: string, { address, modelToTry }: ServerEndpoints): string {
  if (modelToTry === null) return `  curl ${address}/v1/models -H 'Authorization: Bearer ${key}'`
  const body = JSON.stringify({ model: modelToTry, messages: [{ role: 'user', content: 'Hello' }] })
  return `  curl ${address}/v1/chat/completions \\
    -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'`
}

/**
 * The message to print when the server is ready. Without a terminal the key would end up in a log, so it is written to
 * `first-run.txt`, readable by the server's user only, and just the path is printed.
 */
export function startAnnouncement(
  start: InstallationStart,
  endpoints: ServerEndpoints,
  output: { readonly isTerminal: boolean; readonly dataFolder: string },
): string {
  const text = startText(start, endpoints)
  if (output.isTerminal || start.kind === 'again') return text
  const path = join(output.dataFolder, 'first-run.txt')
  writeFileSync(path, text, { mode: 0o600 })
  return `${readyText(endpoints)}The API key and the setup link are in ${path}\n`
}

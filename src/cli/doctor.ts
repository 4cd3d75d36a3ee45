/**
 * `doctor`: checks everything an installation depends on, the credentials by a call to each provider. Opens an existing database as every command does, and creates
 * none. Each check returns one finding.
 */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type OperationOutput, operations } from '../../contract/operations.ts'
import type { Config, ConfigResult } from '../config/config.ts'
import { callServer, findServer } from '../server/admin-socket.ts'
import { type NearMiss, nearMisses } from './near-misses.ts'
import { type OperationOutcome, type OperationTarget, runOperation } from './run-operation.ts'

export interface Finding {
  readonly name: string
  /** `warning`: works, but needs attention. `failed`: does not work. */
  readonly state: 'ok' | 'warning' | 'failed'
  readonly text: string
}

export interface Report {
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** Every environment variable that is read; null: unknown, because the configuration is invalid. Never its value. */
  readonly environment: readonly { readonly variable: string; readonly isSet: boolean | null }[]
}

/** A provider's response to the credential of an upstream. */
export interface CheckedCredential {
  readonly upstream: string
  readonly answer: {
    readonly credential: 'accepted' | 'rejected' | 'untested' | 'unreachable'
    readonly names: readonly string[]
    readonly problem: string | null
    readonly hostMessage: string | null
  }
  /** Where its requests go. */
  readonly paths: readonly OperationOutput<'upstreams.test'>['paths'][number][]
}

interface JudgedCredential {
  readonly upstream: string
  readonly answer: Omit<CheckedCredential['answer'], 'names'> & { readonly models: number }
}

type ListedUpstream = OperationOutput<'upstreams.list'>[number]

export interface DoctorInput {
  readonly config: ConfigResult
  readonly targetOf: (config: Config) => OperationTarget
  readonly program: { readonly nodeRange: string }
  readonly variableNames: readonly string[]
  /** The names of all environment variables that are set, for any program. */
  readonly setVariables: readonly string[]
  readonly testCredentials: (config: Config) => Promise<readonly CheckedCredential[]>
  readonly nowMs: number
}

const databaseName = 'tollgate.db'
const mebibyte = 1024 * 1024
const freeBytesMin = 100 * mebibyte
const freeBytesGood = 1024 * mebibyte
/** No correct clock is earlier than the program's first release. */
const earliestMs = Date.UTC(2026, 0, 1)
const clockSlackMs = 60_000

export async function diagnose(input: DoctorInput): Promise<Report> {
  const general = [
    nodeFinding(process.versions.node, input.program.nodeRange),
    ...nearMisses(input.setVariables, input.variableNames).map(nearMissFinding),
  ]
  const findings =
    input.config.kind === 'mistakes'
      ? [...general, ...input.config.mistakes.map(configMistake), clockFinding(input.nowMs, [])]
      : [
          ...general,
          settingsFinding(input.config.set),
          ...(await installationFindings(input, input.config.config)),
        ]
  return {
    ok: findings.every(({ state }) => state !== 'failed'),
    findings,
    environment: environmentOf(input),
  }
}

export function nearMissFinding({ variable, meant }: NearMiss): Finding {
  return {
    name: 'environment',
    state: 'warning',
    text: `${variable} is set, but nothing reads it; did you mean ${meant}?`,
  }
}

function environmentOf({ config, variableNames }: DoctorInput): Report['environment'] {
  return variableNames.map((variable) => ({
    variable,
    isSet:
      config.kind === 'mistakes'
        ? null
        : [variable, `${variable}_FILE`].some((name) => config.set.includes(name)),
  }))
}

function configMistake(text: string): Finding {
  return { name: 'configuration', state: 'failed', text }
}

/** Names only: values may be secrets. */
export function settingsFinding(set: readonly string[]): Finding {
  const text = set.length === 0 ? 'valid; all settings have their defaults' : `valid; set: ${set.join(', ')}`
  return { name: 'configuration', state: 'ok', text }
}

async function installationFindings(input: DoctorInput, config: Config): Promise<Finding[]> {
  const target = input.targetOf(config)
  const exists = existsSync(config.dataFolder)
  const hasDatabase = config.databaseUrl !== null || existsSync(join(config.dataFolder, databaseName))
  const listed = hasDatabase ? await listedUpstreams(target) : []
  return [
    exists ? folderFinding(config.dataFolder, process.getuid?.()) : missingFolderFinding(config.dataFolder),
    await serverFinding(target),
    credentialsFinding(config, listed.filter(isAdded)),
    ...(await input.testCredentials(config)).flatMap(({ upstream, answer, paths }) => [
      credentialFinding({ upstream, answer: { ...answer, models: answer.names.length } }),
      ...pathFindings(upstream, paths),
    ]),
    ...(hasDatabase ? await databaseFindings(target, listed) : []),
    clockFinding(input.nowMs, exists ? [config.dataFolder, join(config.dataFolder, databaseName)] : []),
    ...(exists ? [diskFinding(config.dataFolder)] : []),
  ]
}

/** `range` is of the form `>=24.15`. */
export function nodeFinding(version: string, range: string): Finding {
  const [major = 0, minor = 0] = numbersOf(version)
  const [majorMin = 0, minorMin = 0] = numbersOf(range)
  const isEnough = major > majorMin || (major === majorMin && minor >= minorMin)
  return { name: 'node', state: isEnough ? 'ok' : 'failed', text: `${version} (requires ${range})` }
}

function numbersOf(version: string): number[] {
  return [...version.matchAll(/\d+/g)].map(([digits]) => Number(digits))
}

function missingFolderFinding(folder: string): Finding {
  return {
    name: 'data folder',
    state: 'ok',
    text: `${folder} does not exist yet; the first start creates it`,
  }
}

/** `user`: the current user ID; undefined where the system has none. */
export function folderFinding(folder: string, user: number | undefined): Finding {
  const name = 'data folder'
  const stats = statSync(folder)
  if (!stats.isDirectory()) return { name, state: 'failed', text: `${folder} is not a directory` }
  if (!isWritable(folder)) return { name, state: 'failed', text: `${folder} is not writable by this user` }
  if (user !== undefined && stats.uid !== user) {
    return {
      name,
      state: 'warning',
      text: `${folder} is owned by another user, who may be unable to open files created by this one`,
    }
  }
  // Windows has no such mode bits and always reports the folder as open to all.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    return { name, state: 'warning', text: `${folder} is accessible to other users; run chmod 700 ${folder}` }
  }
  return { name, state: 'ok', text: folder }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function serverFinding(target: OperationTarget): Promise<Finding> {
  const name = 'server'
  const found = findServer(target.dataFolder)
  if (found.kind === 'none') return { name, state: 'warning', text: notRunningHere(target.dataFolder) }
  if (found.kind === 'unsafe') return { name, state: 'failed', text: found.why }
  const { server } = found
  const call = await callServer(server, 'account.list', { limit: 1 }, target.limits)
  switch (call.kind) {
    case 'answered':
      return { name, state: 'ok', text: `process ${server.pid} at ${server.address}` }
    case 'gone':
      return { name, state: 'warning', text: `not running; process ${server.pid} exited without cleaning up` }
    case 'lost':
      return { name, state: 'failed', text: `process ${server.pid} does not respond: ${call.why}` }
  }
}

/** A server with another folder looks the same from here. */
function notRunningHere(folder: string): string {
  return `not running with the data folder ${folder}; if yours uses another one, set TOLLGATE_DATA`
}

function asText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** `added`: the upstreams that were added in the console or by the command line. */
export function credentialsFinding(
  { upstreams, sandbox }: Pick<Config, 'upstreams' | 'sandbox'>,
  added: readonly { readonly name: string; readonly provider: string }[],
): Finding {
  const name = 'upstreams'
  const all = [...upstreams, ...added]
  if (all.length > 0) {
    return { name, state: 'ok', text: all.map((row) => `${row.name} (${row.provider})`).join(', ') }
  }
  const hint = 'set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY'
  return sandbox === 'on'
    ? { name, state: 'warning', text: `no provider key is set, so only the sandbox models work; ${hint}` }
    : { name, state: 'failed', text: `no provider key is set and the sandbox is off; ${hint}` }
}

/** Where a provider cannot be reached, the other checks still say something. */
const stateOfTest = {
  accepted: 'ok',
  untested: 'ok',
  unreachable: 'warning',
  rejected: 'failed',
} as const satisfies Readonly<Record<CheckedCredential['answer']['credential'], Finding['state']>>

export function credentialFinding({ upstream, answer }: JudgedCredential): Finding {
  const { credential, models, problem, hostMessage } = answer
  const words = hostMessage === null ? '' : ` It says: ${hostMessage}`
  const text = {
    accepted:
      problem === null
        ? `accepted by the provider, which lists ${models === 1 ? '1 model' : `${models} models`}`
        : 'accepted by the provider, which has no model list',
    untested: `not tested. ${problem ?? 'The provider lists its models without checking the key.'}${words}`,
    unreachable: problem ?? 'The provider cannot be reached.',
    rejected: `${problem ?? 'The provider rejects it.'}${words}`,
  }[credential]
  return { name: `key of ${upstream}`, state: stateOfTest[credential], text }
}

/** Findings about upstreams whose requests fail, even if their keys are accepted. */
function failingFindings(listed: readonly Pick<ListedUpstream, 'name' | 'health'>[]): Finding[] {
  return listed
    .filter(({ health }) => health.failing)
    .map(({ name, health }) => ({
      name: `requests to ${name}${health.failingModel === null ? '' : ` for ${health.failingModel}`}`,
      state: 'failed',
      text: health.lastError ?? 'the last request failed',
    }))
}

/** Requests in a format whose path is missing fail, although the key is accepted. */
export function pathFindings(upstream: string, paths: CheckedCredential['paths']): Finding[] {
  const missing = paths.filter(({ state }) => state === 'missing')
  if (missing.length === 0) return []
  const named = missing.map(({ url, status }) => `POST ${url} returns HTTP ${status ?? ''}`).join('; ')
  const text = `${named}. Save the upstream again in the console, or set its formats in tollgate.yaml`
  return [
    { name: `paths of ${upstream}`, state: missing.length === paths.length ? 'failed' : 'warning', text },
  ]
}

async function databaseFindings(
  target: OperationTarget,
  listed: readonly ListedUpstream[],
): Promise<Finding[]> {
  const name = 'database'
  const outcome = await runOperation(target, 'models.list', {}).catch(asText)
  if (typeof outcome === 'string') return [{ name, state: 'failed', text: outcome }]
  if (outcome.kind !== 'replied') return [{ name, state: 'failed', text: outcome.message }]
  const text = outcome.by === 'server' ? 'opened by the server' : 'can be opened'
  const enabled = enabledModels(outcome)
  return [
    { name, state: 'ok', text },
    ...(await servedFindings(target, listed, enabled)),
    modelsFinding(outcome),
    ...costFindings(outcome),
  ]
}

/** Empty where the database cannot be read, which is a finding of its own. */
async function listedUpstreams(target: OperationTarget): Promise<readonly ListedUpstream[]> {
  const outcome = await runOperation(target, 'upstreams.list', {}).catch(asText)
  if (typeof outcome === 'string' || outcome.kind !== 'replied') return []
  return operations['upstreams.list'].output.safeParse(outcome.reply.body).data ?? []
}

const isAdded = ({ from, disabled }: ListedUpstream): boolean => from === 'console' && !disabled

/** An upstream without models never receives requests; those that were added are tested like those of the configuration. */
async function servedFindings(
  target: OperationTarget,
  listed: readonly ListedUpstream[],
  enabled: ReadonlySet<string>,
): Promise<Finding[]> {
  const findings = [...servedFinding(listed, enabled), ...failingFindings(listed)]
  for (const { name } of listed.filter(isAdded)) findings.push(...(await addedFindings(target, name)))
  return findings
}

/** Only the server's secret opens the credential of an upstream that was added. */
async function addedFindings(target: OperationTarget, upstream: string): Promise<Finding[]> {
  const outcome = await runOperation(target, 'upstreams.test', { upstream }).catch(asText)
  const name = `key of ${upstream}`
  if (typeof outcome === 'string') return [{ name, state: 'failed', text: outcome }]
  if (outcome.kind !== 'replied') return [{ name, state: 'failed', text: outcome.message }]
  const tested = operations['upstreams.test'].output.safeParse(outcome.reply.body)
  if (!tested.success)
    return [{ name, state: 'failed', text: 'its API key cannot be decrypted; enter it again' }]
  const { state: credential, models, problem, hostMessage, paths } = tested.data
  return [
    credentialFinding({ upstream, answer: { credential, models, problem, hostMessage } }),
    ...pathFindings(upstream, paths),
  ]
}

/** Counts enabled models, as the finding about models does; nothing where there are no upstreams. */
export function servedFinding(
  upstreams: readonly {
    readonly name: string
    readonly disabled: boolean
    readonly serves: readonly string[]
  }[],
  models: ReadonlySet<string>,
): Finding[] {
  const name = 'served models'
  const enabled = upstreams.filter(({ disabled }) => !disabled)
  const idle = enabled.filter(({ serves }) => serves.length === 0).map((upstream) => upstream.name)
  if (idle.length > 0) {
    const text = `no models are served by ${idle.join(', ')}; add models to it, or name it in a model`
    return [{ name, state: 'warning', text }]
  }
  if (enabled.length === 0) return []
  const counts = enabled.map(
    (upstream) => `${upstream.name} ${upstream.serves.filter((model) => models.has(model)).length}`,
  )
  return [{ name, state: 'ok', text: counts.join(', ') }]
}

function enabledModels({ reply }: Extract<OperationOutcome, { kind: 'replied' }>): ReadonlySet<string> {
  const models = operations['models.list'].output.safeParse(reply.body).data ?? []
  return new Set(models.filter(({ sold }) => sold).map(({ model }) => model))
}

function modelsFinding({ reply }: Extract<OperationOutcome, { kind: 'replied' }>): Finding {
  const name = 'models'
  const models = operations['models.list'].output.safeParse(reply.body)
  if (!models.success) return { name, state: 'failed', text: 'the list of models is unreadable' }
  const sold = models.data.filter((row) => row.sold).length
  const text = `${sold} enabled, ${models.data.length - sold} not enabled (tollgate models shows the reasons)`
  return { name, state: sold > 0 ? 'ok' : 'failed', text }
}

/** A price below what an upstream charges is a loss on each request. */
function costFindings({ reply }: Extract<OperationOutcome, { kind: 'replied' }>): Finding[] {
  const models = operations['models.list'].output.safeParse(reply.body)
  const below = models.data?.filter(({ details }) => (details?.belowCost.length ?? 0) > 0) ?? []
  if (below.length === 0) return []
  const names = below.map(({ model }) => model)
  const text = `below the cost at an upstream: ${names.join(', ')} (tollgate models shows the rates)`
  return [{ name: 'prices', state: 'warning', text }]
}

/** A clock behind the files it has written gives wrong rate limits, expirations and prices. */
export function clockFinding(nowMs: number, written: readonly string[]): Finding {
  const name = 'clock'
  const now = new Date(nowMs).toISOString()
  if (nowMs < earliestMs)
    return { name, state: 'failed', text: `${now} is before this program was released; set the system clock` }
  const later = written.find((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats !== undefined && stats.mtimeMs > nowMs + clockSlackMs
  })
  if (later !== undefined)
    return {
      name,
      state: 'failed',
      text: `${now} is before the last change of ${later}; set the system clock`,
    }
  return { name, state: 'ok', text: now }
}

function diskFinding(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder)
  return freeFinding(bavail * bsize)
}

export function freeFinding(freeBytes: number): Finding {
  const text = `${Math.floor(freeBytes / mebibyte)} MiB free`
  const state = freeBytes < freeBytesMin ? 'failed' : freeBytes < freeBytesGood ? 'warning' : 'ok'
  return { name: 'disk', state, text }
}

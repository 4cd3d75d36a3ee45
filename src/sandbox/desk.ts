/**
 * Decides what a received request is answered with: reads it, finds the behaviour, charges the input, and
 * returns acts. It remembers what lies between requests (cached prompts, turns of a behaviour) and sends nothing.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { type Act, finish, head, type InputUsage } from './act.ts'
import { type Ask, isObject, type JsonObject } from './ask.ts'
import { type Behaviour, findModel } from './behaviours.ts'
import { nestsDeeper } from './depth.ts'
import type { SandboxDialect } from './dialect.ts'
import { keptAnswers } from './kept-answers.ts'
import { readSettings, type Settings, settingsInMessage } from './parameters.ts'
import type { Problem } from './problem.ts'
import { promptCache } from './prompt-cache.ts'
import type { Address } from './routes.ts'

export interface Desk {
  /** The answer to a whole body at one of our addresses. */
  answer(address: Address, body: Buffer, visit: Visit): Iterable<Act>
  /** A refusal in the words of the dialect. */
  refuse(dialect: SandboxDialect, problem: Problem, visit: Visit): Iterable<Act>
  /** 22 letters and digits that no other request of this sandbox has. */
  nextUnique(): string
}

/** One request, and where to tell which model it turned out to ask for. */
export interface Visit {
  readonly requestId: string
  readonly unique: string
  readonly understood: (model: string) => void
}

export interface DeskOptions {
  readonly clock: Clock
  /** Tells the ids of this sandbox from those of any other. */
  readonly seed: string
  readonly cachedPrefixesMax: number
  /** JSON of answers that later requests can refer to. */
  readonly keptAnswerBytesMax: number
  /** How deep the JSON of a body may nest. */
  readonly jsonDepthMax: number
}

interface Refusal {
  readonly kind: 'problem'
  readonly problem: Problem
}

/** What the model's name and the last message ask for. */
type Choice =
  | { readonly kind: 'choice'; readonly behaviour: Behaviour; readonly settings: Settings }
  | Refusal

type Decision = { readonly kind: 'acts'; readonly acts: Iterable<Act> } | Refusal

function invalid(subject: string): Refusal {
  return { kind: 'problem', problem: { trouble: 'invalid', subject, param: null } }
}

function choiceOf(ask: Ask): Choice {
  const named = findModel(ask.model)
  if (named === undefined) {
    return { kind: 'problem', problem: { trouble: 'unknown_model', subject: ask.model, param: null } }
  }
  const { behaviour, given } = named
  // What has one format only is as strict as its provider; what has all takes what travels through a gateway.
  if (behaviour.dialects !== undefined && ask.odd !== null) return { kind: 'problem', problem: ask.odd }
  const said = settingsInMessage(ask.lastText, behaviour.parameters)
  const reading = readSettings(new Map([...said, ...given]), behaviour.defaults)
  if (reading.kind === 'invalid') return invalid(reading.message)
  return { kind: 'choice', behaviour, settings: reading.settings }
}

function parsed(body: Buffer, depthMax: number): JsonObject | undefined {
  // What walks the value recurses, so a body that nests without end must not come to it.
  if (nestsDeeper(body, depthMax)) return undefined
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function* stamped(acts: Iterable<Act>, headers: Readonly<Record<string, string>>): Generator<Act> {
  for (const act of acts)
    yield act.kind === 'head' ? { ...act, headers: { ...headers, ...act.headers } } : act
}

function* refusalActs(dialect: SandboxDialect, problem: Problem, requestId: string): Generator<Act> {
  const failure = dialect.failure(problem, requestId)
  yield head(failure.status, failure.headers)
  yield finish(failure.body)
}

function* countActs(ask: Ask, counted: (tokens: number) => JsonObject): Generator<Act> {
  const tokens = ask.segments.reduce((sum, segment) => sum + segment.tokens, 0)
  yield head(200, { 'content-type': 'application/json' })
  yield finish(JSON.stringify(counted(tokens)))
}

export function openDesk(options: DeskOptions): Desk {
  const { clock, seed, cachedPrefixesMax, jsonDepthMax } = options
  const cache = promptCache(clock, cachedPrefixesMax)
  const kept = keptAnswers(options.keptAnswerBytesMax)
  // One entry per row of the table of behaviours.
  const visits = new Map<string, number>()
  let sequence = 0

  function refuse(dialect: SandboxDialect, problem: Problem, { requestId }: Visit): Iterable<Act> {
    return stamped(refusalActs(dialect, problem, requestId), dialect.headers(requestId))
  }

  function played(dialect: SandboxDialect, ask: Ask, { requestId, unique }: Visit): Decision {
    const choice = choiceOf(ask)
    if (choice.kind === 'problem') return choice
    const { behaviour, settings } = choice
    const earlier = visits.get(behaviour.name) ?? 0
    visits.set(behaviour.name, earlier + 1)
    const stamp = { requestId, unique, createdSeconds: Math.floor(clock.wallMs() / 1_000) }
    const charge = (): InputUsage => cache.charge(ask.model, ask.segments)
    return { kind: 'acts', acts: behaviour.play({ ask, settings, dialect, stamp, earlier, charge }) }
  }

  /** The dialect that keeps what it answers to this body, where it keeps anything. */
  function keeping(dialect: SandboxDialect, body: JsonObject): SandboxDialect {
    if (dialect.name !== 'openai-responses') return dialect
    return {
      ...dialect,
      answer(turn) {
        kept.keep(body, turn)
        return dialect.answer(turn)
      },
    }
  }

  function decided({ dialect, counted, read }: Address, body: Buffer, visit: Visit): Decision {
    const sent = parsed(body, jsonDepthMax)
    const value = sent !== undefined && dialect.name === 'openai-responses' ? kept.resolved(sent) : sent
    if (value === undefined) return invalid('The body of the request must be one valid JSON object.')
    const reading = read(value)
    if (reading.kind === 'problem') return reading
    visit.understood(reading.ask.model)
    if (counted === null) return played(keeping(dialect, value), reading.ask, visit)
    const choice = choiceOf(reading.ask)
    return choice.kind === 'problem' ? choice : { kind: 'acts', acts: countActs(reading.ask, counted) }
  }

  return {
    refuse,
    answer(address, body, visit) {
      const { dialect } = address
      const decision = decided(address, body, visit)
      if (decision.kind === 'problem') return refuse(dialect, decision.problem, visit)
      return stamped(decision.acts, dialect.headers(visit.requestId))
    },
    nextUnique() {
      sequence += 1
      const hash = createHash('sha256').update(`${seed}:${sequence}`).digest('base64')
      return hash.replace(/[^A-Za-z0-9]/g, '0').slice(0, 22)
    },
  }
}

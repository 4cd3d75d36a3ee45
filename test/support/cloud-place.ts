/**
 * A gateway with one cloud whose credential tokens or signatures are made from, and a cloud that issues tokens and knows them.
 * The wall clock of the gateway can be moved, and its log can be read.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import {
  type CloudFacts,
  type CloudImitation,
  type CloudRejection,
  type CloudRequest,
  imitateCloud,
} from './cloud-imitation.ts'
import { type TestAccount, type TestGateway, testGateway } from './gateway.ts'

const project = '/v1/projects/p-1/locations/global'
const gemini = `${project}/publishers/google/models/gemini-3.5-flash:generateContent`
export const problem = (status: number): CloudRejection => ({
  status,
  body: { error: { message: 'no, account 7' } },
})
export const rejections = {
  credential: problem(401),
  rate: problem(429),
  overload: problem(503),
  missing: problem(404),
}

/** A cloud that knows the tokens it issued. */
export class TokenCloud {
  /** How long the next tokens live. */
  lifeSeconds = 3_600
  /** The response in place of a token. */
  failure: CloudRejection | null = null
  /** Delays token responses until it resolves. */
  ready: Promise<unknown> = Promise.resolve()
  /** Finds the mistake in a token request; '' if none. */
  readonly #mistake: (request: CloudRequest) => string
  #valid = new Set<string>()
  #count = 0

  constructor(mistake: (request: CloudRequest) => string) {
    this.#mistake = mistake
  }

  /** The tokens that were issued are rejected from now on. */
  revoke(): void {
    this.#valid.clear()
  }

  get facts(): CloudFacts {
    return {
      route(url) {
        if (url === '/openai/v1/chat/completions') return { format: 'chat' }
        return url === gemini ? { format: 'gemini' } : null
      },
      mistake: ({ headers }) => {
        if (headers['api-key'] !== undefined || headers['x-goog-api-key'] !== undefined) return 'a key'
        return this.#valid.has(headers.authorization ?? '') ? '' : 'token'
      },
      rejections,
      issue: (request) => {
        const mistake = this.#mistake(request)
        if (mistake !== '')
          return { status: 400, body: { error: 'invalid_client', error_description: mistake } }
        if (this.failure !== null) return this.failure
        this.#count += 1
        const token = `token-${this.#count}`
        this.#valid.add(`Bearer ${token}`)
        const answer = {
          status: 200,
          body: { token_type: 'Bearer', access_token: token, expires_in: this.lifeSeconds },
        }
        return this.ready.then(() => answer)
      },
    }
  }
}

export interface Place {
  readonly tollgate: TestGateway
  readonly account: TestAccount
  readonly cloud: CloudImitation
  readonly log: readonly string[]
  /** Moves the wall clock. */
  shift(ms: number): void
}

interface Placing {
  readonly provider: 'azure' | 'bedrock' | 'vertex'
  readonly credential: Readonly<Record<string, string>>
  readonly facts: CloudFacts
  /** Another upstream for the same models, with a key that it accepts. */
  readonly spare?: string
}

interface CloudPlaces {
  /** Files that credentials name. */
  readonly folder: string
  /** The path of a new file there. */
  written(name: string, text: string): string
  /** A gateway and its cloud. */
  place(placing: Placing): Promise<Place>
  /** An imitation besides. */
  imitate(facts: CloudFacts): Promise<CloudImitation>
}

/** Closes everything after the tests of the file that calls it. */
export function cloudPlaces(): CloudPlaces {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-clouds-'))
  const ends: (() => Promise<void>)[] = []
  after(async () => {
    for (const end of ends.reverse()) await end()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    written(name, text) {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
    place: (placing) => openPlace(placing, ends),
    async imitate(facts) {
      const imitation = await imitateCloud(facts)
      ends.push(imitation.close)
      return imitation
    },
  }
}

async function openPlace(
  { provider, credential, facts, spare }: Placing,
  ends: (() => Promise<void>)[],
): Promise<Place> {
  const cloud = await imitateCloud(facts)
  let shiftedMs = 0
  const log: string[] = []
  const upstream = (name: string, origin: string, text: string) => ({
    name,
    provider,
    url: provider === 'vertex' ? `${origin}${project}` : origin,
    credential: text,
    weight: 1,
    models: 'all' as const,
  })
  const tollgate = await testGateway({
    clock: { ...systemClock, wallMs: () => systemClock.wallMs() + shiftedMs },
    log: createLog({ level: 'debug', destination: { write: (line: string) => void log.push(line) } }),
    upstreams: [
      upstream('first', cloud.origin, JSON.stringify(credential)),
      ...(spare === undefined ? [] : [upstream('spare', spare, 'spare-key')]),
    ],
    limits: { cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
  })
  const end = async () => {
    await tollgate.close()
    await cloud.close()
  }
  ends.push(end)
  const shift = (ms: number) => {
    shiftedMs += ms
  }
  return { tollgate, account: await tollgate.account('1000'), cloud, log, shift }
}

const models = {
  azure: 'azure/gpt-4o',
  bedrock: 'bedrock/openai.gpt-oss-120b',
  vertex: 'vertex/gemini-3.5-flash',
}

export async function ask(
  { tollgate, account }: Place,
  provider: Placing['provider'],
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(`${tollgate.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: models[provider], messages: [{ role: 'user', content: 'say text' }] }),
    signal,
  })
}

export async function answered(there: Place, provider: Placing['provider']): Promise<void> {
  const answer = await ask(there, provider)
  const text = await answer.text()
  assert.equal(answer.status, 200, `${text} ${JSON.stringify(there.cloud.requests.at(-1)?.rejected)}`)
  assert.match(text, /hello/)
}

/** The fields of a form. */
export const form = ({ text }: CloudRequest) => Object.fromEntries(new URLSearchParams(text))

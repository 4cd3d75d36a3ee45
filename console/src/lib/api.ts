/**
 * The API client: every operation of the contract by its name, typed by the contract, whose schemas stay out of the
 * bundle. Failures are `ApiError`s; asks the person to sign in or to confirm their identity where the server requires
 * it. Knows nothing of React.
 */
// Made from the contract by `console/vite.config.ts`.
import { operations } from 'virtual:operations'
import type {
  ControlErrorBody,
  OperationName,
  OperationOutput,
  OperationRawInput,
} from '../../../contract/operations.ts'
import { whenThere } from './connection.ts'
import { replacing, withSession } from './session-exchange.ts'

export type {
  OperationName,
  OperationOutput,
  OperationRawInput as OperationAsk,
} from '../../../contract/operations.ts'

type Facts = NonNullable<ControlErrorBody['error']['facts']>

/** A failed request. `code` is from the error table; `status` is 0 where the server did not answer. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The invalid field. */
  readonly param: string | undefined
  readonly facts: Facts
  readonly requestId: string | undefined

  constructor(status: number, error: Partial<ControlErrorBody['error']>) {
    super(error.message ?? 'The server sent an invalid response.')
    this.name = 'ApiError'
    this.status = status
    this.code = error.code ?? 'internal'
    this.param = error.param
    this.facts = error.facts ?? {}
    this.requestId = error.requestId
  }
}

/** Callbacks for when the server requires the person; set once by the app. */
export interface Attendant {
  /** The session has ended. */
  signIn(): void
  /** Whether the person confirmed their identity. */
  confirm(): Promise<boolean>
}
let attendant: Attendant = { signIn: () => undefined, confirm: () => Promise.resolve(false) }

export function setAttendant(next: Attendant): void {
  attendant = next
}

/** Asks the person to confirm their identity. */
export function confirmItsYou(): Promise<boolean> {
  return attendant.confirm()
}

/** The input of an operation; optional where it has no required fields. */
export type Asking<Name extends OperationName> =
  Record<never, never> extends OperationRawInput<Name>
    ? [input?: OperationRawInput<Name>]
    : [input: OperationRawInput<Name>]

/** Runs an operation. Rejects with an `ApiError` only. */
export async function call<Name extends OperationName>(
  name: Name,
  ...[input]: Asking<Name>
): Promise<OperationOutput<Name>> {
  const outcome = await attempt(name, input)
  if (!(outcome instanceof ApiError)) return outcome
  if (outcome.code === 'login_too_old' && (await attendant.confirm())) {
    const again = await attempt(name, input)
    if (!(again instanceof ApiError)) return again
    throw again
  }
  if (outcome.code === 'not_signed_in') attendant.signIn()
  throw outcome
}

/** The URL of a reading operation, for links and downloads. */
export function addressOf<Name extends OperationName>(name: Name, ...[input]: Asking<Name>): string {
  return place(name, input).address
}

interface Place {
  readonly method: string
  readonly address: string
  readonly body: string | undefined
  readonly produces: 'json' | 'csv' | 'file'
}

function place(name: OperationName, input: object | undefined): Place {
  const row = operations[name]
  if (row === undefined) throw new Error(`${name} has no HTTP route`)
  const [method, path, produces] = row
  const rest: Record<string, unknown> = { ...input }
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const value = rest[field]
    delete rest[field]
    return encodeURIComponent(String(value))
  })
  if (method !== 'GET') return { method, address: filled, body: JSON.stringify(rest), produces }
  const query = new URLSearchParams(
    Object.entries(rest).flatMap(([field, value]) => (value == null ? [] : [[field, String(value)]])),
  ).toString()
  return { method, address: query === '' ? filled : `${filled}?${query}`, body: undefined, produces }
}

async function attempt<Name extends OperationName>(
  name: Name,
  input: object | undefined,
): Promise<OperationOutput<Name> | ApiError> {
  const { method, address, body, produces } = place(name, input)
  const answer = await send(method, address, body)
  if (answer instanceof ApiError) return answer
  if (!answer.ok) return asError(answer)
  try {
    const output = produces === 'json' ? await answer.json() : await fileOf(answer)
    return output as OperationOutput<Name>
  } catch {
    // Truncated, or not from this server.
    return new ApiError(0, { code: 'unreachable' })
  }
}

/** Sends a request to our own origin; a network failure is an `ApiError` of status 0. */
export function send(
  method: string,
  address: string,
  body: string | undefined,
): Promise<Response | ApiError> {
  const exchange = (): Promise<Response | ApiError> => exchanged(method, address, body)
  // A wrong guess is rejected too, and must not be repeated.
  if (method !== 'GET' && changesSession(address)) return replacing(exchange)
  return withSession(exchange, ({ status }) => status === 401)
}

/** Sign-in and all around it, and the deletion of the person. */
const changesSession = (address: string): boolean => address.startsWith('/api/auth/') || address === '/api/me'

async function exchanged(
  method: string,
  address: string,
  body: string | undefined,
): Promise<Response | ApiError> {
  try {
    return await fetch(address, {
      method,
      headers: {
        accept: 'application/json, text/csv',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      credentials: 'same-origin',
      redirect: 'error',
    })
  } catch {
    void whenThere()
    return new ApiError(0, {
      code: 'unreachable',
      message: "The server can't be reached. Check that it's running, then try again.",
    })
  }
}

async function asError(answer: Response): Promise<ApiError> {
  const body = (await answer.json().catch(() => undefined)) as Partial<ControlErrorBody> | undefined
  return new ApiError(answer.status, body?.error ?? {})
}

async function fileOf(answer: Response): Promise<{ name: string; text: string }> {
  const disposition = answer.headers.get('content-disposition') ?? ''
  const name = /filename="?([^";]+)/.exec(disposition)?.[1] ?? 'download'
  return { name, text: await answer.text() }
}

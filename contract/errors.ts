/**
 * THE error table: every error that the product can answer with, one row each, and a page
 * `docs/errors/<code>.md` beside it. Pure data: server, console and docs read it.
 */

/** What kind of trouble it is, in terms that every wire format has a word for. */
export type ErrorCategory =
  | 'invalid_request'
  | 'context_too_long'
  | 'authentication'
  | 'billing'
  | 'permission'
  | 'not_found'
  | 'timeout'
  | 'too_large'
  | 'rate_limit'
  | 'server'
  | 'overloaded'

export interface ErrorSpec {
  readonly status: number
  readonly category: ErrorCategory
  /** Who has to change something. */
  readonly fault: 'caller' | 'upstream' | 'gateway'
  /** `never`: the same request fails again. `later`: wait, then repeat. */
  readonly retry: 'never' | 'later'
  readonly title: string
}

type ErrorRow = readonly [
  status: number,
  category: ErrorCategory,
  fault: ErrorSpec['fault'],
  retry: ErrorSpec['retry'],
  title: string,
]

const rows = {
  // Who is calling
  missing_api_key: [401, 'authentication', 'caller', 'never', 'No API key was sent'],
  invalid_api_key: [401, 'authentication', 'caller', 'never', 'The API key is not valid'],
  revoked_api_key: [401, 'authentication', 'caller', 'never', 'The API key was revoked'],
  expired_api_key: [401, 'authentication', 'caller', 'never', 'The API key has expired'],
  provider_api_key: [401, 'authentication', 'caller', 'never', "This is a provider's own key"],
  repeated_credential: [400, 'invalid_request', 'caller', 'never', 'A credential header was repeated'],
  account_suspended: [403, 'permission', 'caller', 'never', 'The account is suspended'],
  key_disabled: [403, 'permission', 'caller', 'never', 'The API key is disabled'],
  model_not_allowed: [403, 'permission', 'caller', 'never', 'The API key may not use this model'],
  account_restricted: [
    403,
    'permission',
    'caller',
    'never',
    'The account may not use this feature at present',
  ],

  // What is asked
  unknown_path: [404, 'not_found', 'caller', 'never', 'There is nothing at this address'],
  model_not_found: [404, 'not_found', 'caller', 'never', 'The model is not an enabled name'],
  generation_not_found: [404, 'not_found', 'caller', 'never', 'No such request is known'],
  file_not_found: [404, 'not_found', 'caller', 'never', 'No such file is known'],
  file_limit_reached: [
    400,
    'invalid_request',
    'caller',
    'never',
    'The account keeps as many files as it may',
  ],
  response_not_found: [404, 'not_found', 'caller', 'never', 'No such response is known'],
  method_not_allowed: [405, 'invalid_request', 'caller', 'never', 'The address does not take this method'],
  upgrade_required: [426, 'invalid_request', 'caller', 'never', 'This address does not speak WebSocket'],
  unsupported_media_type: [415, 'invalid_request', 'caller', 'never', 'The body is not JSON'],
  expectation_failed: [417, 'invalid_request', 'caller', 'never', 'The Expect header is not understood'],
  malformed_http: [400, 'invalid_request', 'caller', 'never', 'The HTTP request is malformed'],
  headers_too_large: [431, 'too_large', 'caller', 'never', 'The request headers are too large'],
  request_timeout: [408, 'timeout', 'caller', 'later', 'The request did not arrive in time'],
  body_too_large: [413, 'too_large', 'caller', 'never', 'The request body is too large'],
  invalid_json: [400, 'invalid_request', 'caller', 'never', 'The body is not valid JSON'],
  missing_field: [400, 'invalid_request', 'caller', 'never', 'A required field is missing'],
  invalid_value: [400, 'invalid_request', 'caller', 'never', 'A field has a value that is not allowed'],
  ambiguous_field: [400, 'invalid_request', 'caller', 'never', 'A field that sets the price is ambiguous'],
  unpriced_option: [
    400,
    'invalid_request',
    'caller',
    'never',
    'An option changes the price and has none here',
  ],
  reference_not_owned: [
    400,
    'invalid_request',
    'caller',
    'never',
    'State kept upstream cannot be referred to',
  ],
  untranslatable: [
    400,
    'invalid_request',
    'caller',
    'never',
    'A field has nothing like it in the format of the model',
  ],
  context_too_long: [400, 'context_too_long', 'caller', 'never', 'The input is longer than the model takes'],
  not_supported: [501, 'invalid_request', 'gateway', 'never', 'This server does not have this feature'],
  dialect_not_supported: [501, 'invalid_request', 'gateway', 'never', 'The model cannot be asked for this'],

  // What it costs
  insufficient_balance: [402, 'billing', 'caller', 'never', 'The balance is too low'],
  balance_held: [402, 'billing', 'caller', 'later', 'Running requests hold the balance'],
  key_budget_exhausted: [402, 'billing', 'caller', 'never', "The API key's budget is used up"],
  rate_limited: [429, 'rate_limit', 'caller', 'later', 'Too many requests per minute'],
  token_rate_limited: [429, 'rate_limit', 'caller', 'later', 'Too many tokens per minute'],
  concurrency_limited: [429, 'rate_limit', 'caller', 'later', 'Too many requests at once'],
  background_limit_reached: [
    429,
    'rate_limit',
    'caller',
    'later',
    'Too many responses run in the background',
  ],

  // What happened upstream
  upstream_rejected: [400, 'invalid_request', 'caller', 'never', 'The upstream refused the request'],
  upstream_rate_limited: [429, 'rate_limit', 'upstream', 'later', 'The upstream limits its rate'],
  upstream_error: [502, 'server', 'upstream', 'later', 'The upstream failed'],
  upstream_unavailable: [503, 'server', 'upstream', 'later', 'No upstream can take the request now'],
  upstream_overloaded: [503, 'overloaded', 'upstream', 'later', 'The upstream is overloaded'],
  upstream_timeout: [504, 'timeout', 'upstream', 'later', 'The upstream did not answer in time'],
  upstream_truncated: [502, 'server', 'upstream', 'later', 'The upstream ended its answer too early'],
  upstream_invalid: [502, 'server', 'upstream', 'later', 'The upstream sent something that is no answer'],

  // What happened here
  overloaded: [503, 'overloaded', 'gateway', 'later', 'The gateway is at its limit'],
  draining: [503, 'overloaded', 'gateway', 'later', 'The gateway is shutting down'],
  store_unavailable: [503, 'server', 'gateway', 'later', 'The gateway cannot reach its store'],
  settlement_delayed: [503, 'server', 'gateway', 'never', 'The answer could not be settled in time'],
  key_revoked_midway: [
    401,
    'authentication',
    'caller',
    'never',
    'The API key was revoked while the request ran',
  ],
  request_stopped: [403, 'permission', 'caller', 'never', 'The request was stopped by its account'],
  slow_reader: [408, 'timeout', 'caller', 'never', 'The client stopped reading'],
  internal: [500, 'server', 'gateway', 'later', 'Something went wrong inside the gateway'],

  // Control plane
  account_not_found: [404, 'not_found', 'caller', 'never', 'No such account'],
  key_not_found: [404, 'not_found', 'caller', 'never', 'No such API key'],
  top_up_not_found: [404, 'not_found', 'caller', 'never', 'No such top-up'],
  invoice_not_found: [404, 'not_found', 'caller', 'never', 'No such invoice'],
  person_not_found: [404, 'not_found', 'caller', 'never', 'No such person'],
  upstream_not_found: [404, 'not_found', 'caller', 'never', 'No such upstream'],
  code_not_valid: [404, 'not_found', 'caller', 'never', 'The code gives no credit'],
  setup_link_not_valid: [404, 'not_found', 'caller', 'never', 'The setup link is not valid'],
  not_signed_in: [401, 'authentication', 'caller', 'never', 'Nobody is signed in'],
  login_too_old: [403, 'permission', 'caller', 'never', 'The login is too long ago for this'],
  not_allowed: [403, 'permission', 'caller', 'never', 'This is not allowed to the caller'],
  cross_site: [403, 'permission', 'caller', 'never', 'The request came from another site'],
  sign_up_closed: [403, 'permission', 'caller', 'never', 'Sign-up is not open'],
  too_many_attempts: [429, 'rate_limit', 'caller', 'later', 'Too many attempts'],
  payments_off: [409, 'invalid_request', 'caller', 'never', 'Payments are not set up here'],
  payment_failed: [402, 'billing', 'caller', 'never', 'The payment failed'],
  payment_provider_unavailable: [
    503,
    'server',
    'upstream',
    'later',
    'The payment provider cannot be reached',
  ],
  conflict: [409, 'invalid_request', 'caller', 'never', 'This contradicts what is already there'],
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof rows

export const errors: Readonly<Record<ErrorCode, ErrorSpec>> = Object.fromEntries(
  Object.entries(rows).map(([code, [status, category, fault, retry, title]]) => [
    code,
    { status, category, fault, retry, title },
  ]),
) as Record<ErrorCode, ErrorSpec>

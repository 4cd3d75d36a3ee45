/**
 * The error table: one row for every error that the product returns, each with a page `docs/errors/<code>.md`. Pure data,
 * read by server, console and docs.
 */

/** The kind of error, mapped to each wire format's own error types. */
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
  /** Who has to act. */
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
  // Authentication and permissions
  missing_api_key: [401, 'authentication', 'caller', 'never', 'Missing API key'],
  invalid_api_key: [401, 'authentication', 'caller', 'never', 'Invalid API key'],
  revoked_api_key: [401, 'authentication', 'caller', 'never', 'API key revoked'],
  expired_api_key: [401, 'authentication', 'caller', 'never', 'API key expired'],
  provider_api_key: [401, 'authentication', 'caller', 'never', 'Provider API key sent'],
  repeated_credential: [400, 'invalid_request', 'caller', 'never', 'More than one credential sent'],
  account_suspended: [403, 'permission', 'caller', 'never', 'Account suspended'],
  key_disabled: [403, 'permission', 'caller', 'never', 'API key disabled'],
  model_not_allowed: [403, 'permission', 'caller', 'never', 'Model not allowed for this API key'],
  account_restricted: [403, 'permission', 'caller', 'never', 'Account restricted'],

  // The request
  unknown_path: [404, 'not_found', 'caller', 'never', 'Path not found'],
  model_not_found: [404, 'not_found', 'caller', 'never', 'Model not found'],
  generation_not_found: [404, 'not_found', 'caller', 'never', 'Request not found'],
  file_not_found: [404, 'not_found', 'caller', 'never', 'File not found'],
  file_limit_reached: [400, 'invalid_request', 'caller', 'never', 'File limit reached'],
  response_not_found: [404, 'not_found', 'caller', 'never', 'Response not found'],
  method_not_allowed: [405, 'invalid_request', 'caller', 'never', 'Method not allowed'],
  upgrade_required: [426, 'invalid_request', 'caller', 'never', 'WebSocket not supported on this path'],
  unsupported_media_type: [415, 'invalid_request', 'caller', 'never', 'Unsupported media type'],
  expectation_failed: [417, 'invalid_request', 'caller', 'never', 'Unsupported Expect header'],
  malformed_http: [400, 'invalid_request', 'caller', 'never', 'Malformed HTTP request'],
  headers_too_large: [431, 'too_large', 'caller', 'never', 'Request headers too large'],
  request_timeout: [408, 'timeout', 'caller', 'later', 'Request timeout'],
  body_too_large: [413, 'too_large', 'caller', 'never', 'Request body too large'],
  invalid_json: [400, 'invalid_request', 'caller', 'never', 'Invalid JSON'],
  missing_field: [400, 'invalid_request', 'caller', 'never', 'Missing required field'],
  invalid_value: [400, 'invalid_request', 'caller', 'never', 'Invalid value'],
  ambiguous_field: [400, 'invalid_request', 'caller', 'never', 'Ambiguous field'],
  unpriced_option: [400, 'invalid_request', 'caller', 'never', 'Option without a price'],
  reference_not_owned: [
    400,
    'invalid_request',
    'caller',
    'never',
    'Provider object not owned by this account',
  ],
  untranslatable: [
    400,
    'invalid_request',
    'caller',
    'never',
    "Field not supported by the model's API format",
  ],
  context_too_long: [400, 'context_too_long', 'caller', 'never', 'Context length exceeded'],
  not_supported: [501, 'invalid_request', 'gateway', 'never', 'Not supported'],
  format_not_supported: [501, 'invalid_request', 'gateway', 'never', 'Operation not supported by this model'],

  no_matching_upstream: [404, 'not_found', 'caller', 'never', 'No upstream matches the request'],

  // Balance and rate limits
  insufficient_balance: [402, 'billing', 'caller', 'never', 'Insufficient balance'],
  balance_held: [402, 'billing', 'caller', 'later', 'Balance reserved by running requests'],
  key_budget_exhausted: [402, 'billing', 'caller', 'never', 'API key budget exhausted'],
  rate_limited: [429, 'rate_limit', 'caller', 'later', 'Request rate limit exceeded'],
  token_rate_limited: [429, 'rate_limit', 'caller', 'later', 'Token rate limit exceeded'],
  concurrency_limited: [429, 'rate_limit', 'caller', 'later', 'Concurrency limit exceeded'],
  background_limit_reached: [429, 'rate_limit', 'caller', 'later', 'Background response limit reached'],

  // Upstream
  provider_key_failed: [424, 'permission', 'caller', 'never', 'Provider key failed'],
  upstream_rejected: [400, 'invalid_request', 'caller', 'never', 'Upstream rejected the request'],
  upstream_rate_limited: [429, 'rate_limit', 'upstream', 'later', 'Upstream rate limit exceeded'],
  upstream_error: [502, 'server', 'upstream', 'later', 'Upstream error'],
  upstream_unavailable: [503, 'server', 'upstream', 'later', 'No upstream available'],
  upstream_overloaded: [503, 'overloaded', 'upstream', 'later', 'Upstream overloaded'],
  upstream_timeout: [504, 'timeout', 'upstream', 'later', 'Upstream timeout'],
  upstream_truncated: [502, 'server', 'upstream', 'later', 'Upstream response truncated'],
  upstream_invalid: [502, 'server', 'upstream', 'later', 'Invalid upstream response'],
  gateway_loop: [508, 'server', 'gateway', 'never', 'Loop between gateways'],

  // The gateway
  overloaded: [503, 'overloaded', 'gateway', 'later', 'Gateway overloaded'],
  draining: [503, 'overloaded', 'gateway', 'later', 'Gateway shutting down'],
  store_unavailable: [503, 'server', 'gateway', 'later', 'Database unavailable'],
  settlement_delayed: [503, 'server', 'gateway', 'never', 'Settlement delayed'],
  key_revoked_midway: [401, 'authentication', 'caller', 'never', 'API key revoked during the request'],
  request_stopped: [403, 'permission', 'caller', 'never', 'Request stopped'],
  slow_reader: [408, 'timeout', 'caller', 'never', 'Client stopped reading'],
  internal: [500, 'server', 'gateway', 'later', 'Internal error'],

  // Control plane
  account_not_found: [404, 'not_found', 'caller', 'never', 'Account not found'],
  key_not_found: [404, 'not_found', 'caller', 'never', 'API key not found'],
  top_up_not_found: [404, 'not_found', 'caller', 'never', 'Top-up not found'],
  invoice_not_found: [404, 'not_found', 'caller', 'never', 'Invoice not found'],
  person_not_found: [404, 'not_found', 'caller', 'never', 'User not found'],
  provider_key_not_found: [404, 'not_found', 'caller', 'never', 'Provider key not found'],
  upstream_not_found: [404, 'not_found', 'caller', 'never', 'Upstream not found'],
  upstream_test_failed: [409, 'invalid_request', 'caller', 'never', 'Upstream test failed'],
  code_not_valid: [404, 'not_found', 'caller', 'never', 'Invalid code'],
  setup_link_not_valid: [404, 'not_found', 'caller', 'never', 'Invalid setup link'],
  not_signed_in: [401, 'authentication', 'caller', 'never', 'Not signed in'],
  login_too_old: [403, 'permission', 'caller', 'never', 'Recent sign-in required'],
  not_allowed: [403, 'permission', 'caller', 'never', 'Permission denied'],
  cross_site: [403, 'permission', 'caller', 'never', 'Cross-site request'],
  sign_up_closed: [403, 'permission', 'caller', 'never', 'Sign-up closed'],
  too_many_attempts: [429, 'rate_limit', 'caller', 'later', 'Too many attempts'],
  payments_off: [409, 'invalid_request', 'caller', 'never', 'Payments not configured'],
  payment_failed: [402, 'billing', 'caller', 'never', 'Payment failed'],
  payment_provider_unavailable: [503, 'server', 'upstream', 'later', 'Payment provider unavailable'],
  conflict: [409, 'invalid_request', 'caller', 'never', 'Conflict'],
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof rows

export const errors: Readonly<Record<ErrorCode, ErrorSpec>> = Object.fromEntries(
  Object.entries(rows).map(([code, [status, category, fault, retry, title]]) => [
    code,
    { status, category, fault, retry, title },
  ]),
) as Record<ErrorCode, ErrorSpec>

/**
 * Operations as React hooks: results are cached, and refetched when the server says that their topic changed. The
 * table of topics is here and nowhere else.
 */
import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import type { Topic } from '../../../contract/events.ts'
import {
  ApiError,
  type Asking,
  call,
  type OperationAsk,
  type OperationName,
  type OperationOutput,
} from './api.ts'
import { refetch } from './refetch.ts'
import { toast } from './toast.ts'

export type { Topic } from '../../../contract/events.ts'

/** Which events make a result stale. Operations that are not listed are fetched when shown. */
const topicsOf: Partial<Record<OperationName, readonly Topic[]>> = {
  'installation.show': ['upstreams'],
  'me.show': ['account', 'people'],
  'account.show': ['account', 'balance'],
  'account.list': ['account', 'balance'],
  'key.list': ['keys', 'requests'],
  'key.rejections': ['rejections'],
  'management-key.list': ['keys'],
  'provider-keys.list': ['provider-keys', 'models'],
  'member.list': ['people'],
  'overview.show': ['balance', 'requests', 'running', 'rejections'],
  'usage.show': ['requests', 'rejections'],
  'requests.list': ['requests'],
  'requests.running': ['running'],
  'request.show': ['requests'],
  'rejections.list': ['rejections'],
  'billing.show': ['billing', 'balance'],
  'entries.list': ['balance', 'billing'],
  'top-up.list': ['billing'],
  'top-up.show': ['billing'],
  'invoice.list': ['billing'],
  'invoice.show': ['billing'],
  'code.list': ['billing'],
  'payments.list': ['billing'],
  'people.invitations': ['people'],
  'people.list': ['people'],
  'models.list': ['models'],
  'models.prices': ['models'],
  'offers.show': ['models', 'upstreams'],
  'markup.show': ['models'],
  'upstreams.list': ['upstreams'],
  'upstreams.status': ['upstreams'],
  'losses.list': ['requests'],
  'members.list': ['models'],
  'system.show': ['balance', 'running'],
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < 2 && isPassing(error),
      refetchOnWindowFocus: true,
    },
  },
})

/** Whether a retry may help: no answer, or a temporary error. */
function isPassing(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 502)
}

export interface ShowOptions {
  readonly enabled?: boolean
  /** Polls at this interval while the page is visible. */
  readonly everyMs?: number
  /** Retries at this interval until there is a result, after any error. */
  readonly untilThereMs?: number
  /** Shows the previous result while another input is loading: lists whose filter changes. */
  readonly keep?: boolean
}

type Showing<Name extends OperationName> =
  Record<never, never> extends OperationAsk<Name>
    ? [input?: OperationAsk<Name>, options?: ShowOptions]
    : [input: OperationAsk<Name>, options?: ShowOptions]

/** Identity queries, by their first key. */
const ofIdentity: readonly string[] = ['organization', 'sessions', 'passkeys']

/** The result of a reading operation. */
export function useOperation<Name extends OperationName>(
  name: Name,
  ...showing: Showing<Name>
): UseQueryResult<OperationOutput<Name>, ApiError> {
  const [input, options = {}] = showing as [input?: OperationAsk<Name>, options?: ShowOptions]
  const query = useQuery<OperationOutput<Name>, ApiError>({
    queryKey: [name, input ?? {}],
    queryFn: () => call(name, ...([input] as unknown as Asking<Name>)),
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.everyMs === undefined ? {} : { refetchInterval: options.everyMs }),
    ...(options.untilThereMs === undefined ? {} : { refetchInterval: untilThere(options.untilThereMs) }),
    ...(options.keep === true ? { placeholderData: keepPreviousData as never } : {}),
  })
  return undisturbed(query)
}

const untilThere =
  (everyMs: number) =>
  ({ state }: { readonly state: { readonly data: unknown } }): number | false =>
    state.data === undefined ? everyMs : false

/** Shown data and open dialogs stay while a refetch fails for a moment. */
function undisturbed<Output>(query: UseQueryResult<Output, ApiError>): UseQueryResult<Output, ApiError> {
  if (query.data === undefined || query.error === null || !isPassing(query.error)) return query
  // A prototype, not a copy: a copy would read every field, and re-render when any of them changes.
  return Object.create(query, {
    error: { value: null },
    isError: { value: false },
  }) as UseQueryResult<Output, ApiError>
}

export interface ChangeOptions<Name extends OperationName> {
  readonly onDone?: (output: OperationOutput<Name>) => void | Promise<void>
  /** Receives the error instead of the toast. */
  readonly onProblem?: (problem: ApiError) => void
  /** Topics to refetch afterwards. */
  readonly changes?: readonly Topic[]
}

type Variables<Name extends OperationName> = Asking<Name>[0]

/** Runs an operation that changes something: `change.mutate(input)`, `change.isPending`. */
export function useChange<Name extends OperationName>(
  name: Name,
  options: ChangeOptions<Name> = {},
): UseMutationResult<OperationOutput<Name>, ApiError, Variables<Name>> {
  const client = useQueryClient()
  return useMutation<OperationOutput<Name>, ApiError, Variables<Name>>({
    mutationFn: (input) => call(name, ...([input] as unknown as Asking<Name>)),
    async onSuccess(output) {
      await refresh(client, options.changes ?? [])
      await options.onDone?.(output)
    },
    onError(problem) {
      if (options.onProblem === undefined) toast.problem(problem.message)
      else options.onProblem(problem)
    },
  })
}

/** Refetches everything on the page that belongs to one of the topics. */
export function refresh(client: QueryClient, topics: readonly Topic[]): Promise<void> {
  return refetch(client, ({ queryKey: [name] }) => {
    const own = topicsOf[name as OperationName] ?? (ofIdentity.includes(String(name)) ? ['people'] : [])
    return own.some((topic) => (topics as readonly string[]).includes(topic))
  })
}

/** How a provider key is used, in words. */
import type { OperationAsk } from '@/lib/api'

export type KeyUse = NonNullable<OperationAsk<'provider-keys.put'>['use']>

export const uses: readonly (readonly [use: KeyUse, label: string, hint: string])[] = [
  [
    'first',
    'With fallback',
    "If it fails, the server's own upstreams serve the request, charged to your balance.",
  ],
  ['only', 'Only this key', 'If it fails, the request fails.'],
]

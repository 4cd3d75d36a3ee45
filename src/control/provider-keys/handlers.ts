/** The handlers of this folder by the names of their operations. */
import { listProviderKeys, putProviderKey, removeProviderKey, testProviderKey } from './provider-keys.ts'

export const providerKeyHandlers = {
  'provider-keys.list': listProviderKeys,
  'provider-keys.put': putProviderKey,
  'provider-keys.test': testProviderKey,
  'provider-keys.remove': removeProviderKey,
} as const

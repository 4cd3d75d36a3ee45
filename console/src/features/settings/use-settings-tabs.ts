/** The tabs of the settings that the person sees for the current account. */
import { useAccount, useMay } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { settingsTabsFor } from './tabs.ts'

export function useSettingsTabs(): ReturnType<typeof settingsTabsFor> {
  const { id, kind } = useAccount()
  const isManager = useMay('owner', 'admin')
  const { data } = useOperation('provider-keys.list', { account: id }, { enabled: isManager })
  return settingsTabsFor({
    isOrganization: kind === 'organization',
    isManager,
    // Keys that were stored before can be removed after the feature was switched off.
    hasProviderKeys: data !== undefined && (data.allowed || data.keys.length > 0),
  })
}

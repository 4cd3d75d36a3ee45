/** The tabs of the settings, in order, and who sees which. Pure data. */

const settingsTabs = [
  { id: 'profile', label: 'Profile', for: 'everyone' },
  { id: 'security', label: 'Security', for: 'everyone' },
  { id: 'organizations', label: 'Organizations', for: 'everyone' },
  { id: 'members', label: 'Members', for: 'organizations' },
  { id: 'provider-keys', label: 'Provider keys', for: 'provider keys' },
  { id: 'management-keys', label: 'Management keys', for: 'managers' },
  { id: 'activity', label: 'Activity', for: 'managers' },
  { id: 'privacy', label: 'Your data', for: 'everyone' },
] as const

export type SettingsTabId = (typeof settingsTabs)[number]['id']

interface SettingsViewer {
  /** The current account is an organization's. */
  readonly isOrganization: boolean
  /** The person is an owner or admin of the current account. */
  readonly isManager: boolean
  /** The account may use provider keys, or has some. */
  readonly hasProviderKeys: boolean
}

export function settingsTabsFor({
  isOrganization,
  isManager,
  hasProviderKeys,
}: SettingsViewer): (typeof settingsTabs)[number][] {
  const shown = {
    everyone: true,
    organizations: isOrganization,
    managers: isManager,
    'provider keys': isManager && hasProviderKeys,
  }
  return settingsTabs.filter((tab) => shown[tab.for])
}

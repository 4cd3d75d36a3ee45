/** The tabs of the settings, in order, and who sees which. Pure data. */

const settingsTabs = [
  { id: 'profile', label: 'Profile', for: 'everyone' },
  { id: 'security', label: 'Security', for: 'everyone' },
  { id: 'organizations', label: 'Organizations', for: 'everyone' },
  { id: 'members', label: 'Members', for: 'organizations' },
  { id: 'management-keys', label: 'Management keys', for: 'managers' },
  { id: 'activity', label: 'Activity', for: 'managers' },
  { id: 'privacy', label: 'Your data', for: 'everyone' },
] as const

export type SettingsTabId = (typeof settingsTabs)[number]['id']

export interface SettingsViewer {
  /** The current account is an organization's. */
  readonly isOrganization: boolean
  /** The person is an owner or admin of the current account. */
  readonly isManager: boolean
}

export function settingsTabsFor({
  isOrganization,
  isManager,
}: SettingsViewer): (typeof settingsTabs)[number][] {
  const shown = { everyone: true, organizations: isOrganization, managers: isManager }
  return settingsTabs.filter((tab) => shown[tab.for])
}

/** Settings: the person's own, and those of the account. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { type Tab, Tabs } from '@/components/tabs'
import { useAccount, useMay } from '@/lib/account'
import { ActivityTab } from './activity-tab.tsx'
import { ManagementKeysTab } from './management-keys-tab.tsx'
import { MembersTab } from './members-tab.tsx'
import { OrganizationsTab } from './organizations-tab.tsx'
import { PrivacyTab } from './privacy-tab.tsx'
import { ProfileTab } from './profile-tab.tsx'
import { SecurityTab } from './security-tab.tsx'

export function SettingsPage(): JSX.Element {
  const account = useAccount()
  const isManager = useMay('owner', 'admin')
  const isOrganization = account.kind === 'organization'
  const tabs: readonly Tab[] = [
    { id: 'profile', label: 'Profile', content: <ProfileTab /> },
    { id: 'security', label: 'Security', content: <SecurityTab /> },
    { id: 'organizations', label: 'Organizations', content: <OrganizationsTab /> },
    ...(isOrganization ? [{ id: 'members', label: 'Members', content: <MembersTab /> }] : []),
    ...(isManager
      ? [
          { id: 'management-keys', label: 'Management keys', content: <ManagementKeysTab /> },
          { id: 'activity', label: 'Activity', content: <ActivityTab /> },
        ]
      : []),
    { id: 'privacy', label: 'Your data', content: <PrivacyTab /> },
  ]
  return (
    <Page
      title="Settings"
      description={
        isOrganization
          ? `Your settings, and those of ${account.name}.`
          : 'Your settings, and those of your account.'
      }
    >
      <Tabs label="Settings" tabs={tabs} />
    </Page>
  )
}

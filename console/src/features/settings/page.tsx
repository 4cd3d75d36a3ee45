/** Settings of the person and of the account. */
import type { JSX } from 'react'
import { Page } from '@/components/page'
import { Tabs } from '@/components/tabs'
import { useAccount } from '@/lib/account'
import { ActivityTab } from './activity-tab.tsx'
import { ManagementKeysTab } from './management-keys-tab.tsx'
import { MembersTab } from './members-tab.tsx'
import { OrganizationsTab } from './organizations-tab.tsx'
import { PrivacyTab } from './privacy-tab.tsx'
import { ProfileTab } from './profile-tab.tsx'
import { ProviderKeysTab } from './provider-keys-tab.tsx'
import { SecurityTab } from './security-tab.tsx'
import type { SettingsTabId } from './tabs.ts'
import { useSettingsTabs } from './use-settings-tabs.ts'

const contents: Readonly<Record<SettingsTabId, JSX.Element>> = {
  profile: <ProfileTab />,
  security: <SecurityTab />,
  organizations: <OrganizationsTab />,
  members: <MembersTab />,
  'provider-keys': <ProviderKeysTab />,
  'management-keys': <ManagementKeysTab />,
  activity: <ActivityTab />,
  privacy: <PrivacyTab />,
}

export function SettingsPage(): JSX.Element {
  const account = useAccount()
  const isOrganization = account.kind === 'organization'
  const tabs = useSettingsTabs().map(({ id, label }) => ({
    id,
    label,
    content: contents[id],
  }))
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

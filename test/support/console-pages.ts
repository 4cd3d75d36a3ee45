/** Every page of the console, as a table: its path, who may open it, and how to tell that it has loaded. */
import type { Page } from './browser.ts'
import type { LivedInIds } from './lived-in.ts'

export interface ConsolePage {
  /** Also the name of its screenshots. */
  readonly name: string
  /** The id to open it with on a populated server; null where that needs data and there is none. */
  readonly path: (ids: LivedInIds) => string
  /** The main heading of the page, or that of a dialog over it. */
  readonly heading: string | RegExp
  /** An administrator, a member of the organization, or a signed-out visitor. */
  readonly as: 'operator' | 'member' | 'anyone'
  /** Whether it also exists on an empty installation. */
  readonly isEmptyToo: boolean
}

const page = (name: string, path: string, heading: string): ConsolePage => ({
  name,
  path: () => path,
  heading,
  as: 'operator',
  isEmptyToo: true,
})
const about = (name: string, path: (ids: LivedInIds) => string, heading: string | RegExp): ConsolePage => ({
  name,
  path,
  heading,
  as: 'operator',
  isEmptyToo: false,
})
const open = (name: string, path: string, heading: string): ConsolePage => ({
  ...page(name, path, heading),
  as: 'anyone',
})
const ofMember = (
  name: string,
  path: (ids: LivedInIds) => string,
  heading: string | RegExp,
): ConsolePage => ({
  ...about(name, path, heading),
  as: 'member',
})

export const consolePages: readonly ConsolePage[] = [
  page('overview', '/console', 'Overview'),
  page('overview-month', '/console?chart=30d', 'Overview'),
  page('keys', '/console/keys', 'API keys'),
  page('keys-create', '/console/keys?create=yes', 'Create API key'),
  about('key', ({ key }) => `/console/keys/${key}`, 'Production'),
  page('usage', '/console/usage', 'Usage'),
  about('usage-models', () => '/console/usage?group=model', 'Usage'),
  page('requests', '/console/requests', 'Requests'),
  about('receipt', ({ retried }) => `/console/requests/${retried}`, /^gpt-5\.4-mini/),
  about('receipt-cut', ({ cut }) => `/console/requests/${cut}`, /^gemini-2\.5-pro/),
  page('billing', '/console/billing', 'Billing'),
  page('billing-top-ups', '/console/billing?tab=top-ups', 'Billing'),
  page('billing-invoices', '/console/billing?tab=invoices', 'Billing'),
  about('invoice', ({ topUp }) => `/console/billing/invoices/${topUp}`, 'Payment receipt'),
  about('statement', ({ month }) => `/console/billing/invoices/${month}`, /^Statement for /),
  page('playground', '/console/playground', 'Playground'),
  page('connect', '/console/connect', 'Connect'),
  page('connect-claude-code', '/console/connect?client=claude-code', 'Connect'),
  page('settings', '/console/settings', 'Settings'),
  page('settings-security', '/console/settings?tab=security', 'Settings'),
  page('settings-organizations', '/console/settings?tab=organizations', 'Settings'),
  about('settings-provider-keys', () => '/console/settings?tab=provider-keys', 'Settings'),
  page('settings-management-keys', '/console/settings?tab=management-keys', 'Settings'),
  page('settings-activity', '/console/settings?tab=activity', 'Settings'),
  page('settings-privacy', '/console/settings?tab=privacy', 'Settings'),
  page('admin-accounts', '/console/admin/accounts', 'Admin'),
  about('admin-account', ({ account }) => `/console/admin/accounts/${account}`, 'Example Ltd'),
  page('admin-people', '/console/admin/people', 'Admin'),
  page('admin-models', '/console/admin/models', 'Admin'),
  about('admin-upstream', () => '/console/admin/models?upstream=openai', 'Admin'),
  about('admin-model', () => '/console/admin/models/gpt-5.5', /^gpt-5\.5/),
  page('admin-codes', '/console/admin/codes', 'Admin'),
  page('admin-payments', '/console/admin/payments', 'Admin'),
  page('admin-write-offs', '/console/admin/write-offs', 'Admin'),
  page('admin-audit', '/console/admin/audit', 'Admin'),
  page('admin-system', '/console/admin/system', 'Admin'),
  ofMember('organization-overview', ({ account }) => `/console?account=${account}`, 'Overview'),
  ofMember(
    'organization-members',
    ({ account }) => `/console/settings?account=${account}&tab=members`,
    'Settings',
  ),
  open('pricing', '/pricing', 'Pricing'),
  open('sign-in', '/console/sign-in', 'Sign in'),
  open('sign-up', '/console/sign-up', 'Create account'),
  open('forgot', '/console/forgot', 'Reset password'),
  open('reset', '/console/reset?token=unknown', 'Set new password'),
  open('verify', '/console/verify', 'Verify your email'),
  open('two-factor', '/console/two-factor', 'Two-factor authentication'),
  {
    ...about('invitation', ({ invitation }) => `/console/invitation?id=${invitation}`, 'Invitation'),
    as: 'anyone',
  },
  open('setup', '/console/setup?token=unknown', 'Set up this server'),
]

/** The buttons that open a dialog or a menu over a page, by the start of their names. */
export const overlaysOf: Readonly<Record<string, readonly string[]>> = {
  overview: ['Ada Personal account', 'Search or jump to', 'Signed in as', 'Theme'],
  key: ['Edit', 'Rotate', 'Disable', 'Revoke'],
  requests: ['Stop'],
  billing: ['Remove'],
  playground: ['Code'],
  'settings-security': ['Turn on'],
  'settings-organizations': ['Create organization', 'Leave'],
  'settings-management-keys': ['Create management key', 'Revoke'],
  'settings-privacy': ['Delete account'],
  'admin-accounts': ['Create account'],
  'admin-account': ['Add credit', 'Suspend'],
  'admin-people': ['Invite'],
  'admin-models': ['Add upstream', 'Edit markup', 'Add model'],
  'admin-codes': ['Create code', 'Revoke'],
  'admin-audit': ['Details'],
  'organization-members': ['Invite member', 'Remove Ada'],
}

/** Waits until no request or animation of the page is pending. */
export async function whole(page: Page, heading: string | RegExp): Promise<void> {
  await page.getByRole('heading', { name: heading }).first().waitFor()
  await page.locator('.animate-pulse, [aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.evaluate('document.fonts.ready')
}

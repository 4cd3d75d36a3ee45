/** The pages of the console, which router, navigation and command palette read. Each is loaded when it is first shown. */
import {
  Activity,
  ChartColumn,
  Gauge,
  type Icon,
  KeyRound,
  Play,
  Plug,
  ReceiptText,
  Settings,
  ShieldCheck,
  Wallet,
} from '@/components/icons'

/** Loads a module whose component has a name that ends with `Page`. */
type Load = () => Promise<Readonly<Record<string, unknown>>>

/** Navigation and command palette list the pages that have a title; the palette finds them by the words too. */
export type ConsolePage<Path extends string = string> =
  | readonly [path: Path, load: Load]
  | readonly [path: Path, load: Load, title: string, icon: Icon, words: string]

/** For signed-in people, inside the frame with the navigation. */
export const framedPages = [
  ['/console', () => import('./features/overview/page'), 'Overview', Gauge, ''],
  ['/console/keys', () => import('./features/keys/page'), 'API keys', KeyRound, ''],
  ['/console/keys/$key', () => import('./features/keys/key-page')],
  ['/console/usage', () => import('./features/usage/page'), 'Usage', ChartColumn, 'spend cost tokens chart'],
  [
    '/console/requests',
    () => import('./features/requests/page'),
    'Requests',
    Activity,
    'receipt receipts log history failed rejected',
  ],
  ['/console/requests/$request', () => import('./features/requests/receipt-page')],
  [
    '/console/billing',
    () => import('./features/billing/page'),
    'Billing',
    Wallet,
    'balance ledger top-up payment runway',
  ],
  ['/console/billing/invoices/$invoice', () => import('./features/billing/invoice-page')],
  ['/console/playground', () => import('./features/playground/page'), 'Playground', Play, ''],
  [
    '/console/connect',
    () => import('./features/connect/page'),
    'Connect',
    Plug,
    'client setup base url library',
  ],
  ['/console/settings', () => import('./features/settings/page'), 'Settings', Settings, ''],
  ['/console/admin', () => import('./features/admin/page'), 'Admin', ShieldCheck, ''],
  ['/console/admin/models/$model', () => import('./features/admin/page')],
  ['/console/admin/$section', () => import('./features/admin/page')],
  ['/console/admin/accounts/$account', () => import('./features/admin/account-page')],
] as const satisfies readonly ConsolePage[]

/** Without the frame: signing in, and public ones. */
export const openPages = [
  ['/pricing', () => import('./features/pricing/page'), 'Pricing', ReceiptText, 'models prices price list'],
  ['/console/setup', () => import('./features/setup/page')],
  ['/console/sign-in', () => import('./features/auth/sign-in-page')],
  ['/console/sign-up', () => import('./features/auth/sign-up-page')],
  ['/console/forgot', () => import('./features/auth/forgot-page')],
  ['/console/reset', () => import('./features/auth/reset-page')],
  ['/console/verify', () => import('./features/auth/verify-page')],
  ['/console/two-factor', () => import('./features/auth/two-factor-page')],
  ['/console/invitation', () => import('./features/auth/invitation-page')],
] as const satisfies readonly ConsolePage[]

type Page = (typeof framedPages | typeof openPages)[number]
type ListedPage = Extract<Page, { readonly length: 5 }>

export const listedPages = (isAdmin: boolean): readonly ListedPage[] =>
  [...framedPages, ...openPages].filter(
    (page: Page): page is ListedPage => page.length === 5 && (isAdmin || page[0] !== '/console/admin'),
  )

/** The routes. Every page is loaded when it is first shown; routes only route. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type SearchMiddleware,
} from '@tanstack/react-router'
import { Failed, NotFound } from '@/layout/failed'
import { Loading } from '@/layout/loading'
import { Root } from '@/layout/root'
import { patiently } from '@/lib/connection'
import { readSearch, type Search, writeSearch } from '@/lib/search'

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: Failed,
  validateSearch: (search: Record<string, unknown>): Search => search as Search,
})

/** Links lead to pages of the same account, unless they name another one. */
const keepAccount: SearchMiddleware<Search> = ({ search, next }) => {
  const after = next(search)
  return 'account' in after ? after : { ...after, account: search.account }
}

/** Signed-in pages, inside the frame with navigation. The account stays in the URL. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  component: lazyRouteComponent(
    patiently(() => import('@/layout/frame')),
    'Frame',
  ),
  search: { middlewares: [keepAccount] },
})

/** Pages without the frame: signing in, and public ones. */
const alone = createRoute({ getParentRoute: () => root, id: 'alone' })

const page = <
  Path extends string,
  Module extends Record<string, unknown>,
  Name extends keyof Module & string,
>(
  path: Path,
  load: () => Promise<Module>,
  name: Name,
) => createRoute({ getParentRoute: () => frame, path, component: lazyRouteComponent(patiently(load), name) })

const open = <
  Path extends string,
  Module extends Record<string, unknown>,
  Name extends keyof Module & string,
>(
  path: Path,
  load: () => Promise<Module>,
  name: Name,
) => createRoute({ getParentRoute: () => alone, path, component: lazyRouteComponent(patiently(load), name) })

const routes = root.addChildren([
  frame.addChildren([
    page('/console', () => import('@/features/overview/page'), 'OverviewPage'),
    page('/console/keys', () => import('@/features/keys/page'), 'KeysPage'),
    page('/console/keys/$key', () => import('@/features/keys/key-page'), 'KeyPage'),
    page('/console/usage', () => import('@/features/usage/page'), 'UsagePage'),
    page('/console/requests', () => import('@/features/requests/page'), 'RequestsPage'),
    page('/console/requests/$request', () => import('@/features/requests/receipt-page'), 'ReceiptPage'),
    page('/console/billing', () => import('@/features/billing/page'), 'BillingPage'),
    page(
      '/console/billing/invoices/$invoice',
      () => import('@/features/billing/invoice-page'),
      'InvoicePage',
    ),
    page('/console/playground', () => import('@/features/playground/page'), 'PlaygroundPage'),
    page('/console/connect', () => import('@/features/connect/page'), 'ConnectPage'),
    page('/console/settings', () => import('@/features/settings/page'), 'SettingsPage'),
    page('/console/admin', () => import('@/features/admin/page'), 'AdminPage'),
    page('/console/admin/models/$model', () => import('@/features/admin/model-page'), 'AdminModelPage'),
    page('/console/admin/$section', () => import('@/features/admin/page'), 'AdminPage'),
    page(
      '/console/admin/accounts/$account',
      () => import('@/features/admin/account-page'),
      'AdminAccountPage',
    ),
  ]),
  alone.addChildren([
    open('/pricing', () => import('@/features/pricing/page'), 'PricingPage'),
    open('/console/setup', () => import('@/features/setup/page'), 'SetupPage'),
    open('/console/sign-in', () => import('@/features/auth/sign-in-page'), 'SignInPage'),
    open('/console/sign-up', () => import('@/features/auth/sign-up-page'), 'SignUpPage'),
    open('/console/forgot', () => import('@/features/auth/forgot-page'), 'ForgotPage'),
    open('/console/reset', () => import('@/features/auth/reset-page'), 'ResetPage'),
    open('/console/verify', () => import('@/features/auth/verify-page'), 'VerifyPage'),
    open('/console/two-factor', () => import('@/features/auth/two-factor-page'), 'TwoFactorPage'),
    open('/console/invitation', () => import('@/features/auth/invitation-page'), 'InvitationPage'),
  ]),
])

export const router = createRouter({
  routeTree: routes,
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
  defaultPreload: 'intent',
  defaultPendingComponent: Loading,
  defaultPendingMs: 150,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

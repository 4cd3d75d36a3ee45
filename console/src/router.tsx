/** The routes, one for each page of the table; routes only route. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type SearchMiddleware,
} from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Failed, NotFound } from '@/layout/failed'
import { Loading } from '@/layout/loading'
import { Root } from '@/layout/root'
import { patiently } from '@/lib/connection'
import { readSearch, type Search, writeSearch } from '@/lib/search'
import { type ConsolePage, framedPages, openPages } from './pages.ts'

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: Failed,
  validateSearch: (search: Record<string, unknown>): Search => search as Search,
})

/** Links lead to pages of the same account, unless they name a different one. */
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

/** Signing in, and public pages. */
const alone = createRoute({ getParentRoute: () => root, id: 'alone' })

const routeIn = <Parent extends typeof frame | typeof alone, Path extends string>(
  parent: Parent,
  [path, load]: ConsolePage<Path>,
) =>
  createRoute({
    getParentRoute: () => parent,
    path,
    component: lazyRouteComponent(
      patiently(async () => {
        const [, component] = Object.entries(await load()).find(([name]) => name.endsWith('Page')) ?? []
        return { default: component as ComponentType }
      }),
    ),
  })

/** Their types name each path, so that a link to no page is a type error. */
const routesIn = <Parent extends typeof frame | typeof alone, Pages extends readonly ConsolePage[]>(
  parent: Parent,
  pages: Pages,
) =>
  pages.map((page) => routeIn(parent, page)) as unknown as {
    [Place in keyof Pages]: ReturnType<typeof routeIn<Parent, Pages[Place][0]>>
  }

const routes = root.addChildren([
  frame.addChildren(routesIn(frame, framedPages)),
  alone.addChildren(routesIn(alone, openPages)),
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

/** The frame of signed-in pages: sections at the side, account and person on top. */
import { Outlet, useRouterState } from '@tanstack/react-router'
import { type JSX, Suspense, useState } from 'react'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Menu as MenuIcon } from '@/components/icons'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { ActingProvider, useAccount } from '@/lib/account'
import { useLive } from '@/lib/live'
import { useOperation } from '@/lib/operations'
import { AccountSwitcher } from './account-switcher.tsx'
import { Loading } from './loading.tsx'
import { Logo } from './logo.tsx'
import { Navigation } from './navigation.tsx'
import { Notices, useNoticesKnown } from './notices.tsx'
import { PaletteButton } from './palette-button.tsx'
import { PersonMenu } from './person-menu.tsx'
import { ThemeMenu } from './theme-menu.tsx'

export function Frame(): JSX.Element {
  const me = useOperation('me.show')
  if (me.data !== undefined) {
    return (
      <ActingProvider me={me.data}>
        <Framed />
      </ActingProvider>
    )
  }
  return (
    <Bones>
      {me.error === null || me.error.code === 'not_signed_in' ? (
        <Loading />
      ) : (
        <Problem problem={me.error} onRetry={() => void me.refetch()} />
      )}
    </Bones>
  )
}

const side =
  'sticky top-0 flex h-dvh w-60 shrink-0 flex-col gap-4 overflow-y-auto border-r border-line px-3 py-4 max-lg:hidden print:hidden'
const top =
  'sticky top-0 z-20 flex h-14 items-center gap-2 border-b border-line bg-page/90 px-4 backdrop-blur sm:px-6 print:hidden'
const content = 'min-w-0 flex-1 px-4 py-6 sm:px-6 lg:py-8'

function Framed(): JSX.Element {
  const { id } = useAccount()
  useLive(id)
  const isReady = useNoticesKnown()
  const [isOpen, setOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only rounded-md bg-surface px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60"
      >
        Skip to content
      </a>
      <aside className={side} aria-label="Navigation">
        <Logo className="px-3 py-1.5" />
        <AccountSwitcher />
        <Navigation />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className={top}>
          <Button
            variant="ghost"
            size="icon"
            aria-label="Open navigation"
            className="-ml-2 lg:hidden"
            onClick={() => setOpen(true)}
          >
            <MenuIcon aria-hidden="true" />
          </Button>
          <Logo className="lg:hidden" />
          <div className="flex flex-1 items-center justify-end gap-1.5">
            <div className="lg:mr-auto">
              <PaletteButton />
            </div>
            <ThemeMenu />
            <PersonMenu />
          </div>
        </header>
        <main id="content" tabIndex={-1} className={content}>
          {isReady ? <Notices /> : null}
          {/* A page of another account is another page: no half-filled form crosses over. */}
          <Suspense key={`${id} ${path}`} fallback={<Loading />}>
            {isReady ? <Outlet /> : <Loading />}
          </Suspense>
        </main>
      </div>
      <Dialog open={isOpen} onOpenChange={setOpen} title="Navigation" size="small">
        <div className="flex flex-col gap-4">
          <AccountSwitcher />
          <Navigation onGone={() => setOpen(false)} />
        </div>
      </Dialog>
    </div>
  )
}

/** The empty frame, so that nothing jumps when it is filled. */
function Bones({ children }: { readonly children: JSX.Element }): JSX.Element {
  return (
    <div className="flex min-h-dvh">
      <div className={side}>
        <Logo className="px-3 py-1.5" />
        <Skeleton className="h-11" />
        <Skeleton className="h-80" />
      </div>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className={top}>
          <Logo className="lg:hidden" />
          <Skeleton className="ml-auto size-9 rounded-full" />
        </header>
        <main className={content}>{children}</main>
      </div>
    </div>
  )
}

/** Error pages: not found, and failed to render. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { AnchorButton, Button, LinkButton } from '@/components/button'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'
import { Logo } from './logo.tsx'
import { ThemeMenu } from './theme-menu.tsx'

export function NotFound(): JSX.Element {
  return (
    <>
      <header className="flex h-14 items-center justify-between px-4 sm:px-6">
        <Link to="/console" aria-label="Tollgate, overview" className="flex rounded-md">
          <Logo />
        </Link>
        <ThemeMenu />
      </header>
      <main className="mx-auto max-w-[46rem] px-4 pt-[8vh] pb-12 sm:px-6">
        <Page
          title="Page not found"
          description="There is no page at this address. Check it for typos, or start at the overview."
        >
          <div className="flex flex-wrap gap-2">
            <LinkButton to="/console" variant="primary">
              Go to Overview
            </LinkButton>
            <AnchorButton href="/docs">Documentation</AnchorButton>
          </div>
        </Page>
      </main>
    </>
  )
}

export function Failed({ error }: ErrorComponentProps): JSX.Element {
  return (
    <main className="p-6">
      <Page title="This page can't be shown">
        <Problem problem={error instanceof Error ? error : new Error(String(error))} />
        <p className="text-ink-soft">Try reloading the page. Your saved data is safe.</p>
        <div className="flex gap-2">
          <Button variant="primary" onClick={() => location.reload()}>
            Reload
          </Button>
          <Link to="/console" className="inline-flex h-9 items-center px-3 text-accent underline">
            Go to Overview
          </Link>
        </div>
      </Page>
    </main>
  )
}

/** Error pages: not found, and failed to render. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button, LinkButton } from '@/components/button'
import { Empty } from '@/components/empty'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'

export function NotFound(): JSX.Element {
  return (
    <main className="p-6">
      <Page title="Page not found">
        <Empty
          title="Nothing here"
          text="Check the address, or go back to the overview."
          action={
            <LinkButton to="/console" variant="primary">
              Go to Overview
            </LinkButton>
          }
        />
      </Page>
    </main>
  )
}

export function Failed({ error }: ErrorComponentProps): JSX.Element {
  return (
    <main className="p-6">
      <Page title="Something went wrong">
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

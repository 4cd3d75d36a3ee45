/** What stands where a page is not, or broke. */
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import type { JSX } from 'react'
import { Button, LinkButton } from '@/components/button'
import { Empty } from '@/components/empty'
import { Page } from '@/components/page'
import { Problem } from '@/components/problem'

export function NotFound(): JSX.Element {
  return (
    <main className="p-6">
      <Page title="There is no such page">
        <Empty
          title="Nothing is at this address"
          text="The link may be old, or a letter of it was lost."
          action={
            <LinkButton to="/console" variant="primary">
              Go to the overview
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
      <Page title="This page failed">
        <Problem problem={error instanceof Error ? error : new Error(String(error))} />
        <p className="text-ink-soft">
          Reloading often helps: the console may have been renewed while it was open. Nothing that you had
          saved is lost.
        </p>
        <div className="flex gap-2">
          <Button variant="primary" onClick={() => location.reload()}>
            Reload
          </Button>
          <Link to="/console" className="inline-flex h-9 items-center px-3 text-accent underline">
            Go to the overview
          </Link>
        </div>
      </Page>
    </main>
  )
}

/** The frame of public pages, signed in or not. */
import type { JSX, ReactNode } from 'react'
import { PublicHeader } from '@/layout/public-header'

export function PublicFrame({ children }: { readonly children: ReactNode }): JSX.Element {
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only rounded-md bg-surface px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60"
      >
        Skip to content
      </a>
      <PublicHeader />
      <main id="content" tabIndex={-1} className="min-w-0 flex-1 px-4 py-6 sm:px-6 lg:py-8">
        {children}
      </main>
    </div>
  )
}

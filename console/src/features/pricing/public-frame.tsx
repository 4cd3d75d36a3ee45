/** The frame of public pages, signed in or not. */
import type { JSX, ReactNode } from 'react'
import { Logo } from '@/layout/logo'
import { SiteLinks } from '@/layout/site-links'
import { ThemeMenu } from '@/layout/theme-menu'

export function PublicFrame({ children }: { readonly children: ReactNode }): JSX.Element {
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only rounded-md bg-surface px-4 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-60"
      >
        Skip to content
      </a>
      <header className="sticky top-0 z-20 border-b border-line bg-surface">
        <div className="flex h-14 w-full items-center gap-2 px-4 sm:px-6">
          <a href="/" className="flex rounded-md">
            <Logo />
          </a>
          <div className="ml-auto flex items-center gap-1.5">
            <SiteLinks />
            <ThemeMenu />
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="min-w-0 flex-1 px-4 py-6 sm:px-6 lg:py-8">
        {children}
      </main>
    </div>
  )
}

/** The header of public pages, same as in the documentation. */
import type { JSX } from 'react'
import { Logo } from './logo.tsx'
import { SiteLinks } from './site-links.tsx'
import { ThemeMenu } from './theme-menu.tsx'

export function PublicHeader(): JSX.Element {
  return (
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
  )
}

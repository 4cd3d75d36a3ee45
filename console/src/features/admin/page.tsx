/** Admin: one section per area of the installation; the URL names the section. */
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { type ComponentType, type JSX, lazy, Suspense } from 'react'
import { LinkButton } from '@/components/button'
import { Empty } from '@/components/empty'
import { ShieldAlert } from '@/components/icons'
import { Page } from '@/components/page'
import { Skeleton } from '@/components/skeleton'
import { useMe } from '@/lib/account'
import { cn } from '@/lib/class-names'
import { patiently } from '@/lib/connection'
import { intoRow } from '@/lib/into-row'
import { type SectionId, sections } from './sections.ts'

const parts: Readonly<Record<SectionId, ComponentType>> = {
  accounts: lazy(patiently(async () => ({ default: (await import('./accounts.tsx')).Accounts }))),
  people: lazy(patiently(async () => ({ default: (await import('./people.tsx')).People }))),
  models: lazy(patiently(async () => ({ default: (await import('./models.tsx')).Models }))),
  codes: lazy(patiently(async () => ({ default: (await import('./codes.tsx')).Codes }))),
  payments: lazy(patiently(async () => ({ default: (await import('./payments.tsx')).Payments }))),
  'write-offs': lazy(patiently(async () => ({ default: (await import('./write-offs.tsx')).WriteOffs }))),
  audit: lazy(patiently(async () => ({ default: (await import('./audit.tsx')).Audit }))),
  system: lazy(patiently(async () => ({ default: (await import('./system.tsx')).System }))),
}

export function AdminPage(): JSX.Element {
  const { section, model } = useParams({ strict: false })
  // An earlier version had a page of upstreams.
  if (section === 'upstreams')
    return <Navigate to="/console/admin/$section" params={{ section: 'models' }} search={true} replace />
  const open = model === undefined ? section : 'models'
  const shown = sections.find(([id]) => id === open) ?? sections[0]
  return (
    <AdminFrame title={`${model ?? shown[1]} · Admin`} here={shown[0]}>
      <Part id={shown[0]} />
    </AdminFrame>
  )
}

function Part({ id }: { readonly id: SectionId }): JSX.Element {
  const Shown = parts[id]
  return (
    <Suspense fallback={<Skeleton className="h-96 rounded-xl" />}>
      <Shown />
    </Suspense>
  )
}

export interface AdminFrameProps {
  readonly title: string
  readonly here: SectionId
  readonly children: JSX.Element
}

/** The heading and the sections, for administrators only. */
export function AdminFrame({ title, here, children }: AdminFrameProps): JSX.Element {
  const { person } = useMe()
  if (!person.operator) {
    return (
      <Page title="Admin">
        <Empty
          icon={<ShieldAlert />}
          title="Administrators only"
          text="An administrator can give you access under Admin, People."
          action={<LinkButton to="/console">Overview</LinkButton>}
          className="rounded-xl border border-line bg-surface"
        />
      </Page>
    )
  }
  return (
    <Page title={title} heading="Admin">
      <nav
        aria-label="Admin sections"
        className="-mt-2 flex gap-1 overflow-x-auto shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none]"
      >
        {sections.map(([id, label]) => (
          <Link
            key={id}
            to="/console/admin/$section"
            params={{ section: id }}
            search={{}}
            aria-current={id === here ? 'page' : undefined}
            ref={id === here ? intoRow : undefined}
            className={cn(
              'flex h-10 shrink-0 items-center rounded-t-md border-b-2 border-transparent px-3 font-medium text-ink-soft -outline-offset-2 hover:text-ink',
              id === here && 'border-accent text-ink',
            )}
          >
            {label}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  )
}

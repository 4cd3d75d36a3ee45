/** Instead of a page that needs a model, where none is enabled. */
import type { JSX, ReactNode } from 'react'
import { LinkButton } from '@/components/button'
import { Empty } from '@/components/empty'
import { Plus } from '@/components/icons'
import { useMe } from '@/lib/account'

export function NoModels({ icon }: { readonly icon?: ReactNode }): JSX.Element {
  const { operator } = useMe().person
  return (
    <Empty
      icon={icon}
      title="No models available yet"
      text={
        operator
          ? 'Add a provider key and choose the models to enable.'
          : 'An administrator needs to add a provider key first.'
      }
      action={
        operator ? (
          <LinkButton
            to="/console/admin/$section"
            params={{ section: 'models' }}
            search={{ create: 'yes' }}
            variant="primary"
          >
            <Plus aria-hidden="true" />
            Add provider key
          </LinkButton>
        ) : undefined
      }
      className="rounded-xl border border-line bg-surface"
    />
  )
}

/** For an administrator whose first request a test model answered: real models need a provider. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { LinkButton } from '@/components/button'
import { useMe } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { hasProvider } from './first-steps.ts'

export function NoProvider(): JSX.Element | null {
  const { operator } = useMe().person
  const upstreams = useOperation('upstreams.list', {}, { enabled: operator })
  if (upstreams.data === undefined || hasProvider(upstreams.data)) return null
  return (
    <Banner
      tone="info"
      title="Only test models are available."
      action={
        <LinkButton
          size="small"
          to="/console/admin/$section"
          params={{ section: 'models' }}
          search={{ create: 'yes' }}
        >
          Add provider key
        </LinkButton>
      }
    >
      Add a provider key to use real models.
    </Banner>
  )
}

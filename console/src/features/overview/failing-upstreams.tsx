/** For administrators: upstreams whose requests fail until the key, the URL or the models are corrected. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { LinkButton } from '@/components/button'
import { useMe } from '@/lib/account'
import { useOperation } from '@/lib/operations'

const everyMs = 60_000

export function FailingUpstreams(): JSX.Element {
  const { operator } = useMe().person
  const upstreams = useOperation('upstreams.list', {}, { enabled: operator, everyMs })
  const failing = (upstreams.data ?? []).filter(({ health }) => health.failing)
  return (
    <>
      {failing.map(({ name, health }) => (
        <Banner
          key={name}
          tone="bad"
          title={
            health.failingModel === null
              ? `Requests to the upstream ${name} fail.`
              : `Requests for the model ${health.failingModel} at the upstream ${name} fail.`
          }
          action={
            <LinkButton
              size="small"
              to="/console/admin/$section"
              params={{ section: 'models' }}
              search={{ upstream: name }}
            >
              Review
            </LinkButton>
          }
        >
          {health.lastError}
        </Banner>
      ))}
    </>
  )
}

/** The provider's response to an API key before it is saved. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { Checkbox } from '@/components/checkbox'
import type { OperationOutput } from '@/lib/api'

type Checked = OperationOutput<'upstreams.check'>

/** A key that failed its test is saved only by a second choice. */
export function failsTest({ credential }: Checked): boolean {
  return credential?.state === 'rejected' || credential?.state === 'unreachable'
}

export interface CredentialTestProps {
  readonly found: Checked
  readonly savesAnyway: boolean
  readonly onSaveAnyway: (savesAnyway: boolean) => void
}

export function CredentialTest({
  found,
  savesAnyway,
  onSaveAnyway,
}: CredentialTestProps): JSX.Element | null {
  const { credential } = found
  if (credential === null) return null
  const { state, problem, hostMessage } = credential
  const words = hostMessage === null ? problem : `${problem ?? ''} It says: “${hostMessage}”`
  if (state === 'accepted') return <Banner tone="info" title="The provider accepts this API key." />
  if (state === 'untested') {
    return (
      <Banner tone="info" title="The API key could not be tested.">
        {words ?? 'This provider lists its models without checking the key. The first request will test it.'}
      </Banner>
    )
  }
  return (
    <>
      <Banner
        tone="bad"
        title={state === 'rejected' ? 'The provider rejects this API key.' : "The provider can't be reached."}
      >
        {words}
      </Banner>
      <Checkbox label="Save it anyway" checked={savesAnyway} onChange={onSaveAnyway} />
    </>
  )
}

/** The provider's response to an API key before it is saved. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { Checkbox } from '@/components/checkbox'
import type { OperationOutput } from '@/lib/api'

type Checked = OperationOutput<'upstreams.check'>

/** Whether a credential failed its test; saving it then takes a second confirmation. */
export function failsTest({ credential, paths }: Checked): boolean {
  return credential?.state === 'rejected' || credential?.state === 'unreachable' || hasNoPath({ paths })
}

/** Whether no path that requests go to is known to exist, and one is known to be missing. */
function hasNoPath({ paths }: Pick<Checked, 'paths'>): boolean {
  const tested = paths.filter(({ state }) => state !== 'untested')
  return tested.length > 0 && tested.every(({ state }) => state === 'missing')
}

interface TestResultProps {
  readonly found: Checked
  /** Whether the server is called without a key. */
  readonly isKeyless: boolean
}

/** Shows the host's reply to the key. */
export function TestResult({ found: { credential }, isKeyless }: TestResultProps): JSX.Element | null {
  if (credential === null) return null
  const { state, problem, hostMessage } = credential
  const words = hostMessage === null ? problem : `${problem ?? ''} The provider says: “${hostMessage}”`
  if (state === 'accepted') return <Banner tone="good" title="The provider accepts this API key." />
  if (state === 'untested' && isKeyless && words === null) {
    return <Banner tone="good" title="The server answers without an API key." />
  }
  if (state === 'untested') {
    return (
      <Banner tone="info" title="The API key could not be tested.">
        {words ?? 'This provider lists its models without checking the key. The first request will test it.'}
      </Banner>
    )
  }
  return (
    <Banner
      tone="bad"
      title={state === 'rejected' ? 'The provider rejects this API key.' : "The provider can't be reached."}
    >
      {words}
    </Banner>
  )
}

function NoPath({ found: { credential, paths } }: { readonly found: Checked }): JSX.Element {
  const isAnswered = paths.every(({ state }) => state === 'missing')
  return (
    <Banner tone="bad" title="No path at this URL works.">
      {credential?.state === 'accepted' ? 'The provider accepts the API key. ' : ''}
      {isAnswered
        ? 'The server has none of the paths below. Check the path of the base URL.'
        : 'The paths below are not found or do not respond. Check the base URL and the server.'}
    </Banner>
  )
}

export interface CredentialTestProps {
  readonly found: Checked
  readonly isKeyless: boolean
  readonly savesAnyway: boolean
  readonly onSaveAnyway: (savesAnyway: boolean) => void
}

export function CredentialTest({
  found,
  isKeyless,
  savesAnyway,
  onSaveAnyway,
}: CredentialTestProps): JSX.Element {
  return (
    <>
      {hasNoPath(found) && found.credential?.state === 'accepted' ? null : (
        <TestResult found={found} isKeyless={isKeyless} />
      )}
      {hasNoPath(found) ? <NoPath found={found} /> : null}
      {failsTest(found) ? (
        <Checkbox label="Save it anyway" checked={savesAnyway} onChange={onSaveAnyway} />
      ) : null}
    </>
  )
}

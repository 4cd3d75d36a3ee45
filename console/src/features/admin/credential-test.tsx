/** The provider's response to an API key before it is saved. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import { Checkbox } from '@/components/checkbox'
import type { OperationOutput } from '@/lib/api'

type Checked = OperationOutput<'upstreams.check'>

/** What failed its test is saved only by a second choice. */
export function failsTest({ credential, paths }: Checked): boolean {
  return credential?.state === 'rejected' || credential?.state === 'unreachable' || hasNoPath({ paths })
}

/** Whether the URL has none of the paths that requests go to. */
function hasNoPath({ paths }: Pick<Checked, 'paths'>): boolean {
  const tested = paths.filter(({ state }) => state !== 'untested')
  return tested.length > 0 && tested.every(({ state }) => state === 'missing')
}

interface TestResultProps {
  readonly found: Checked
  /** Whether the server is called without a key. */
  readonly isKeyless: boolean
}

/** What the host said to the key. */
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
      <TestResult found={found} isKeyless={isKeyless} />
      {hasNoPath(found) ? (
        <Banner tone="bad" title="No request can succeed at this URL.">
          It has none of the paths below. Check the path of the base URL.
        </Banner>
      ) : null}
      {failsTest(found) ? (
        <Checkbox label="Save it anyway" checked={savesAnyway} onChange={onSaveAnyway} />
      ) : null}
    </>
  )
}

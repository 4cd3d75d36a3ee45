/** Where the setup link is, for everyone who may have to look for it. */
import type { JSX } from 'react'

export function SetupLinkPlace(): JSX.Element {
  return (
    <>
      the setup link that was printed at startup, or written to{' '}
      <code className="font-mono text-[0.8125rem] whitespace-nowrap">first-run.txt</code> in the data folder
    </>
  )
}

/** The first request as code, in a tab for each client. */
import type { JSX } from 'react'
import { ChoiceTabs } from '@/components/choice-tabs'
import { Code } from '@/components/code'
import { type SnippetParts, snippets } from './snippets.ts'

const languageNames: Readonly<Record<string, string>> = {
  shell: 'Shell',
  python: 'Python',
  javascript: 'JavaScript',
}

export function SnippetChoice(props: SnippetParts): JSX.Element {
  return (
    <ChoiceTabs
      label="Client"
      tabs={snippets(props).map(({ id, label, language, text }) => ({
        id,
        label,
        content: <Code code={text} language={languageNames[language] ?? language} grammar={language} />,
      }))}
    />
  )
}

/** The first request as code, for a selected client. */
import { type JSX, useState } from 'react'
import { Code } from '@/components/code'
import { Select } from '@/components/select'
import { type SnippetParts, snippets } from './snippets.ts'

export function SnippetChoice(props: SnippetParts): JSX.Element {
  const [chosen, setChosen] = useState('curl')
  const all = snippets(props)
  const snippet = all.find(({ id }) => id === chosen) ?? all[0]
  return (
    <div className="flex flex-col gap-2">
      <Select
        aria-label="Client"
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
        className="max-w-64"
      >
        {all.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </Select>
      {snippet === undefined ? null : <Code code={snippet.text} language={snippet.language} />}
    </div>
  )
}

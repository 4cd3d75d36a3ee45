/** Finds a request by the ID from `x-request-id` or an error. */
import { useNavigate } from '@tanstack/react-router'
import { type JSX, useId, useState } from 'react'
import { Button } from '@/components/button'
import { Search } from '@/components/icons'
import { Input } from '@/components/input'
import { requestIdIn } from '@/lib/request-id'

export function FindRequest(): JSX.Element {
  const [text, setText] = useState('')
  const [wrong, setWrong] = useState<string>()
  const isWrong = wrong !== undefined
  const navigate = useNavigate()
  const hint = useId()
  return (
    <search className="relative">
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          const id = requestIdIn(text)
          setWrong(id === undefined ? text.trim() : undefined)
          if (id !== undefined) void navigate({ to: '/console/requests/$request', params: { request: id } })
        }}
      >
        <Input
          aria-label="Request ID"
          aria-describedby={isWrong ? hint : undefined}
          aria-invalid={isWrong || undefined}
          placeholder="Request ID: req_…"
          title="The x-request-id header of a response"
          className="w-52 max-sm:w-42"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setWrong(undefined)
          }}
        />
        <Button type="submit">
          <Search aria-hidden="true" />
          Find
        </Button>
      </form>
      {isWrong ? (
        <p
          id={hint}
          role="alert"
          className="absolute top-full right-0 z-10 mt-1.5 w-80 max-w-[calc(100vw-2rem)] rounded-lg border border-line bg-raised px-3 py-2 text-sm shadow-lg shadow-black/10 max-sm:right-auto max-sm:left-0"
        >
          {wrong.startsWith('req_') ? (
            <>
              No request <code className="font-mono break-all">{wrong}</code> in this account. An ID has 13
              characters after <code className="font-mono">req_</code>.{' '}
            </>
          ) : null}
          A request ID starts with <code className="font-mono">req_</code> and is in the{' '}
          <code className="font-mono">x-request-id</code> header and in error messages. IDs in response
          bodies, such as <code className="font-mono">chatcmpl-…</code> and{' '}
          <code className="font-mono">msg_…</code>, are not stored.
        </p>
      ) : null}
    </search>
  )
}

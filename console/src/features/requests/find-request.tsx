/** Finds a request by the id from `x-request-id` or an error. */
import { useNavigate } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Search } from '@/components/icons'
import { Input } from '@/components/input'

const isId = (text: string) => /^req_[0-9a-z]{13}$/.test(text)

export function FindRequest(): JSX.Element {
  const [text, setText] = useState('')
  const navigate = useNavigate()
  const id = text.trim()
  return (
    <search>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (isId(id)) void navigate({ to: '/console/requests/$request', params: { request: id } })
        }}
      >
        <Input
          aria-label="Request ID"
          placeholder="req_…"
          title="The x-request-id of a response"
          className="w-44 font-mono max-sm:w-36"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit" disabled={!isId(id)}>
          <Search aria-hidden="true" />
          Find
        </Button>
      </form>
    </search>
  )
}

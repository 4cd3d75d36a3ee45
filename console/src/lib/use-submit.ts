/** Form submission: one at a time, with the error shown until the next attempt. */
import { useState } from 'react'
import type { ApiError } from './api.ts'
import type { Outcome } from './identity.ts'

export interface Submit {
  readonly isPending: boolean
  readonly problem: ApiError | undefined
  readonly clear: () => void
  /** Runs the request; `done` is called with its result. A second call while one runs does nothing. */
  readonly run: <Value>(
    exchange: () => Promise<Outcome<Value>>,
    done: (value: Value) => void | Promise<void>,
  ) => Promise<void>
}

export function useSubmit(): Submit {
  const [isPending, setPending] = useState(false)
  const [problem, setProblem] = useState<ApiError | undefined>(undefined)
  return {
    isPending,
    problem,
    clear: () => setProblem(undefined),
    async run(exchange, done) {
      if (isPending) return
      setPending(true)
      setProblem(undefined)
      try {
        const outcome = await exchange()
        if (outcome.kind === 'rejected') setProblem(outcome.problem)
        else await done(outcome.value)
      } finally {
        setPending(false)
      }
    },
  }
}

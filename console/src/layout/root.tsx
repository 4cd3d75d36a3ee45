/** Frame of every page: toasts, the identity dialog, and the redirect to sign in. */
import { Outlet, useRouter } from '@tanstack/react-router'
import { type JSX, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { Toaster } from '@/components/toaster'
import { setAttendant } from '@/lib/api'
import { onReturn, patiently } from '@/lib/connection'
import { queryClient } from '@/lib/operations'
import { Unreachable } from './unreachable.tsx'

const ConfirmItsYou = lazy(
  patiently(async () => ({ default: (await import('@/features/auth/confirm-its-you')).ConfirmItsYou })),
)

export function Root(): JSX.Element {
  const router = useRouter()
  const [isAsking, setAsking] = useState(false)
  const answer = useRef<((isProved: boolean) => void) | undefined>(undefined)
  useEffect(() => {
    setAttendant({
      signIn() {
        // Pages outside the frame are public.
        const { matches, location } = router.state
        if (!matches.some(({ routeId }) => routeId === '/frame')) return
        // Every query of a page is rejected; the first one redirects and remembers the page.
        if (location.pathname === '/console/sign-in') return
        queryClient.clear()
        void router.navigate({ to: '/console/sign-in', search: { next: location.href } })
      },
      confirm() {
        setAsking(true)
        return new Promise((resolve) => {
          // A second request while the dialog is open gets the same answer.
          const earlier = answer.current
          answer.current = (isProved) => {
            earlier?.(isProved)
            resolve(isProved)
          }
        })
      },
    })
  }, [router])
  useEffect(() => onReturn(() => void queryClient.invalidateQueries()), [])
  const onAnswer = (isProved: boolean): void => {
    setAsking(false)
    answer.current?.(isProved)
    answer.current = undefined
  }
  return (
    <>
      <Outlet />
      <Toaster />
      <Unreachable />
      {isAsking ? (
        <Suspense>
          <ConfirmItsYou onAnswer={onAnswer} />
        </Suspense>
      ) : null}
    </>
  )
}

/** Signs the person out, and forgets what the page knows of them. */
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { toast } from '@/components/toaster'
import { forgetFreshKey } from '@/lib/fresh-key'
import { signOut } from '@/lib/identity'
import { queryClient } from '@/lib/operations'

export function useSignOut(): { readonly isPending: boolean; readonly run: () => Promise<void> } {
  const navigate = useNavigate()
  const [isPending, setPending] = useState(false)
  return {
    isPending,
    async run() {
      setPending(true)
      const outcome = await signOut()
      setPending(false)
      if (outcome.kind === 'rejected') return toast.problem(outcome.problem.message)
      queryClient.clear()
      forgetFreshKey()
      await navigate({ to: '/console/sign-in', search: {} })
    },
  }
}

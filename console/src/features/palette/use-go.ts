/** Goes to a page of the console. */
import { useNavigate } from '@tanstack/react-router'
import type { Search } from '@/lib/search'

export type Go = (to: string, search?: Search) => void

export function useGo(): Go {
  const navigate = useNavigate()
  return (to, search = {}) => void navigate({ to, search })
}

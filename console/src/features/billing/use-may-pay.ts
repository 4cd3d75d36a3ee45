/** Whether the person may pay and change billing settings, and the sentence that says why not. */
import { useMay } from '@/lib/account'

export const payersOnly = 'Only owners, admins and billing members of this organization can do this.'

export const useMayPay = (): boolean => useMay('owner', 'admin', 'billing')

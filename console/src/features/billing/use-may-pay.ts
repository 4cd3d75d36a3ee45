/** Whether the person may pay and change how the account pays; the sentence that says why not. */
import { useMay } from '@/lib/account'

export const payersOnly = 'Owners, admins and billing members of this organization can do this.'

export const useMayPay = (): boolean => useMay('owner', 'admin', 'billing')

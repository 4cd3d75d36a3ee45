/** Tasks that the command palette finds by the words that people use for them, and the page of each. Pure data. */
import { type Icon, KeyRound, ReceiptText, Wallet } from '@/components/icons'
import type { Search } from '@/lib/search'

export interface PaletteTask {
  readonly id: string
  readonly label: string
  readonly keywords: string
  readonly Icon: Icon
  /** Who may do it; left out: every member. */
  readonly allowed?: 'builders' | 'payers'
  readonly to: string
  readonly search?: Search
}

export const tasks: readonly PaletteTask[] = [
  {
    id: 'manage-keys',
    label: 'Revoke or edit an API key',
    keywords: 'delete disable rotate limit',
    Icon: KeyRound,
    allowed: 'builders',
    to: '/console/keys',
  },
  {
    id: 'budget',
    label: 'Set the budget of an API key',
    keywords: 'limit spend cap',
    Icon: KeyRound,
    allowed: 'builders',
    to: '/console/keys',
  },
  {
    id: 'invoices',
    label: 'Invoices and statements',
    keywords: 'invoice statement payment receipt',
    Icon: Wallet,
    to: '/console/billing',
    search: { tab: 'invoices' },
  },
  {
    id: 'redeem-code',
    label: 'Redeem a code',
    keywords: 'credit voucher coupon',
    Icon: Wallet,
    allowed: 'payers',
    to: '/console/billing',
  },
  {
    id: 'find-receipt',
    label: 'Find a receipt',
    keywords: 'request receipts cost',
    Icon: ReceiptText,
    to: '/console/requests',
  },
]

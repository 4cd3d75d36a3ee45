/** Joins class names; of two conflicting ones the later wins. */
import { type ClassValue, clsx } from 'clsx'
import { twMerge } from 'tailwind-merge'

export function cn(...names: readonly ClassValue[]): string {
  return twMerge(clsx(names))
}

/** Re-exports the select. */
export { Select } from './input.tsx'

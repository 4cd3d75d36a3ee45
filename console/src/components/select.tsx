/** The select, by its usual name. */
export { Select } from './input.tsx'

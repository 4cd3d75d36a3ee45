/** The textarea, by its usual name. */
export { Textarea } from './input.tsx'

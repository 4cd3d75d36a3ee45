/** Re-exports the text area. */
export { Textarea } from './input.tsx'

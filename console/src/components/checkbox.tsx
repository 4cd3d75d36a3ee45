/** The box to tick, by its usual name. */
export { Checkbox } from './toggle.tsx'

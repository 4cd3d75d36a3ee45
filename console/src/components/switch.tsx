/** The switch, by its usual name. */
export { Switch } from './toggle.tsx'

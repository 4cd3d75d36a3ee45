/** The sections of the console, in order, for the navigation and the command palette. */
import {
  Activity,
  ChartColumn,
  Gauge,
  type Icon,
  KeyRound,
  Play,
  Plug,
  Settings,
  Wallet,
} from '@/components/icons'

export const sections = [
  ['/console', 'Overview', Gauge],
  ['/console/keys', 'API keys', KeyRound],
  ['/console/usage', 'Usage', ChartColumn],
  ['/console/requests', 'Requests', Activity],
  ['/console/billing', 'Billing', Wallet],
  ['/console/playground', 'Playground', Play],
  ['/console/connect', 'Connect', Plug],
  ['/console/settings', 'Settings', Settings],
] as const satisfies readonly (readonly [string, string, Icon])[]

/** The type of undici's client where it is imported by its path. */
declare module 'undici/lib/dispatcher/client.js' {
  import { Client } from 'undici'

  export = Client
}

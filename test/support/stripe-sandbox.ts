/**
 * The fake Stripe as a command, to click through payments by hand or with a browser: start it, start the server
 * with the variables that it prints, and pay. `node test/support/stripe-sandbox.ts [port] [address of the server]`.
 */
import { startStripeServer } from './stripe-server.ts'

const [port = '12111', address = 'http://127.0.0.1:8080'] = process.argv.slice(2)
const keys = { secretKey: ['sk', 'test', 'sandbox'].join('_'), webhookSecret: ['whsec', 'sandbox'].join('_') }
const server = await startStripeServer({
  ...keys,
  port: Number(port),
  webhookUrl: `${address}/api/stripe/webhook`,
})
process.stdout.write(`STRIPE_API_URL=${server.origin} STRIPE_SECRET_KEY=${keys.secretKey} STRIPE_WEBHOOK_SECRET=${keys.webhookSecret}
`)

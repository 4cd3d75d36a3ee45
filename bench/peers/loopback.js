/** Preloaded into Node programs that would listen on every address: they listen on the loopback address only. */
import { Server } from 'node:net'

const listen = Server.prototype.listen
/** @this {Server} @param {...any} parameters */
Server.prototype.listen = function (...parameters) {
  const [first, ...rest] = parameters
  const options = typeof first === 'object' ? { ...first } : { port: Number(first) }
  const then = rest.findLast((parameter) => typeof parameter === 'function')
  return listen.call(this, { ...options, host: '127.0.0.1' }, then)
}

/**
 * Reads a credential for a command: a line typed without being shown, or what is piped in. Never an argument, which other
 * users of the machine could see.
 */
import type { ReadStream } from 'node:tty'

const charactersMax = 8_192

export interface CredentialStreams {
  readonly input: NodeJS.ReadStream
  readonly prompt: (text: string) => void
}

/** '': none was given. */
export async function readCredential({ input, prompt }: CredentialStreams): Promise<string> {
  return input.isTTY ? await typed(input as ReadStream, prompt) : await piped(input)
}

async function piped(input: NodeJS.ReadStream): Promise<string> {
  let text = ''
  input.setEncoding('utf8')
  for await (const piece of input) {
    text += String(piece)
    if (text.length > charactersMax) throw new Error(`the API key is longer than ${charactersMax} characters`)
  }
  return text.trim()
}

const endOfLine = ['\r', '\n', '\u0004']
const interrupt = '\u0003'
const erase = ['\b', '\u007f']

async function typed(input: ReadStream, prompt: (text: string) => void): Promise<string> {
  prompt('API key (not shown; Enter for none): ')
  input.setEncoding('utf8')
  input.setRawMode(true)
  let text = ''
  try {
    for await (const piece of input) {
      for (const character of String(piece)) {
        if (character === interrupt) throw new Error('canceled')
        if (endOfLine.includes(character)) return text.trim()
        text = erase.includes(character) ? text.slice(0, -1) : text + character
      }
    }
    return text.trim()
  } finally {
    input.setRawMode(false)
    prompt('\n')
  }
}

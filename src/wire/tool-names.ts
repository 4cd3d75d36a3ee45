/**
 * Names of tools as another format allows them, and the way back: the answer must call a tool by the name
 * that the caller declared. Pure: the same name always becomes the same, declared or only in the history.
 */
import { textHash } from './hash.ts'
import type { CallerTool, ToolNames } from './neutral.ts'

/** What a format allows in the name of a tool. */
export interface NameRule {
  readonly charactersMax: number
  /** One character that may stand anywhere but first. */
  readonly allowed: RegExp
  /** One character that may stand first. */
  readonly first: RegExp
}

export const openaiNames: NameRule = { charactersMax: 64, allowed: /[\w-]/, first: /[\w-]/ }
export const anthropicNames: NameRule = { charactersMax: 128, allowed: /[\w-]/, first: /[\w-]/ }
export const geminiNames: NameRule = { charactersMax: 64, allowed: /[\w.:-]/, first: /[A-Za-z_]/ }

const hashCharacters = 8

/** The name under which a tool goes; the namespace, which other formats lack, comes before it. */
export function targetName(rule: NameRule, name: string, namespace: string | null): string {
  const full = namespace === null ? name : `${namespace}__${name}`
  let fit = ''
  for (const letter of full) fit += rule.allowed.test(letter) ? letter : '_'
  if (!rule.first.test(fit.charAt(0))) fit = `_${fit}`
  if (fit === full && fit.length <= rule.charactersMax) return fit
  // Two names that differ only in what was replaced or cut must not meet.
  return `${fit.slice(0, rule.charactersMax - hashCharacters - 1)}_${textHash(full).slice(0, hashCharacters)}`
}

/** Collects, while a request is written, the tools whose answer must be renamed or unwrapped. */
export class NamedTools {
  private readonly rule: NameRule
  private readonly map = new Map<string, CallerTool>()

  constructor(rule: NameRule) {
    this.rule = rule
  }

  /** The target name of a tool; `wrapped`: its free text goes as `{"input": "…"}`. */
  name(name: string, namespace: string | null, wrapped = false): string {
    const target = targetName(this.rule, name, namespace)
    if (wrapped || target !== name) this.map.set(target, { name, namespace, wrapped })
    return target
  }

  get names(): ToolNames {
    return this.map
  }
}

import { verbatim } from '#kernel/errors'
import type { CustomRule } from '../rules.ts'
import { reportFault, type ValidationContext } from './validation-context.ts'

/** A call of a rule of the application that is due when all other rules are checked. */
export interface DueRule {
  readonly rule: CustomRule
  readonly value: unknown
  readonly name: string
  readonly pointer: string
}

/** Calls the rules one after the other, each once, and reports the sentences that they return. */
export async function checkCustomRules(
  due: readonly DueRule[],
  { operation, faults }: Pick<ValidationContext, 'operation' | 'faults'>,
): Promise<void> {
  for (const { rule, value, name, pointer } of due) {
    const result: unknown = await rule(value, operation.context.request)
    for (const sentence of toSentences(result, name)) reportFault({ faults }, pointer, verbatim(sentence))
  }
}

/** Throws for a result that is neither a sentence, a list of sentences nor nothing, so that no mistake accepts a value. */
function toSentences(result: unknown, name: string): readonly string[] {
  if (result === undefined || result === null) return []
  const sentences: unknown[] = Array.isArray(result) ? result : [result]
  if (sentences.every((sentence) => typeof sentence === 'string' && sentence !== '')) return sentences as string[]
  throw new TypeError(`The rule of '${name}' must return a sentence, a list of sentences or nothing.`)
}

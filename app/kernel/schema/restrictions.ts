import { getOrCreate } from '../lib/get-or-create.ts'
import type { Logger } from '../lib/logger.ts'

/** A restriction of the author: `true`, or a function that returns whether it applies. */
export type Rule<Args extends unknown[]> = boolean | ((...args: Args) => boolean)

/** The request to which a thrown error is reported; null for an operation of the program. */
type Reporter = { readonly app: { readonly logger: Logger | null } } | null

/** Normalizes an author's restriction. Fails closed: a value that is neither a boolean nor a function restricts. */
export function toRule<Args extends unknown[]>(given: Rule<Args>): Rule<Args> {
  return typeof given === 'function' || given === false ? given : true
}

/** Whether a restriction applies. Only `false` lifts it: any other result and a thrown error count as true. */
export function applies<Args extends unknown[]>(rule: Rule<Args>, args: NoInfer<Args>, request: Reporter): boolean {
  if (typeof rule !== 'function') return rule
  try {
    return rule(...args) !== false
  } catch (error) {
    if (request) reportOnce(rule, error, request)
    return true
  }
}

const reported = new WeakMap<object, Set<unknown>>()

/** Logs the error of a restriction once per request, although the function may run for each row. */
function reportOnce(rule: unknown, error: unknown, request: NonNullable<Reporter>): void {
  const rules = getOrCreate(reported, request, () => new Set<unknown>())
  if (rules.has(rule)) return
  rules.add(rule)
  request.app.logger?.error({ err: error }, 'A function of a field threw an error; its restriction applies.')
}

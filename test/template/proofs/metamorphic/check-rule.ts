import { createRandomSource } from '#test/conformance/random.ts'
import { libraryDatabase } from '#test/template/support/library/index.ts'
import { fillRandomRows } from './random-rows.ts'
import { type RuleName, rules } from './rules/index.ts'
import { createWorld, type WorldSend } from './world.ts'

/** A case that violates a rule; its seed repeats it and the other cases with the same rows. */
export interface Violation {
  readonly rule: RuleName
  readonly seed: number
  readonly message: string
  /** The requests of the case, in order. */
  readonly requests: readonly string[]
}

/** Checks some cases of a rule on the same random rows. */
export async function checkRule(rule: RuleName, seed: number, send: WorldSend): Promise<Violation | null> {
  const count = casesPerSeed(rule)
  const draw = createRandomSource(seed)
  if (rule !== 'batches') await fillRandomRows(await libraryDatabase(), draw)
  const cases = Array.from({ length: count }, (_, number) => () => checkCase(rule, seed, seed * count + number, send))
  if (!writingRules.has(rule)) return (await Promise.all(cases.map((check) => check()))).find(Boolean) ?? null
  for (const check of cases) {
    const violation = await check()
    if (violation) return violation
  }
  return null
}

async function checkCase(rule: RuleName, seed: number, caseSeed: number, send: WorldSend): Promise<Violation | null> {
  const requests: string[] = []
  const world = createWorld((method, path, body, isBatch) => {
    requests.push(`${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`)
    return send(method, path, body, isBatch)
  })
  const message = await rules[rule](world, createRandomSource(caseSeed)).catch((error: Error) => error.message)
  return message ? { rule, seed, message, requests } : null
}

/** Rules whose cases change rows: they are checked one after another. */
const writingRules: ReadonlySet<RuleName> = new Set(['cursors', 'batches'])

/** The number of cases with the same rows. More cases of the rule `cursors` would insert more rows than a page can have. */
export function casesPerSeed(rule: RuleName): number {
  return writingRules.has(rule) ? 5 : 20
}

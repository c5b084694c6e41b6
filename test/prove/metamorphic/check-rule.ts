import { createRandomSource } from '#test/specification/random.ts'
import { libraryDatabase } from '#test/support/library/index.ts'
import { fillRandomRows } from './random-rows.ts'
import { type RuleName, rules } from './rules/index.ts'
import { createWorld, type WorldSend } from './world.ts'

/** A case that violates a rule; its seed repeats it. */
export interface Violation {
  readonly rule: RuleName
  readonly seed: number
  readonly message: string
  /** The requests of the case, in order. */
  readonly requests: readonly string[]
}

/** Checks a rule on random rows. Each case has its own seed, from which its rows and requests are drawn. */
export async function checkRule(rule: RuleName, seed: number, send: WorldSend): Promise<Violation | null> {
  const draw = createRandomSource(seed)
  const requests: string[] = []
  const recording: WorldSend = (method, path, body, isBatch) => {
    requests.push(`${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`)
    return send(method, path, body, isBatch)
  }
  if (rule !== 'batches') await fillRandomRows(await libraryDatabase(), draw)
  const world = createWorld(recording)
  for (let cases = 0; cases < casesPerSeed; cases++) {
    requests.length = 0
    const message = await rules[rule](world, draw).catch((error: Error) => error.message)
    if (message) return { rule, seed, message, requests }
  }
  return null
}

/** Cases with the same rows. */
export const casesPerSeed = 5

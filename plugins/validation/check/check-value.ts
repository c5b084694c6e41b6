import { phrase, verbatim } from '#kernel/plugin'
import type { Member } from '../compile/compiled-attribute.ts'
import { type Flaw, flawsIn } from '../compile/joi-schemas.ts'
import type { Part, Rules } from '../rules.ts'
import { boundFlaws } from './temporal-bounds.ts'
import type { Look } from './validation-context.ts'

/** Whether a part of the rules counts now. */
export function holds(part: Part, value: unknown, { moment, operation }: Pick<Look, 'moment' | 'operation'>): boolean {
  if (part.kind === 'moment') return part.moment === moment
  return part.kind !== 'when' || part.condition(value, operation.context.request)
}

/** Flaws that rules find in a value of the right kind, found one by one as they are asked for. */
export function* flawsOf(rules: Rules, value: unknown, member: Member, look: Look): Generator<Flaw> {
  const checks = member.checks.get(rules)
  if (checks) yield* flawsIn(checks.value, value)
  for (const check of checks?.shapes ?? []) yield* check(value)
  yield* boundFlaws(rules, value, member.attribute)
  yield* itemFlaws(rules, value, member, look)
  for (const part of rules.parts ?? []) {
    if (holds(part, value, look)) yield* partFlaws(part, value, member, look)
  }
}

function* partFlaws(part: Part, value: unknown, member: Member, look: Look): Generator<Flaw> {
  if (!('choices' in part)) yield* flawsOf(part.rules, value, member, look)
  else if (part.kind === 'any') yield* choiceFlaws(part.choices, value, member, look)
  else {
    for (const rules of part.choices) {
      const hasFlaw: boolean = yield* counted(flawsOf(rules, value, member, look))
      if (hasFlaw && part.kind === 'inTurn') return
    }
  }
}

/** Passes flaws on; returns whether there were any. */
export function* counted(flaws: Iterable<Flaw>): Generator<Flaw, boolean> {
  let hasFlaw = false
  for (const flaw of flaws) {
    hasFlaw = true
    yield flaw
  }
  return hasFlaw
}

/** Reasons that are told of one choice. */
const maxReasons = 5

/** One flaw for all choices, unless one of them has none. */
function* choiceFlaws(choices: readonly Rules[], value: unknown, member: Member, look: Look): Generator<Flaw> {
  const all = choices.map((rules) => firstOf(flawsOf(rules, value, member, look), maxReasons))
  if (all.length === 0 || all.some((flaws) => flaws.length === 0)) return
  const reasons = verbatim(all.flatMap((flaws) => flaws.map(({ message }) => message)).join(' '))
  yield { path: [], message: phrase('At least one of these must not be so: {reasons}', { reasons }) }
}

function firstOf(flaws: Iterable<Flaw>, count: number): Flaw[] {
  const first: Flaw[] = []
  for (const flaw of flaws) if (first.push(flaw) === count) break
  return first
}

/** Of a list with too many items, none is checked. */
function* itemFlaws({ each, maxItems }: Rules, value: unknown, member: Member, look: Look): Generator<Flaw> {
  if (!each || !Array.isArray(value) || value.length > (maxItems ?? Number.POSITIVE_INFINITY)) return
  for (const [index, item] of value.entries()) {
    for (const flaw of flawsOf(each, item, member, look)) yield { ...flaw, path: [index, ...flaw.path] }
  }
}

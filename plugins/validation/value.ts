import { phrase } from '#kernel'
import { boundFlaws } from './bounds.ts'
import type { Look } from './look.ts'
import type { Member } from './member.ts'
import type { Part, Rules } from './rules.ts'
import { type Flaw, flawsIn } from './schema.ts'

/** Whether a part of the rules counts now. */
export function holds(part: Part, value: unknown, { moment, operation }: Pick<Look, 'moment' | 'operation'>): boolean {
  if (part.kind === 'moment') return part.moment === moment
  return part.kind !== 'when' || part.condition(value, operation.context.request)
}

/** What rules find wrong with a value of the right kind. */
export function flawsOf(rules: Rules, value: unknown, member: Member, look: Look): Flaw[] {
  const checks = member.checks.get(rules)
  const own = [
    ...(checks ? flawsIn(checks.value, value) : []),
    ...(checks?.shapes ?? []).flatMap((check) => check(value)),
    ...boundFlaws(rules, value, member.attribute),
    ...itemFlaws(rules, value, member, look),
  ]
  const further = (rules.parts ?? []).flatMap((part) =>
    holds(part, value, look) ? partFlaws(part, value, member, look) : [],
  )
  return [...own, ...further]
}

function partFlaws(part: Part, value: unknown, member: Member, look: Look): Flaw[] {
  if (!('choices' in part)) return flawsOf(part.rules, value, member, look)
  if (part.kind === 'inTurn') {
    for (const rules of part.choices) {
      const flaws = flawsOf(rules, value, member, look)
      if (flaws.length > 0) return flaws
    }
    return []
  }
  const all = part.choices.map((rules) => flawsOf(rules, value, member, look))
  if (part.kind === 'all') return all.flat()
  if (all.length === 0 || all.some((flaws) => flaws.length === 0)) return []
  const reasons = all.flat().map(({ message }) => message)
  return [
    { path: [], message: phrase('At least one of these must not be so: {reasons}', { reasons: reasons.join(' ') }) },
  ]
}

function itemFlaws({ each }: Rules, value: unknown, member: Member, look: Look): Flaw[] {
  if (!each || !Array.isArray(value)) return []
  return value.flatMap((item, index) =>
    flawsOf(each, item, member, look).map(({ path, message }) => ({ path: [index, ...path], message })),
  )
}

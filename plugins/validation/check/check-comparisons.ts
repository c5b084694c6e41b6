import { codecOf, phrase } from '#kernel/plugin'
import type { Member } from '../compile/compiled-attribute.ts'
import type { ComparisonName, Rules } from '../rules.ts'
import { holds } from './check-value.ts'
import { comparable } from './temporal-bounds.ts'
import { type Look, pointerTo, sentValue, tell } from './validation-context.ts'

const comparisons: Readonly<Record<ComparisonName, { words: string; holds(a: never, b: never): boolean }>> = {
  EqualTo: { words: "'{name}' must be equal to '{other}'.", holds: (a, b) => a === b },
  NotEqualTo: { words: "'{name}' must not be equal to '{other}'.", holds: (a, b) => a !== b },
  GreaterThan: { words: "'{name}' must be greater than '{other}'.", holds: (a, b) => a > b },
  GreaterThanOrEqual: { words: "'{name}' must be greater than or equal to '{other}'.", holds: (a, b) => a >= b },
  LessThan: { words: "'{name}' must be less than '{other}'.", holds: (a, b) => a < b },
  LessThanOrEqual: { words: "'{name}' must be less than or equal to '{other}'.", holds: (a, b) => a <= b },
}

/** Compares fields with one another: what was sent, and where nothing was, what is stored. */
export function checkComparisons(taken: readonly Member[], members: readonly Member[], look: Look): void {
  for (const member of members) {
    if (!member.isCompared) continue
    for (const { field, comparison } of comparedIn(member.rules, sentValue(member, look), look)) {
      const other = members.find(({ attribute }) => attribute.name === field)
      const sent = [member, other].find((one) => one && taken.includes(one) && sentValue(one, look) !== undefined)
      if (!other || !sent) continue
      const [a, b] = [compared(member, taken, look), compared(other, taken, look)]
      const { words, holds } = comparisons[comparison]
      if (a === undefined || b === undefined || holds(a as never, b as never)) continue
      tell(look, pointerTo(sent, look), phrase(words, { name: member.attribute.name, other: field }))
    }
  }
}

function comparedIn(rules: Rules, value: unknown, look: Look): NonNullable<Rules['compared']> {
  const further = (rules.parts ?? []).flatMap((part) => {
    if (part.kind === 'any' || !holds(part, value, look)) return []
    return ('choices' in part ? part.choices : [part.rules]).flatMap((inner) => comparedIn(inner, value, look))
  })
  return [...(rules.compared ?? []), ...further]
}

/** Undefined when there is nothing to compare: null, a value of another kind, or one that is stored in another form. */
function compared(member: Member, taken: readonly Member[], look: Look): unknown {
  const { attribute } = member
  const { fromWire, toWire } = codecOf(attribute)
  const sent = taken.includes(member) ? sentValue(member, look) : undefined
  if (sent !== undefined) return sent === null ? undefined : comparable(fromWire(sent))
  const { property, fill, deserialize, writeOnly, on } = attribute
  if (!property || fill || deserialize || writeOnly !== false || on) return undefined
  const stored = look.stored?.[property]
  if (stored === null || stored === undefined) return undefined
  return comparable(fromWire(toWire ? toWire(stored) : stored))
}

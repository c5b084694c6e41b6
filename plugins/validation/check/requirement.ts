import type { Rules } from '../rules.ts'
import { holds } from './check-value.ts'
import type { Look } from './validation-context.ts'

/** When a member must be there. */
export interface Presence {
  /** The moments at which it may not be empty. */
  readonly demanded: ReadonlySet<'onCreate' | 'onUpdate'>
  readonly asked: ReadonlySet<Rules['required']>
  readonly nullable: boolean
}

/** By what the rules say themselves. */
export function presenceIn({ required, nullable = false }: Rules): Presence {
  const demanded = new Set<'onCreate' | 'onUpdate'>()
  if (required && required !== 'onUpdate') demanded.add('onCreate')
  if (required && required !== 'onCreate') demanded.add('onUpdate')
  return { demanded, asked: new Set(required && [required]), nullable }
}

/** Rules inside a condition count while it holds. */
export function presenceNow(rules: Rules, value: unknown, look: Look): Presence {
  let found = presenceIn(rules)
  for (const part of rules.parts ?? []) {
    if (part.kind === 'any' || !holds(part, value, look)) continue
    for (const inner of 'choices' in part ? part.choices : [part.rules]) {
      found = both(found, presenceNow(inner, value, look))
    }
  }
  return found
}

function both(one: Presence, other: Presence): Presence {
  return {
    demanded: new Set([...one.demanded, ...other.demanded]),
    asked: new Set([...one.asked, ...other.asked]),
    nullable: one.nullable || other.nullable,
  }
}

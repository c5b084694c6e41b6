import { type Faults, type Phrase, validationFailed } from '#kernel/errors'
import { type Attribute, applies, type Context, escapePointer, type Operation, type Row } from '#kernel/plugin'
import type { CompiledAttribute } from '../compile/compile-attributes.ts'
import type { WhenCondition } from '../rules.ts'
import type { DueRule } from './check-custom-rules.ts'

/** The input of one level of a write: the attributes of a resource, a nested object, or the values of a pivot row. */
export interface ValidationContext {
  readonly operation: Operation
  /** JSON pointer of the object that has, or should have, the members. */
  readonly basePointer: string
  readonly sent: Readonly<Record<string, unknown>>
  /** The stored values before the change; null if there are none. */
  readonly stored: Readonly<Record<string, unknown>> | null
  /** The stored row, which functions of fields receive, also those of members of a nested object. Null if it is not read. */
  readonly row: object | null
  /** The attributes that hold the nested object. */
  readonly around: readonly Attribute[]
  readonly faults: Faults
  /** Collects the rules of the application that are due. */
  readonly due: DueRule[]
}

/** Returns the sent value of an attribute; undefined if it was not sent. */
export function sentValue({ name }: Attribute, { sent }: ValidationContext): unknown {
  return Object.hasOwn(sent, name) ? sent[name] : undefined
}

/** Whether a function of the attribute refuses this requester. */
export function isReadOnlyNow({ isReadOnly }: CompiledAttribute, { operation }: ValidationContext): boolean {
  const { request } = operation.context
  return isReadOnly !== null && applies(isReadOnly, [request], request)
}

/** Whether all conditions of `when()` around a rule set are true. */
export function allHold(
  conditions: readonly WhenCondition[],
  value: unknown,
  { operation }: ValidationContext,
): boolean {
  return conditions.length === 0 || conditions.every((condition) => condition(value, operation.context.request))
}

/** Whether the requester may not see the stored value of an attribute. A fault that depends on the value would reveal it. */
export function isStoredHidden(attribute: Attribute, { operation, row, around }: ValidationContext): boolean {
  const { query, context } = operation
  return [...around, attribute].some((part) => {
    if (part.writeOnly !== false) return true
    return !context.trusted && (query.visibility?.hides(part) || isHiddenByRow(part, row, context))
  })
}

/** A function that lacks the values it reads could not decide: then the value is hidden. */
function isHiddenByRow({ hidden, needs }: Attribute, row: object | null, { request }: Context): boolean {
  if (typeof hidden !== 'function') return hidden
  const isReadable = row !== null && (needs ?? []).every((name) => name in row)
  return !isReadable || applies(hidden, [row as Row, request], request)
}

export function pointerTo({ name }: Attribute, { basePointer }: ValidationContext): string {
  return `${basePointer}/${escapePointer(name)}`
}

export function reportFault({ faults }: Pick<ValidationContext, 'faults'>, pointer: string, message: Phrase): void {
  faults.push(validationFailed({ message }, { source: { pointer } }))
}

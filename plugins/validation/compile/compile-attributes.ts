import type { Attribute, EntityShape, PropertyShape } from '#kernel/plugin'
import type { CustomRule, WriteTiming } from '../rules.ts'
import {
  type AppliedRules,
  appliedRules,
  dependsOnTiming,
  findRequirement,
  isConditional,
  type Requirement,
} from './applied-rules.ts'
import { type CompiledComparison, compileComparisons } from './compile-comparisons.ts'
import { type CheckRules, compileRules } from './compile-rules.ts'
import { type Column, compileColumnCheck, kindReader, type ValueCheck } from './kind-check.ts'

/** The checks of the attributes of one level of a write: of a resource, a nested object, or a pivot row. */
export interface CompiledAttributes {
  readonly timing: WriteTiming
  /** Without attributes that no requester may write. */
  readonly writable: readonly CompiledAttribute[]
  readonly comparisons: readonly CompiledComparison[]
  /** Whether a check of an update reads the stored values, or is a function that is called for existing rows only. */
  readonly readsRow: boolean
}

export interface CompiledAttribute {
  readonly attribute: Attribute
  readonly column: Column
  /** Null if all requesters may write it. */
  readonly isReadOnly: Exclude<Attribute['readOnlyOnCreate'], boolean> | null
  /** Null if a condition of `when()` changes it: then it is computed for each write. */
  readonly requirement: Requirement | null
  /** Whether nothing is checked if it was not sent. */
  readonly isOptional: boolean
  readonly readKind: (value: unknown) => unknown
  /** Null if a value of the kind cannot break a rule. */
  readonly checkRules: CheckRules | null
  /** Null if the column has no limit. */
  readonly checkColumn: ValueCheck | null
  readonly customRules: readonly CompiledRule[]
  /** All rule sets that may apply. */
  readonly applied: readonly AppliedRules[]
  /** The checks of the members of an object. Null for another value. */
  readonly members: CompiledMembers | null
}

/** A rule of the application, and the conditions of `when()` under which it applies. */
export interface CompiledRule extends Pick<AppliedRules, 'conditions'> {
  readonly rule: CustomRule
}

/** The members of an object or, by the value of the discriminator, of each variant. */
export interface CompiledMembers {
  readonly members: ObjectChecks
  readonly variants: ReadonlyMap<string, ObjectChecks>
}

/** The checks of an object that replaces a stored one, and of a new object, which are those of a create. */
export interface ObjectChecks {
  readonly stored: CompiledAttributes
  readonly added: CompiledAttributes
}

/** `kind` decides on what is read-only, `timing` on the rules: a new object in a stored row has the rules of a create. */
export interface WriteCase {
  readonly kind: 'Create' | 'Update'
  readonly timing: WriteTiming
}

/** The entity that has the column of an attribute. Null for the members of a JSON value, which have no columns. */
type ShapeOf = (attribute: Attribute) => EntityShape | null | undefined

export const onCreate: WriteCase = { kind: 'Create', timing: 'onCreate' }
export const onUpdate: WriteCase = { kind: 'Update', timing: 'onUpdate' }

/** Compiles the attributes of a type or of a pivot row. */
export function compileAttributes(
  attributes: readonly Attribute[],
  shapeOf: ShapeOf,
  write: WriteCase,
): CompiledAttributes {
  const writable = attributes
    .filter((attribute) => attribute.hidden !== true && readOnlyIn(attribute, write) !== true)
    .map((attribute) => compileAttribute(attribute, shapeOf, write))
  const comparisons = compileComparisons(attributes, writable, write.timing)
  return {
    timing: write.timing,
    writable,
    comparisons,
    readsRow: writable.some(readsRow) || comparisons.some((one) => one.readsRow),
  }
}

function readOnlyIn(
  { readOnlyOnCreate, readOnlyOnUpdate }: Attribute,
  { kind }: WriteCase,
): Attribute['readOnlyOnCreate'] {
  return kind === 'Create' ? readOnlyOnCreate : readOnlyOnUpdate
}

function compileAttribute(attribute: Attribute, shapeOf: ShapeOf, write: WriteCase): CompiledAttribute {
  const { property, options } = attribute
  const { timing } = write
  const column = property ? shapeOf(attribute)?.properties.get(property) : undefined
  const applied = appliedRules(options.rules ?? {}, timing)
  const requirement = isConditional(applied) ? null : findRequirement(applied, timing)
  const isReadOnly = readOnlyIn(attribute, write)
  const mustBeSent = timing === 'onCreate' ? requirement?.isRequired : requirement?.requiresStoredValue
  return {
    attribute,
    column: column ?? {},
    isReadOnly: typeof isReadOnly === 'function' ? isReadOnly : null,
    requirement,
    isOptional: requirement !== null && !mustBeSent,
    readKind: kindReader(attribute),
    checkRules: compileRules(attribute, timing),
    checkColumn: compileColumnCheck(attribute, column),
    customRules: applied.flatMap(({ rules, conditions }) =>
      (rules.customRules ?? []).map((rule) => ({ rule, conditions })),
    ),
    applied,
    members: compileMembers(attribute, column, shapeOf, write),
  }
}

function compileMembers(
  { kind, children, variants }: Attribute,
  column: PropertyShape | undefined,
  shapeOf: ShapeOf,
  write: WriteCase,
): CompiledMembers | null {
  if (kind !== 'map' && kind !== 'obj' && kind !== 'oneOf') return null
  const compile = (members: readonly Attribute[], shape: ShapeOf): ObjectChecks => {
    const stored = compileAttributes(members, shape, write)
    if (write.timing === 'onCreate') return { stored, added: stored }
    return { stored, added: compileAttributes(members, shape, { ...write, timing: 'onCreate' }) }
  }
  return {
    members: compile(children, kind === 'map' ? shapeOf : shapeOfMembers(column)),
    variants: new Map([...variants].map(([variant, members]) => [variant, compile(members, noShape)])),
  }
}

const noShape: ShapeOf = () => null

/** The properties of an embeddable are columns, too. */
function shapeOfMembers({ members, name }: Partial<PropertyShape> = {}): ShapeOf {
  return members && name !== undefined ? () => ({ name, key: '', properties: members }) : noShape
}

function readsRow({ attribute, applied, customRules, members }: CompiledAttribute): boolean {
  const { kind, property, on } = attribute
  if (customRules.length > 0) return true // called once, and only for a row that exists
  if (applied.some(({ rules }) => rules.required === 'onUpdate')) return true
  if (!members) return false
  const { stored } = members.members
  if (kind === 'map') return stored.readsRow
  if (!property || on) return false // as if nothing was stored
  return kind === 'oneOf' || stored.readsRow || stored.writable.some((one) => hasOtherRulesOnCreate(one.attribute))
}

/** Whether the rules of an attribute, or of its members, depend on whether it is stored already. */
export function hasOtherRulesOnCreate({ options, children, variants }: Attribute): boolean {
  return (
    dependsOnTiming(options.rules ?? {}) ||
    children.some(hasOtherRulesOnCreate) ||
    [...variants.values()].some((members) => members.some(hasOtherRulesOnCreate))
  )
}

import type Joi from 'joi'
import type { Attribute, AttributeKind, EntityShape, PropertyShape } from '#kernel/plugin'
import type { Rules } from '../rules.ts'
import { compileShape, type ShapeCheck } from './compile-shape.ts'
import { hasValueRules, ruleSchema } from './joi-schemas.ts'
import { compileColumnCheck, compileKindCheck, type ValueCheck } from './kind-check.ts'
import { type Requirement, requirementOf } from './requirement.ts'
import { familyOf, itemFamily, type ValueFamily } from './value-family.ts'

/** An attribute with its checks, compiled at boot. */
export interface CompiledAttribute {
  readonly attribute: Attribute
  readonly rules: Rules
  readonly checkKind: ValueCheck
  /** Null if the column has no limit. */
  readonly checkColumn: ValueCheck | null
  /** Null if it depends on the request: then it is computed for each write. */
  readonly requirement: Requirement | null
  readonly hasComparisons: boolean
  /** The checks of each rule set of the attribute, nested ones included. A set that checks nothing has no entry. */
  readonly checks: ReadonlyMap<Rules, RuleChecks>
  readonly children: readonly CompiledAttribute[]
  readonly variants: ReadonlyMap<string, readonly CompiledAttribute[]>
}

export interface RuleChecks {
  /** Null if no rule of the set is about the value alone. */
  readonly schema: Joi.Schema | null
  readonly shapes: readonly ShapeCheck[]
}

/** The entity that has the column of an attribute. Null for the members of a JSON value, which have no columns. */
type ShapeOf = (attribute: Attribute) => EntityShape | null | undefined

/** Compiles the attributes of a type or of a pivot row. */
export function compileAttributes(attributes: readonly Attribute[], shapeOf: ShapeOf): readonly CompiledAttribute[] {
  return attributes.map((attribute) => {
    const { name, kind, property, options, children, variants } = attribute
    const { rules = {} } = options
    const column = property ? shapeOf(attribute)?.properties.get(property) : undefined
    const checks = new Map<Rules, RuleChecks>()
    // Joi throws on an empty label. An empty name is reported later, with the other faults of the registry.
    compileRules(rules, { label: name || 'unnamed', family: familyOf(attribute), kind }, checks)
    return {
      attribute,
      rules,
      checkKind: compileKindCheck(attribute, column),
      checkColumn: compileColumnCheck(attribute, column),
      requirement: rules.parts ? null : requirementOf(rules),
      hasComparisons: rules.comparisons !== undefined || rules.parts !== undefined,
      checks,
      children: compileAttributes(children, kind === 'map' ? shapeOf : shapeOfMembers(column)),
      variants: new Map([...variants].map(([variant, members]) => [variant, compileAttributes(members, noShape)])),
    }
  })
}

const noShape: ShapeOf = () => null

/** The properties of an embeddable are columns, too. */
function shapeOfMembers({ members, name }: Partial<PropertyShape> = {}): ShapeOf {
  return members && name !== undefined ? () => ({ name, key: '', properties: members }) : noShape
}

/** Whether the checks of an update read the stored row or call functions of the application. */
export function readsStoredRow({ rules, requirement, hasComparisons, children, variants }: CompiledAttribute): boolean {
  if (hasComparisons || rules.customRules || !requirement || requirement.requiresStoredValue) return true
  return children.length > 0 || variants.size > 0
}

interface RuleTarget {
  readonly label: string
  readonly family: ValueFamily
  /** The kind whose default format applies; null in nested rule sets, which add to it. */
  readonly kind: AttributeKind | null
  /** Items of a list have no kind that is checked first, so their schema always checks the JSON type. */
  readonly isItem?: boolean
}

function compileRules(rules: Rules, target: RuleTarget, checks: Map<Rules, RuleChecks>): void {
  const { label, family, kind, isItem } = target
  const { shapes = [], parts = [], each, before, after, between } = rules
  const hasSchema = isItem || hasValueRules(family, rules, kind)
  const otherRules = [before, after, between, each, shapes[0], parts[0]]
  if (hasSchema || otherRules.some((rule) => rule !== undefined)) {
    checks.set(rules, {
      schema: hasSchema ? ruleSchema(family, rules, kind).label(label) : null,
      shapes: shapes.map((shape) => compileShape(shape, label)),
    })
  }
  for (const nested of parts.flatMap(({ ruleSets }) => ruleSets)) {
    compileRules(nested, { label, family, kind: null }, checks)
  }
  if (each) compileRules(each, { label, family: itemFamily(each), kind: null, isItem: true }, checks)
}

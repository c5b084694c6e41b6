import type Joi from 'joi'
import type { Attribute, AttributeKind, EntityShape } from '#kernel/plugin'
import { type Presence, presenceIn } from '../check/requirement.ts'
import type { Rules } from '../rules.ts'
import { compileShape, type ShapeCheck } from '../shape.ts'
import { asksNothing, fitsColumn, type IsRight, isOfKind } from './fast-checks.ts'
import { formatOf } from './formats.ts'
import { columnSchema, type Family, familyOf, kindSchema, ruleSchema } from './joi-schemas.ts'

/** An attribute as validation sees it, compiled once. */
export interface Member {
  readonly attribute: Attribute
  readonly rules: Rules
  readonly kind: Joi.Schema
  readonly isOfKind: IsRight
  /** Null when the column sets no bounds. */
  readonly column: Joi.Schema | null
  readonly fitsColumn: IsRight
  /** Whether its rules ask something of a value. */
  readonly isRuled: boolean
  /** When it must be there; null when that depends on conditions. */
  readonly presence: Presence | null
  /** Whether it is compared with another. */
  readonly isCompared: boolean
  /** The checks of every set of rules said of it. */
  readonly checks: ReadonlyMap<Rules, RuleChecks>
  readonly children: readonly Member[]
  readonly variants: ReadonlyMap<string, readonly Member[]>
}

export interface RuleChecks {
  readonly value: Joi.Schema
  readonly shapes: readonly ShapeCheck[]
}

/** Inside a stored value, members have no columns: then the shape is null. */
export function compileMembers(attributes: readonly Attribute[], shape: EntityShape | null): readonly Member[] {
  return attributes.map((attribute) => {
    const { name, kind, property, on, options, children, variants } = attribute
    const { rules = {} } = options
    // An empty name is refused when the registry is checked; until then Joi wants some label.
    const label = name || 'unnamed'
    const stored = property && !on ? shape?.properties.get(property) : undefined
    const column = columnSchema(attribute, stored)
    const checks = new Map<Rules, RuleChecks>()
    compileRules(rules, label, familyOf(attribute), kind, checks)
    return {
      attribute,
      rules,
      kind: kindSchema(attribute).label(label),
      isOfKind: isOfKind(attribute),
      column: column?.label(label) ?? null,
      fitsColumn: fitsColumn(attribute, stored),
      isRuled: !asksNothing(rules, formatOf(kind) !== undefined),
      presence: rules.parts ? null : presenceIn(rules),
      isCompared: rules.compared !== undefined || rules.parts !== undefined,
      checks,
      children: compileMembers(children, kind === 'map' ? shape : null),
      variants: new Map([...variants].map(([variant, members]) => [variant, compileMembers(members, null)])),
    }
  })
}

/** Only the rules of the field itself bring the format of its kind along; those inside them add to it. */
function compileRules(
  rules: Rules,
  label: string,
  family: Family,
  kind: AttributeKind | null,
  checks: Map<Rules, RuleChecks>,
): void {
  const shapes = (rules.shapes ?? []).map((shape) => compileShape(shape, label))
  checks.set(rules, { value: ruleSchema(family, rules, kind).label(label), shapes })
  for (const part of rules.parts ?? []) {
    for (const inner of 'choices' in part ? part.choices : [part.rules]) {
      compileRules(inner, label, family, null, checks)
    }
  }
  if (rules.each) compileRules(rules.each, label, itemFamily(rules.each), null, checks)
}

const numberRules = ['min', 'max', 'exclusiveMin', 'exclusiveMax', 'multipleOf'] as const

/** An item is a number when it is limited as one, and a text otherwise. */
export function itemFamily(rules: Rules): Family {
  const listed = [...(rules.in ?? []), ...(rules.notIn ?? [])]
  return numberRules.some((rule) => rules[rule] !== undefined) || listed.some((value) => typeof value === 'number')
    ? 'number'
    : 'text'
}

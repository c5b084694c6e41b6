import { didYouMean } from '#kernel/errors'
import type { Attribute, AttributeKind, Registry, ResourceType } from '#kernel/plugin'
import type { Bound, Rules } from '../rules.ts'
import { findConstant } from './compile-shape.ts'
import { rulesOfFamily } from './joi-schemas.ts'
import { toLimit } from './temporal-bounds.ts'
import { findFamily, itemFamily } from './value-family.ts'

/** Reports contradictory or meaningless rules of a type as boot faults. */
export function checkDeclaredRules(type: ResourceType, registry: Registry): void {
  checkAttributes(type.attributes, (field, message) => registry.fail(type, field, message))
  for (const { name, kind, options, pivotFields } of type.relations) {
    checkAttributes(pivotFields, (field, message) => registry.fail(type, `${name}.${field}`, message))
    const { required, minItems, maxItems } = options.rules ?? {}
    if ((minItems ?? maxItems) !== undefined && kind !== 'hasMany' && kind !== 'belongsToMany') {
      registry.fail(type, name, 'minItems() and maxItems() are for a hasMany or belongsToMany.')
    }
    if (required && kind !== 'belongsTo' && kind !== 'morphTo') {
      registry.fail(type, name, 'required() is for a belongsTo or morphTo; use minItems() on a to-many.')
    }
  }
}

type Fail = (field: string, message: string) => void

function checkAttributes(attributes: readonly Attribute[], fail: Fail): void {
  for (const attribute of attributes) {
    checkRules(attribute, attribute.options.rules ?? {}, attributes, fail)
    checkFamily(attribute, attribute.options.rules ?? {}, fail)
    checkAttributes(listRuleMembers(attribute, attribute.children), fail)
    for (const children of attribute.variants.values()) checkAttributes(listRuleMembers(attribute, children), fail)
  }
}

/** The members of an object, which are stored in the same row as the object. */
function listRuleMembers({ on }: Attribute, children: readonly Attribute[]): readonly Attribute[] {
  return on ? children.map((child) => ({ ...child, on })) : children
}

function checkRules(attribute: Attribute, rules: Rules, siblings: readonly Attribute[], fail: Fail): void {
  const { name } = attribute
  for (const fault of rules.faults ?? []) fail(name, fault)
  for (const rule of rules.unknownRules ?? []) fail(name, `${rule}() is not a rule; use it on the field itself.`)
  checkFieldNames(attribute, rules, siblings, fail)
  if (rules.required === 'onUpdate' && attribute.on) {
    fail(name, 'requiredOnUpdate() cannot read the value that on() stores in another row; use required().')
  }
  for (const bound of listBounds(rules)) {
    if (typeof bound !== 'function' && toLimit(bound, attribute) === undefined) {
      fail(name, `'${String(bound)}' is not a ${attribute.kind}.`)
    }
  }
  for (const { member, schemas } of rules.shapes ?? []) {
    if (member !== null && schemas.some((schema) => findConstant(schema, member) === undefined)) {
      fail(name, `Every schema of the shape needs a constant '${member}', its discriminator.`)
    }
  }
  for (const rule of rules.customRules ?? []) if (typeof rule !== 'function') fail(name, 'rule() takes a function.')
  const alternatives = (rules.parts ?? []).filter(({ kind }) => kind === 'any').flatMap(({ ruleSets }) => ruleSets)
  if ([...alternatives, ...(rules.each ? [rules.each] : [])].some(hasCustomRule)) {
    fail(name, 'rule() has no effect in atLeastOneOf() and each(); use it on the field itself.')
  }
  for (const nested of (rules.parts ?? []).flatMap(({ ruleSets }) => ruleSets)) {
    checkRules(attribute, nested, siblings, fail)
  }
  if (!rules.each) return
  checkRules(attribute, rules.each, siblings, fail)
  if (isMixed(rules.each)) fail(name, 'each() has rules of texts and of numbers; an item is one of them.')
}

/** The compiler rejects such rules, too, unless a field is declared without its types. */
function checkFamily(attribute: Attribute, rules: Rules, fail: Fail): void {
  const accepted = rulesOfFamily[findFamily(attribute)]
  const others = Object.values(rulesOfFamily).flat()
  for (const rule of new Set(others.filter((name) => rules[name] !== undefined && !accepted.includes(name)))) {
    const modifier = rule === 'patterns' ? 'pattern' : rule
    fail(attribute.name, `${modifier}() has no effect on the kind ${attribute.kind}; rule() takes a function.`)
  }
  for (const { ruleSets } of rules.parts ?? []) for (const nested of ruleSets) checkFamily(attribute, nested, fail)
}

function checkFieldNames(attribute: Attribute, rules: Rules, siblings: readonly Attribute[], fail: Fail): void {
  const { name } = attribute
  for (const { field } of rules.comparisons ?? []) {
    const other = siblings.find((sibling) => sibling.name === field)
    if (!other || other === attribute) {
      const names = siblings.filter((sibling) => sibling !== attribute).map((sibling) => sibling.name)
      fail(name, `compareWith() names '${field}', which is not a sibling field.${didYouMean(field, names)}`)
    } else if (comparableGroup(other) !== comparableGroup(attribute))
      fail(name, `It cannot be compared with '${field}', a ${other.kind}.`)
    else if (attribute.on || other.on) {
      const chained = attribute.on ? name : field
      fail(name, `compareWith() cannot read the value of '${chained}', which on() stores in another row.`)
    }
  }
  for (const unique of rules.uniqueEntity ?? []) {
    const stored = siblings.filter(({ property, on }) => property && !on).map((sibling) => sibling.name)
    if (stored.includes(unique)) continue
    fail(name, `uniqueEntity() names '${unique}', which is not a stored attribute.${didYouMean(unique, stored)}`)
  }
}

function hasCustomRule({ customRules, parts = [] }: Rules): boolean {
  return customRules !== undefined || parts.some(({ ruleSets }) => ruleSets.some(hasCustomRule))
}

function isMixed(rules: Rules): boolean {
  const { minLength, maxLength, patterns, format } = rules
  const restrictsText = [minLength, maxLength, patterns, format].some((rule) => rule !== undefined)
  return restrictsText && itemFamily(rules) === 'number'
}

function listBounds({ before, after, between }: Rules): Bound[] {
  return [before, after, ...(between ?? [])].filter((bound) => bound !== undefined)
}

/** Values can be compared within a group. */
function comparableGroup(attribute: Attribute): string {
  const temporal: readonly AttributeKind[] = ['dateTime', 'date', 'time']
  return temporal.includes(attribute.kind) ? attribute.kind : findFamily(attribute)
}

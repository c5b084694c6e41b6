import type { Attribute, AttributeKind, Registry, ResourceType } from '#kernel/plugin'
import { limitOf } from '../check/temporal-bounds.ts'
import type { Bound, Rules } from '../rules.ts'
import { constantOf } from '../shape.ts'
import { itemFamily } from './compiled-attribute.ts'
import { familyOf } from './joi-schemas.ts'

/** Rules that make no sense are told at boot. */
export function checkRules(type: ResourceType, registry: Registry): void {
  checkAll(type.attributes, (field, message) => registry.fail(type, field, message))
  for (const { name, kind, options, pivotFields } of type.relations) {
    checkAll(pivotFields, (field, message) => registry.fail(type, `${name}.${field}`, message))
    const { required, minItems, maxItems } = options.rules ?? {}
    if ((minItems ?? maxItems) !== undefined && kind !== 'hasMany' && kind !== 'belongsToMany') {
      registry.fail(type, name, 'minItems() and maxItems() count the members of a hasMany or belongsToMany.')
    }
    if (required && kind !== 'belongsTo' && kind !== 'morphTo') {
      registry.fail(type, name, 'required() is said of a belongsTo or morphTo; a to-many has minItems().')
    }
  }
}

type Fail = (field: string, message: string) => void

function checkAll(attributes: readonly Attribute[], fail: Fail): void {
  for (const attribute of attributes) {
    checkOne(attribute, attribute.options.rules ?? {}, attributes, fail)
    checkAll(attribute.children, fail)
    for (const children of attribute.variants.values()) checkAll(children, fail)
  }
}

function checkOne(attribute: Attribute, rules: Rules, siblings: readonly Attribute[], fail: Fail): void {
  const { name } = attribute
  for (const word of rules.strangers ?? []) fail(name, `${word}() is not a rule; say it of the field itself.`)
  for (const { field } of rules.compared ?? []) {
    const other = siblings.find((one) => one.name === field)
    if (!other || other === attribute)
      fail(name, `compareWith() names '${field}', which is not another field beside it.`)
    else if (groupOf(other) !== groupOf(attribute))
      fail(name, `It cannot be compared with '${field}', a ${other.kind}.`)
  }
  for (const unique of rules.uniqueEntity ?? []) {
    if (!siblings.some((one) => one.name === unique && one.property && !one.on)) {
      fail(name, `uniqueEntity() names '${unique}', which is not a stored attribute.`)
    }
  }
  for (const bound of boundsOf(rules)) {
    if (typeof bound !== 'function' && limitOf(bound, attribute) === undefined) {
      fail(name, `'${String(bound)}' is not a ${attribute.kind}.`)
    }
  }
  for (const { member, schemas } of rules.shapes ?? []) {
    if (member !== null && schemas.some((schema) => constantOf(schema, member) === undefined)) {
      fail(name, `Every shape needs a constant '${member}', by which it is selected.`)
    }
  }
  for (const part of rules.parts ?? []) {
    for (const inner of 'choices' in part ? part.choices : [part.rules]) checkOne(attribute, inner, siblings, fail)
  }
  if (rules.each) checkOne(attribute, rules.each, siblings, fail)
  if (rules.each && isMixed(rules.each))
    fail(name, 'each() says of an item that it is a text, and that it is a number.')
}

function isMixed(rules: Rules): boolean {
  const { minLength, maxLength, patterns, format } = rules
  const isText = [minLength, maxLength, patterns, format].some((rule) => rule !== undefined)
  return isText && itemFamily(rules) === 'number'
}

function boundsOf({ before, after, between }: Rules): Bound[] {
  return [before, after, ...(between ?? [])].filter((bound) => bound !== undefined)
}

/** Kinds whose values can be compared with one another. */
function groupOf(attribute: Attribute): string {
  const temporal: readonly AttributeKind[] = ['dateTime', 'date', 'time']
  return temporal.includes(attribute.kind) ? attribute.kind : familyOf(attribute)
}

import type { Field } from '../schema/field.ts'
import type { Registry, ResourceType } from '../schema/resource-type.ts'
import { fieldsInside } from './unknown-names.ts'

/** Reports arguments of modifiers that do not have their form, and modifiers that exclude each other. */
export function checkModifiers(
  type: ResourceType,
  exclusive: readonly (readonly string[])[],
  registry: Registry,
): void {
  const check = (field: Field, member: string): void => {
    for (const fault of field.faults) registry.fail(type, member, fault)
    for (const names of exclusive) {
      const used = names.filter((name) => field.modifiers.includes(name))
      if (used.length > 1) registry.fail(type, member, `Use either ${used.map((name) => `${name}()`).join(' or ')}.`)
    }
    for (const inner of fieldsInside(field)) check(inner, `${member}.${inner.name}`)
  }
  for (const field of [type.id, ...type.attributes, ...type.relations]) check(field, field.name)
}

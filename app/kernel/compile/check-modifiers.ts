import type { Registry, ResourceType } from '../schema/resource-type.ts'
import { allFields } from './unknown-names.ts'

/** Reports arguments of modifiers that do not have their form, and modifiers that exclude each other. */
export function checkModifiers(
  type: ResourceType,
  exclusive: readonly (readonly string[])[],
  registry: Registry,
): void {
  for (const [member, field] of allFields(type)) {
    for (const fault of field.faults) registry.fail(type, member, fault)
    for (const names of exclusive) {
      const used = names.filter((name) => field.modifiers.includes(name))
      if (used.length > 1) registry.fail(type, member, `Use either ${used.map((name) => `${name}()`).join(' or ')}.`)
    }
  }
}

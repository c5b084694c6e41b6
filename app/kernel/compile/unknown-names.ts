import type { DisabledPlugin } from '../contract/plugin.ts'
import { modifierNames } from '../declare/builders.ts'
import { didYouMean } from '../errors/accepted-names.ts'
import { type Attribute, type Field, listChildren } from '../schema/field.ts'
import { declarationKeys, type Registry, type ResourceType } from '../schema/resource-type.ts'
import { resourceKeys } from './key-forms.ts'

/**
 * Reports modifiers and keys that neither the kernel nor a plugin defines, such as `maxLenght()`: a rule that is ignored
 * silently. Those of a plugin that is disabled or not listed have no effect and are no faults.
 */
export function reportUnknownNames(registry: Registry, plugins: readonly DisabledPlugin[]): void {
  const names = modifierNames(plugins.flatMap(({ modifiers }) => modifiers ?? []))
  const keys = [...declarationKeys, ...Object.keys(resourceKeys(plugins))]
  for (const type of registry.types.values()) {
    for (const [key, value] of Object.entries(type.declaration)) {
      if (value === undefined || keys.includes(key)) continue
      registry.fail(type, key, `'${key}' is not a key of a declaration.${suggestion(key, keys)}`)
    }
    for (const field of [type.id, ...type.attributes, ...type.relations]) checkField(type, field, field.name)
  }

  function checkField(type: ResourceType, field: Field, member: string): void {
    for (const { name } of field.ignoredModifiers) {
      const accepted = names[field.role]
      if (accepted.includes(name)) continue
      const message = `${name}() is not a modifier of ${plurals[field.role]}.${suggestion(name, accepted)}`
      registry.fail(type, member, message)
    }
    for (const inner of fieldsInside(field)) checkField(type, inner, `${member}.${inner.name}`)
  }
}

const plurals = { id: 'ids', attribute: 'attributes', relation: 'relations' } as const

function suggestion(name: string, accepted: readonly string[]): string {
  return didYouMean(name, accepted) || ' No plugin defines it.'
}

/** The nested attributes of an attribute, and the pivot fields of a relation. */
export function fieldsInside(field: Field): readonly Attribute[] {
  if (field.role === 'id') return []
  if (field.role === 'relation') return field.pivotFields
  return listChildren(field)
}

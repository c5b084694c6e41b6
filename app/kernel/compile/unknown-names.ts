import type { DisabledPlugin } from '../contract/plugin.ts'
import { modifierNames } from '../declare/builders.ts'
import { didYouMean } from '../errors/accepted-names.ts'
import { type Field, listChildren } from '../schema/field.ts'
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
    for (const [member, field] of allFields(type)) {
      for (const { name } of field.ignoredModifiers) {
        const accepted = names[field.role]
        if (accepted.includes(name)) continue
        const message = `${name}() is not a modifier of ${plurals[field.role]}.${suggestion(name, accepted)}`
        registry.fail(type, member, message)
      }
    }
  }
}

const plurals = { id: 'ids', attribute: 'attributes', relation: 'relations' } as const

function suggestion(name: string, accepted: readonly string[]): string {
  return didYouMean(name, accepted) || ' No plugin defines it.'
}

/** The fields of a type with their paths, nested attributes and pivot fields included. */
export function* allFields(type: ResourceType): Generator<readonly [member: string, field: Field]> {
  for (const field of [type.id, ...type.attributes, ...type.relations]) yield* withInner(field, field.name)
}

function* withInner(field: Field, member: string): Generator<readonly [member: string, field: Field]> {
  yield [member, field]
  const inner = field.role === 'attribute' ? listChildren(field) : field.role === 'relation' ? field.pivotFields : []
  for (const child of inner) yield* withInner(child, `${member}.${child.name}`)
}
